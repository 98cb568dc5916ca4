package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina"
	"carina/cmd/carina/report"
	"carina/internal/race"
)

// What people get wrong in a case file that init wrote is refused in one sentence that
// names it, before anything is written.
func TestWrongCasesLeaveNothing(t *testing.T) {
	folder := t.TempDir()
	surface := generated(t, "bifurcation")
	init := carina.Case{SurfaceCase: carina.SurfaceCase{Surface: surface}}
	n, err := report.InitCase(t.Context(), &init, report.CaseOptions{File: filepath.Join(folder, "case.yaml"), Picture: filepath.Join(folder, "case.png"), Updates: 1e7})
	if err != nil {
		t.Fatal(err)
	}
	right := n.Text()
	// The flow is computed on few cells where a mistake is found in the grid alone.
	_, spacing, _ := strings.Cut(right, "\nspacing: ")
	spacing, _, _ = strings.Cut(spacing, "\n")
	right = strings.Replace(right, "\nspacing: "+spacing, "\nspacing: 3mm", 1)
	const second, third = "{opening: 2, kind: share, share: 0.5}", "{opening: 3, kind: share, share: 0.5}"
	cases := map[string]struct{ from, to, says string }{
		"surface that is not there":       {filepath.Base(surface), "none.stl", "none.stl"},
		"surface twice":                   {"unit: mm", "unit: mm\nsurface: other.stl", "surface stands there twice"},
		"no surface":                      {"surface: ", "# surface: ", "names no surface"},
		"folder for a surface":            {"\"\n", "/..\"\n", ""},
		"unknown unit":                    {"unit: mm", "unit: miles", `"miles"`},
		"empty unit":                      {"unit: mm", "unit:", "unit is empty"},
		"tiny unit":                       {"unit: mm", "unit: um", "cell"},
		"inlet that is not there":         {"inlet: 1", "inlet: 9", "9"},
		"inlet no number":                 {"inlet: 1", "inlet: trachea", "inlet cannot be trachea"},
		"inlet with a point":              {"inlet: 1", "inlet: 1.5", "inlet is 1.5"},
		"inlet that has a share":          {"inlet: 1", "inlet: 2", "opening 2 is an inlet"},
		"opening that is not there":       {second, "{opening: 7, kind: share, share: 0.5}", "7"},
		"opening twice":                   {second, third, "3"},
		"unknown kind":                    {second, "{opening: 2, kind: shares, share: 0.5}", `"shares"`},
		"no kind":                         {second, "{opening: 2, share: 0.5}", "kind"},
		"share of zero":                   {second, "{opening: 2, kind: share, share: 0}", "share is 0"},
		"negative share":                  {second, "{opening: 2, kind: share, share: -0.5}", "share"},
		"no share":                        {second, "{opening: 2, kind: share}", "share"},
		"share in per cent":               {second, "{opening: 2, kind: share, share: 50%}", "50%"},
		"flow without a unit":             {second, "{opening: 2, kind: flow, flow: 3}", "unit"},
		"windkessel without numbers":      {second, "{opening: 2, kind: windkessel}", "resistance"},
		"pressure of another kind":        {second, "{opening: 2, kind: share, share: 0.5, pressure: 3Pa}", "pressure"},
		"conditions no list":              {"conditions:\n", "conditions: none\nunused:\n", "conditions cannot be none"},
		"key misspelt":                    {"\nflow:", "\nflwo:", "there is no key flwo: did you mean flow?"},
		"spacing without a unit":          {"spacing: 3mm", "spacing: 3", "unit"},
		"spacing as wide as the lumen":    {"spacing: 3mm", "spacing: 30cm", "spacing"},
		"negative spacing":                {"spacing: 3mm", "spacing: -3mm", "-3"},
		"spacing and number of cells":     {"spacing: 3mm", "spacing: 3mm\nfluid-cells: 1000", "fluid"},
		"spacing too fine for any memory": {"spacing: 3mm", "spacing: 1um", "spacing"},
		"flow of another quantity":        {"flow: 15L/min", "flow: 15mm", "15mm"},
		"waveform that is not there":      {"# waveform: breathing:4s", "waveform: breath.csv", "breath.csv"},
		"waveform without a period":       {"# waveform: breathing:4s", "waveform: breathing", "breathing"},
		"time without a unit":             {"# time: 0.5s ", "time: 0.5 ", "unit"},
		"negative time":                   {"# time: 0.5s ", "time: -1s ", "-1"},
		"no ranks":                        {"ranks: 2", "ranks: 0", "ranks is 0"},
		"more ranks than cells":           {"ranks: 2", "ranks: 2000000", "rank"},
		"tabulator":                       {"\nranks", "\n\tranks", "line"},
		"no colon":                        {"ranks: 2", "ranks 2", "no line such as"},
		"two documents":                   {"ranks: 2", "ranks: 2\n---\nranks: 3", "several documents"},
	}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		if race.Enabled && i%6 > 0 {
			continue
		}
		text := strings.Replace(right, c.from, c.to, 1)
		if text == right {
			t.Errorf("%s: the case has no %q", name, c.from)
			continue
		}
		here := t.TempDir()
		file, out := filepath.Join(here, "case.yaml"), filepath.Join(here, "out")
		// Beside the file lies what it names.
		if err := os.WriteFile(file, []byte(strings.Replace(text, "surface: \"", "surface: \""+relative(t, here, folder), 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		line := []string{"run", file, "--out", out}
		if !strings.Contains(name, "time") {
			line = append(line, "--steps", "2")
		}
		status, _, said := invoke(t, line...)
		lines := strings.Count(said, "\n")
		if status != exitFailure || lines != 1 || !strings.Contains(said, c.says) {
			t.Errorf("%s: status %d, says %q, want %q", name, status, said, c.says)
		} else {
			t.Logf("%s: %s", name, said)
		}
		if entries, err := os.ReadDir(here); err != nil || len(entries) != 1 {
			t.Errorf("%s: left %v, %v", name, entries, err)
		}
	}
}

// relative is the way from a folder to another.
func relative(t *testing.T, from, to string) string {
	t.Helper()
	path, err := filepath.Rel(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return path + string(filepath.Separator)
}
