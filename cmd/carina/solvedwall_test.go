package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// A partition file whose surface lies beside it, or where the case names it, has the wall
// shear of the run that has made it; without the surface it has none.
func TestSolveKnowsTheWall(t *testing.T) {
	folder := t.TempDir()
	data, err := os.ReadFile(generated(t, "bifurcation"))
	if err != nil {
		t.Fatal(err)
	}
	surface := filepath.Join(folder, "tube.stl")
	if err := os.WriteFile(surface, data, 0o666); err != nil {
		t.Fatal(err)
	}
	type summary struct {
		Wall *struct {
			Area float64 `json:"area_m2"`
			Mean float64 `json:"mean_pa"`
		} `json:"wall_shear"`
	}
	first, second := filepath.Join(folder, "first"), filepath.Join(folder, "second")
	flow := []string{"--flow", "1L/min", "--steps", "200"}
	want := succeed[summary](t, append([]string{"run", surface, "--fluid-cells", "4000", "--out", first}, flow...)...)
	solve := func() *summary {
		s := succeed[summary](t, append([]string{"solve", filepath.Join(first, "tube.part.json"), "--out", second}, flow...)...)
		return &s
	}
	got := solve()
	if got.Wall == nil || math.Abs(got.Wall.Area/want.Wall.Area-1) > 1e-9 || math.Abs(got.Wall.Mean/want.Wall.Mean-1) > 1e-9 {
		t.Errorf("%+v, want %+v", got.Wall, want.Wall)
	}
	if _, err := os.Stat(filepath.Join(second, "wall.vtp")); err != nil {
		t.Error(err)
	}
	// Another surface of that name is not taken for it.
	if err := os.WriteFile(surface, data[:len(data)-50], 0o666); err != nil {
		t.Fatal(err)
	}
	if got = solve(); got.Wall != nil {
		t.Errorf("of another surface: %+v", got.Wall)
	}
	if _, err := os.Stat(filepath.Join(second, "wall.vtp")); err == nil {
		t.Error("wall.vtp of the run before is left")
	}
}
