package generate

import (
	"slices"
	"testing"

	"carina/geometry"

	"pgregory.net/rapid"
)

// Runs are those of the cells asked for, in order and as long as they can be.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := [3]int32{rapid.Int32Range(1, 9).Draw(t, "x"), rapid.Int32Range(1, 5).Draw(t, "y"), rapid.Int32Range(1, 5).Draw(t, "z")}
		cells := int(size[0] * size[1] * size[2])
		fluid := rapid.SliceOfN(rapid.Bool(), cells, cells).Draw(t, "cells")
		at := func(x, y, z int32) bool { return x < size[0] && fluid[(z*size[1]+y)*size[0]+x] }
		g := Grid(size, at)
		found := make([]bool, len(fluid))
		for i, r := range g.Runs {
			if i > 0 && order(g.Runs[i-1], r) >= 0 {
				t.Fatalf("run %v after %v", r, g.Runs[i-1])
			}
			if r.X1 < size[0] && at(r.X1, r.Y, r.Z) || r.X0 > 0 && at(r.X0-1, r.Y, r.Z) {
				t.Fatalf("run %v ends before the fluid does", r)
			}
			for x := r.X0; x < r.X1; x++ {
				found[(r.Z*size[1]+r.Y)*size[0]+x] = true
			}
		}
		if !slices.Equal(found, fluid) {
			t.Fatal("the runs hold other cells than asked for")
		}
	})
}

// order compares places of runs by z, y, x.
func order(a, b geometry.Run) int {
	return slices.Compare([]int32{a.Z, a.Y, a.X1}, []int32{b.Z, b.Y, b.X0})
}

func TestGridsHaveCells(t *testing.T) {
	size := [3]int32{20, 16, 24}
	for name, test := range map[string]struct {
		grid        *geometry.Grid
		least, most int64
	}{
		"full":  {FullGrid(size), 20 * 16 * 24, 20 * 16 * 24},
		"noise": {NoiseGrid(size, 0.5, 1), 20 * 16 * 24 * 4 / 10, 20 * 16 * 24 * 6 / 10},
		"balls": {BallsGrid(size, 3, 1), 1, 20*16*24 - 1},
		"tree":  {TreeGrid(40, 3), 40 * 20 * 40 / 100, 40 * 20 * 40 / 5},
	} {
		if n := test.grid.Cells(); n < test.least || n > test.most {
			t.Errorf("%s: %d cells, want %d to %d", name, n, test.least, test.most)
		}
	}
}
