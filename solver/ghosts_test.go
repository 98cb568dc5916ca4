package solver

import (
	"testing"

	"pgregory.net/rapid"
)

// What is left of ghosts without known ones is each other cell once.
func TestWithout(t *testing.T) {
	draw := func(t *rapid.T, most int) (list []ghostPiece, cells map[[2]int32]bool) {
		cells = map[[2]int32]bool{}
		for range rapid.IntRange(0, most).Draw(t, "count") {
			g := ghostPiece{piece: rapid.Int32Range(0, 2).Draw(t, "piece"), x0: rapid.Int32Range(0, 20).Draw(t, "x0")}
			g.x1 = g.x0 + rapid.Int32Range(1, 6).Draw(t, "cells")
			list = append(list, g)
			for x := g.x0; x < g.x1; x++ {
				cells[[2]int32{g.piece, x}] = true
			}
		}
		return list, cells
	}
	rapid.Check(t, func(t *rapid.T) {
		found, want := draw(t, 12)
		sortGhosts(found)
		// Known ones do not overlap, and some lie side by side.
		candidates, _ := draw(t, 8)
		sortGhosts(candidates)
		var known []ghostPiece
		for _, g := range candidates {
			if n := len(known); n > 0 && known[n-1].piece == g.piece {
				g.x0 = max(g.x0, known[n-1].x1)
			}
			if g.x0 < g.x1 {
				known = append(known, g)
			}
			for x := g.x0; x < g.x1; x++ {
				delete(want, [2]int32{g.piece, x})
			}
		}
		for _, g := range without(found, known) {
			for x := g.x0; x < g.x1; x++ {
				if !want[[2]int32{g.piece, x}] {
					t.Fatalf("cell %d of piece %d is known or was added before", x, g.piece)
				}
				delete(want, [2]int32{g.piece, x})
			}
		}
		if len(want) > 0 {
			t.Fatalf("%v are missing", want)
		}
	})
}
