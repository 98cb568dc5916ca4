package page

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// What is known on the wall is on the vertices near it and in no voxel, and branches have
// their lines and a mark half way.
func TestWallAndBranchesOnPage(t *testing.T) {
	g := pipeGrid(t, 20_000)
	p := halves(g)
	p.Pressure = make([]float32, g.Cells())
	// On a fine lattice of places a field that grows along x.
	low := g.Origin
	extent := r3.Scale(g.Spacing, r3.Vec{X: float64(g.Size[0]), Y: float64(g.Size[1]), Z: float64(g.Size[2])})
	p.Wall = &Wall{Fields: []WallField{{Name: "wall shear", Unit: "Pa", High: 2}}}
	step := g.Spacing
	for x := 0.0; x <= extent.X; x += step {
		for y := 0.0; y <= extent.Y; y += step {
			for z := 0.0; z <= extent.Z; z += step {
				p.Wall.At = append(p.Wall.At, r3.Add(low, r3.Vec{X: x, Y: y, Z: z}))
				p.Wall.Fields[0].Values = append(p.Wall.Fields[0].Values, float32(2*x/extent.X))
			}
		}
	}
	line := []r3.Vec{low, r3.Add(low, r3.Vec{X: 1e-3}), r3.Add(low, r3.Vec{X: 1e-3, Y: 3e-3})}
	p.Branches = []Branch{{Number: 7, Text: "<b>seven</b>", Line: line}, {Number: 8, Line: line[:1]}}
	w := writePage(t, p)
	var found *field
	for i := range w.Fields {
		if w.Fields[i].Name == "wall shear" {
			found = &w.Fields[i]
		}
	}
	if found == nil || !found.Wall || found.High != 2 {
		t.Fatalf("%+v", w.Fields)
	}
	if _, is := w.streams["voxel:wall shear"]; is {
		t.Error("voxels have what is known on the wall alone")
	}
	at, values := w.places(t, "vertex", w.Vertices), w.streams["vertex:wall shear"]
	for i, v := range values {
		want := (at[i].X/1e3 - low.X) / extent.X
		if got := float64(v-1) / 254; math.Abs(got-want) > 2.5*g.Spacing/extent.X+0.01 {
			t.Fatalf("vertex %d has %g, want %g", i, got, want)
		}
	}
	if len(w.Branches) != 1 || w.Branches[0].Number != 7 || w.Branches[0].Places != 3 || w.Branches[0].Text != "<b>seven</b>" {
		t.Fatalf("%+v", w.Branches)
	}
	// Half way is 2 mm along.
	want := r3.Scale(1e3, r3.Add(low, r3.Vec{X: 1e-3, Y: 1e-3}))
	if mark := w.Branches[0].At; math.Abs(mark[0]-want.X) > 1e-6 || math.Abs(mark[1]-want.Y) > 1e-6 {
		t.Errorf("the mark is at %v, want %v", mark, want)
	}
	for i, v := range w.places(t, "branch", 3) {
		if d := r3.Norm(r3.Sub(v, r3.Scale(1e3, line[i]))); d > 2*w.Step {
			t.Errorf("place %d is %g mm off", i, d)
		}
	}
	p.Wall.Fields[0].Values = nil
	if err := Write(filepath.Join(t.TempDir(), "page.html"), p); err == nil || !strings.Contains(err.Error(), "on the wall") {
		t.Errorf("values for no place: %v", err)
	}
}
