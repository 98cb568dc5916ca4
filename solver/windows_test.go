package solver_test

import (
	"fmt"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
)

// In a box most cells have their neighbours where others have them, which windows keep once.
func TestNeighboursInABoxAreKeptOnce(t *testing.T) {
	size := [3]int32{200, 14, 2}
	d := enginetest.Stacked(generate.FullGrid(size), 7)
	d.Periodic = [3]bool{true, false, false}
	for i, wrong := range onEachRank(d, solver.Options{}, func(b *solver.Binding) string {
		if wrong := compareLayout(b, size, d.Periodic); wrong != "" {
			return wrong
		}
		w := b.Windows([]geometry.Offset{{X: -1}, {X: 1}, {Y: 1}})
		alike := 0
		for _, shape := range w.Shapes {
			if shape >= 0 {
				alike++
			}
		}
		shapes, others := len(w.Shifts)/len(w.Offsets), len(w.Shapes)-alike
		if 2*alike < len(w.Shapes) || shapes > 4 || len(w.First) != others*len(w.Offsets) {
			return fmt.Sprintf("%d of %d windows have %d shapes, of the others %d numbers are kept", alike, len(w.Shapes), shapes, len(w.First))
		}
		return ""
	}) {
		if wrong != "" {
			t.Errorf("rank %d: %s", i, wrong)
		}
	}
}

// compareRuns says whether runs of neighbours in a block are as long as they can be and
// have the neighbours of their cells.
func compareRuns(b *solver.Binding, windows *solver.Windows) (wrong string) {
	for k := range farOffsets {
		for i := range b.Blocks {
			at, last := b.Blocks[i].First, int32(-2)
			list := make([]int32, b.Blocks[i].End-at)
			windows.Neighbours(k, at, list)
			for j, n := range list {
				if n != windows.Neighbour(k, at+int32(j)) {
					wrong = "a list of neighbours has others than its cells"
				}
			}
			windows.Each(k, at, b.Blocks[i].End, func(cell, n, neighbour int32) {
				if cell != at || n < 1 {
					wrong = "runs of neighbours do not follow each other"
				}
				if neighbour == last {
					wrong = "a run of neighbours goes on in the next"
				}
				for j := range n {
					want := neighbour
					if neighbour >= 0 {
						want += j
					}
					if windows.Neighbour(k, cell+j) != want {
						wrong = "a run has other neighbours than its cells"
					}
				}
				at, last = cell+n, neighbour
				if neighbour >= 0 {
					last = neighbour + n
				}
			})
			if at != b.Blocks[i].End {
				wrong = "runs of neighbours do not fill the block"
			}
		}
	}
	return wrong
}
