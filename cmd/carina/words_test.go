package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"carina/internal/race"
	"carina/solver/airflow"
)

// The end of a computation says whether the flow is steady, which method it
// was, and what flows.
func TestEndOfAComputationSaysWhatItWas(t *testing.T) {
	out := t.TempDir()
	pipe := generated(t, "pipe", "--length", "40mm", "--segments", "24")
	flow := []string{"run", pipe, "--unit", "mm", "--spacing", "3mm", "--flow", "0.3L/min", "--out", out}
	type end struct {
		name      string
		arguments []string
		steady    string
		says      []string
	}
	ends := []end{
		{"until it is steady", []string{"--time", "90s", "--tolerance", "1e-4"}, "yes", []string{"\nsteady: ", "flow of air", "recursive collision, interpolated walls, D3Q19, single precision"}},
		{"long enough", []string{"--steps", "3000", "--collision", "cumulant", "--wall", "bounce-back"}, "yes", []string{"\nsteady: ", "cumulant collision, bounce-back walls, D3Q27"}},
		{"too short", []string{"--steps", "20"}, "", []string{"not known after so few steps"}},
		{"water before it is steady", []string{"--steps", "950", "--tolerance", "1e-5", "--density", "998kg/m3", "--viscosity", "1mm2/s", "--flow", "0.05L/min"}, "no", []string{"\nnot steady: ", "flow of water"}},
	}
	for _, test := range race.Few(ends[2:], ends) {
		status, words, stderr := invoke(t, append(flow, test.arguments...)...)
		if status != 0 {
			t.Fatalf("%s: %s", test.name, stderr)
		}
		var s airflow.Summary
		data, err := os.ReadFile(filepath.Join(out, "summary.json"))
		if err == nil {
			err = json.Unmarshal(data, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
		known := ""
		if s.Steady != nil {
			known = map[bool]string{true: "yes", false: "no"}[*s.Steady]
		}
		if known != test.steady {
			t.Errorf("%s: steady %q, want %q", test.name, known, test.steady)
		}
		for _, says := range test.says {
			if !strings.Contains(words, says) {
				t.Errorf("%s: says nothing of %q:\n%s", test.name, says, words)
			}
		}
	}
}

// oneOfMany finds a single thing in the plural, such as 1 ranks.
var oneOfMany = regexp.MustCompile(`(?:^|[^\d.,\x{2009}])1 (?:[a-z]+ )?[a-z]+s\b`)

// One rank, one edge and one argument are no plurals.
func TestOneOfAThingIsNoPlural(t *testing.T) {
	pipe, out := generated(t, "pipe"), t.TempDir()
	pair := written(t, "pair.graph", "2 1\n2\n1\n")
	box := written(t, "box.stl", asciiBox("low"))
	open := written(t, "open.stl", strings.Replace(asciiBox("low"), "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 10 0 0", "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 0", 1))
	part := filepath.Join(out, "one.part.json")
	for _, line := range [][]string{
		{"run", pipe, "--spacing", "3mm", "--steps", "2", "--decompose", "regular", "--cuboids-per-rank", "1", "--out", out},
		{"partition", pipe, "--spacing", "3mm", "--ranks", "1", "--decompose", "regular", "--cuboids-per-rank", "1", "-o", part},
		{"inspect", part},
		{"solve", part, "--steps", "2"},
		{"run", pipe, "--spacing", "3mm", "--steps", "2", "--decompose", "regular", "--cuboids-per-rank", "1", "--ranks", "2", "--out", out},
		{"inspect", pair},
		{"inspect", written(t, "one.graph", "1 0\n\n")},
		{"graph", pair, "1"},
		{"graph", pair, "1048577"},
		{"inspect", box, "--unit", "mm", "--drop-opening", "1"},
		{"inspect", open, "--unit", "mm"},
		{"run", box, "--unit", "mm", "--spacing", "2mm", "--drop-opening", "1", "--out", out},
		{"voxelize", pipe, "--spacing", "3mm", "--drop-opening", "1", "-o", filepath.Join(out, "one.grid")},
		{"partition", pipe, "--spacing", "3mm", "--ranks", "1", "--speeds", "1,2", "-o", part},
		{"partition", pipe, "--spacing", "3mm", "--ranks", "2", "--speeds", "1", "-o", part},
		{"inspect", pipe, pipe},
		{"doctor", pipe},
	} {
		_, words, stderr := invoke(t, line...)
		found := slices.DeleteFunc(oneOfMany.FindAllString(words+"\n"+stderr, -1), func(found string) bool { return strings.HasSuffix(found, " was") })
		if len(found) > 0 || words+stderr == "" {
			t.Errorf("%v says %q:\n%s%s", line, found, words, stderr)
		}
	}
}
