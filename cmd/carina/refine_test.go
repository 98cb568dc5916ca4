package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/internal/race"
)

type refinedResult struct {
	PressureDrop float64            `json:"pressure_drop_pa"`
	Refinement   *carina.Refinement `json:"refinement"`
}

// The pressure drop of Hagen and Poiseuille lies within what a refinement of a pipe
// says, whose levels have one ratio of time step to spacing where the step is given.
func TestRunRefines(t *testing.T) {
	race.SkipArithmetic(t)
	const flow, diameter, length = 0.05e-3 / 60, 8e-3, 32e-3
	surface := generated(t, "pipe", "--segments", "64", "--diameter", "8mm", "--length", "32mm")
	folder := filepath.Join(t.TempDir(), "results")
	got := succeed[refinedResult](t, "run", surface, "--unit", "mm", "--spacing", "0.5mm", "--flow", "0.05L/min", "--profile", "parabolic", "--refine", "--time-step", "0.6ms", "--out", folder)
	r := got.Refinement
	if r == nil || len(r.Levels) != 3 || len(r.Shares) != 1 {
		t.Fatalf("refinement %+v", r)
	}
	exact := 128 * 1.2 * 15e-6 * length * flow / (math.Pi * math.Pow(diameter, 4))
	t.Logf("exact %g Pa, %+v, %+v", exact, r.PressureDrop, r.Levels)
	if d := math.Abs(r.PressureDrop.Value - exact); d > r.PressureDrop.Uncertainty || r.PressureDrop.Relative() > 0.15 {
		t.Errorf("the exact pressure drop %g Pa is not within %g ± %g", exact, r.PressureDrop.Value, r.PressureDrop.Uncertainty)
	}
	for i, l := range r.Levels {
		if ratio := math.Pow(carina.RefinementRatio, float64(i)); math.Abs(l.Spacing/0.5e-3/ratio-1) > 1e-9 || math.Abs(l.TimeStep/0.6e-3/ratio-1) > 1e-9 {
			t.Errorf("level %d has spacing %g and time step %g", i, l.Spacing, l.TimeStep)
		}
	}
	if r.Levels[0].PressureDrop != got.PressureDrop {
		t.Errorf("the finest level has %g Pa, the summary %g", r.Levels[0].PressureDrop, got.PressureDrop)
	}
	if saved, err := os.ReadFile(filepath.Join(folder, "summary.json")); err != nil || !strings.Contains(string(saved), `"refinement"`) {
		t.Error("the summary has no refinement")
	}
}

func TestWrongRefinements(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	grid := filepath.Join(folder, "pipe.grid")
	succeed[map[string]any](t, "voxelize", pipe, "--spacing", "3mm", "-o", grid)
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{pipe, "--spacing", "3mm", "--refine=4"}, "choose 2 or 3"},
		{[]string{pipe, "--spacing", "3mm", "--refine=1"}, "a refinement of 1 spacing is not computed: choose 2 or 3"},
		{[]string{pipe, "--spacing", "3mm", "--refine", "--accuracy", "5%"}, "leave refine out"},
		{[]string{pipe, "--spacing", "3mm", "--refine", "--waveform", "sine:1s"}, "waveform"},
		{[]string{pipe, "--spacing", "3mm", "--refine", "--steps", "100"}, "another time on each spacing"},
		{[]string{pipe, "--spacing", "3mm", "--accuracy", "0"}, "such as 5%"},
		{[]string{pipe, "--spacing", "3mm", "--accuracy", "fine"}, "such as 5%"},
		{[]string{grid, "--refine"}, "give the surface"},
	} {
		status, _, stderr := invoke(t, append([]string{"run", "--out", filepath.Join(folder, "out")}, c.arguments...)...)
		if status != 1 || !strings.Contains(stderr, c.want) || strings.Count(strings.TrimSpace(stderr), "\n") > 0 {
			t.Errorf("%v: status %d, %q", c.arguments[1:], status, stderr)
		}
	}
}

// A refinement tells its spacings, and of each the grid and the partition; notes come once,
// before the first flow, and those of coarser spacings say so. In words it does the same.
func TestRefinementTellsOfEachSpacing(t *testing.T) {
	pipe, out := generated(t, "pipe"), filepath.Join(t.TempDir(), "out")
	run := []string{"run", pipe, "--spacing", "2mm", "--flow", "0.2L/min", "--time", "20ms", "--refine=2", "--out", out}
	status, _, stderr := invoke(t, append(run, "--log-json", "--json")...)
	if status != 0 {
		t.Fatal(stderr)
	}
	var kinds []string
	notes := map[string]int{}
	for _, e := range events(t, stderr) {
		switch kind := e["event"].(string); kind {
		case "note":
			notes[e["text"].(string)]++
			if kinds != nil && !strings.HasPrefix(e["text"].(string), "on a spacing of 2.8 mm: ") {
				t.Errorf("a note between: %v", e)
			}
		case "spacings", "grid", "partition", "level":
			kinds = append(kinds, kind)
		}
	}
	if got, want := strings.Join(kinds, " "), "grid spacings grid partition level grid partition level"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	for note, times := range notes {
		if times > 1 {
			t.Errorf("%d times %s", times, note)
		}
	}
	if len(notes) < 2 {
		t.Errorf("notes %v", notes)
	}
	status, stdout, stderr := invoke(t, run...)
	if status != 0 || !strings.Contains(stderr, "to compute on 2 spacings: 2.8 mm, 2 mm\n") || strings.Count(stdout+stderr, "note: unit: mm") != 1 {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	if grid := strings.Index(stdout, "note: unit: mm"); grid < 0 || grid > strings.Index(stdout, "flow of air") || strings.Count(stdout, "\npartition: ") != 2 {
		t.Errorf("it prints %s", stdout)
	}
}
