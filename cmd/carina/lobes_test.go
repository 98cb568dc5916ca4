package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lobes of a case file and of flags are in the summary, the tables and the report.
func TestLobes(t *testing.T) {
	folder := t.TempDir()
	surface := generated(t, "bifurcation")
	file := filepath.Join(folder, "case.yaml")
	text := "surface: " + surface + "\nfluid-cells: 4000\nflow: 1L/min\nsteps: 200\nlobes:\n  - {name: \"<one>\", branch: 2}\n  - {name: two, openings: [\"out*3\"]}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	type lobe struct {
		Name  string  `json:"lobe"`
		Flow  float64 `json:"flow_m3_per_s"`
		Share float64 `json:"share"`
	}
	type summary struct {
		Lobes    []lobe
		Ends     []struct{ Branch int }
		Openings []struct {
			Name string
			Flow float64 `json:"flow_m3_per_s"`
		}
	}
	out := filepath.Join(folder, "out")
	for _, more := range [][]string{nil, {"--lobe", "<one>=branch:2", "--lobe", "two=3"}} {
		s := succeed[summary](t, append([]string{"run", file, "--out", out}, more...)...)
		if len(s.Lobes) != 2 || len(s.Ends) != 3 || s.Lobes[0].Flow != -s.Openings[1].Flow || s.Lobes[1].Flow != -s.Openings[2].Flow {
			t.Fatalf("%+v", s)
		}
		for _, name := range []string{"lobes.csv", "openings.csv", "report.html"} {
			data, err := os.ReadFile(filepath.Join(out, name))
			if err != nil || name != "openings.csv" && !strings.Contains(string(data), "two") || name == "report.html" && (strings.Contains(string(data), "<one>") || !strings.Contains(string(data), "&lt;one&gt;")) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	// What makes no sense is refused before anything is computed or written.
	for words, lobes := range map[string][]string{
		"there is no branch 9":  {"--lobe", "a=branch:9"},
		"there is no opening":   {"--lobe", "a=17"},
		"belongs to the lobes":  {"--lobe", "a=2", "--lobe", "b=2,3"},
		"two lobes are called":  {"--lobe", "a=2", "--lobe", "a=3"},
		"is not a lobe":         {"--lobe", "a"},
		"share branch":          {"--lobe", "a=branch:1", "--lobe", "b=branch:2"},
		"no branch leads to it": {"--lobe", "a=1"},
	} {
		nowhere := filepath.Join(folder, "nowhere")
		status, _, message := invoke(t, append([]string{"run", file, "--out", nowhere}, lobes...)...)
		if _, err := os.Stat(nowhere); status == 0 || !strings.Contains(message, words) || err == nil {
			t.Errorf("%v: exit status %d: %s (folder: %v)", lobes, status, message, err)
		}
	}
	for words, line := range map[string]string{
		"either the openings":  "{name: a, branch: 2, openings: [3]}",
		"has no name":          "{openings: [3]}",
		"there is no branch -": "{name: a, branch: -2}",
		"did you mean":         "{name: a, opening: [3]}",
	} {
		if err := os.WriteFile(file, []byte("surface: "+surface+"\nfluid-cells: 4000\nsteps: 2\nlobes: ["+line+"]\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if status, _, message := invoke(t, "run", file, "--out", filepath.Join(folder, "nowhere")); status == 0 || !strings.Contains(message, words) {
			t.Errorf("%s: exit status %d: %s", line, status, message)
		}
	}
}
