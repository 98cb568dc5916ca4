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
