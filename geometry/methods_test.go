package geometry

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// All methods give the same cells for a sound surface.
func TestMethodsAgree(t *testing.T) {
	s := tubeSurface(r3.Vec{}, r3.Vec{X: 3, Y: 1, Z: 9}, 1.2, 20, 9, false)
	want := mustVoxelize(t, s, Options{Spacing: 0.11})
	for _, m := range []Method{Vote, Winding} {
		got := mustVoxelize(t, s, Options{Spacing: 0.11, Method: m})
		if n := differentCells(want, got); n > 0 {
			t.Errorf("%s: %d of %d cells differ from those of rows", m, n, want.Cells())
		}
	}
}

// differentCells counts the cells that only one of two grids has.
func differentCells(a, b *Grid) int64 {
	count := func(a, b *Grid) (n int64) {
		for _, r := range a.Runs {
			for x := r.X0; x < r.X1; x++ {
				if !b.Contains(x, r.Y, r.Z) {
					n++
				}
			}
		}
		return n
	}
	return count(a, b) + count(b, a)
}

// With holes left open, the winding number still finds the lumen.
func TestWindingBridgesHoles(t *testing.T) {
	sound := tubeSurface(r3.Vec{}, r3.Vec{X: 3, Y: 1, Z: 9}, 1.2, 30, 60, false)
	want := mustVoxelize(t, sound, Options{Spacing: 0.1})
	damaged := damage(sound, rand.New(rand.NewPCG(5, 5)), 0, 40, 300, 0, 0)
	got := mustVoxelize(t, damaged, Options{Spacing: 0.1, Method: Winding})
	if n := differentCells(want, got); float64(n) > 0.005*float64(want.Cells()) {
		t.Errorf("%d of %d cells differ", n, want.Cells())
	}
}

func TestUnknownMethod(t *testing.T) {
	s := tubeSurface(r3.Vec{}, r3.Vec{Z: 9}, 1, 20, 9, false)
	if _, err := Voxelize(context.Background(), s, Options{Spacing: 0.2, Method: "magic"}); err == nil {
		t.Error("an unknown voxelizer is accepted")
	}
}
