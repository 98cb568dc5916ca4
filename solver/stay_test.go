package solver

import (
	"slices"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"pgregory.net/rapid"
)

// drawnDomain gives every cell of a grid to a drawn rank, in drawn segments.
func drawnDomain(t *rapid.T, g *geometry.Grid, ranks int) *Domain {
	d := &Domain{Grid: g, Ranks: ranks}
	for _, run := range g.Runs {
		for x := run.X0; x < run.X1; {
			end := x + rapid.Int32Range(1, run.X1-x).Draw(t, "cells")
			d.Segments = append(d.Segments, cuboid.Segment{Run: geometry.Run{X0: x, X1: end, Y: run.Y, Z: run.Z}, Cuboid: rapid.Int32Range(0, int32(ranks)-1).Draw(t, "owner")})
			x = end
		}
	}
	return d
}

// owners are those of all cells.
func owners(d *Domain) (list []int32) {
	for _, s := range d.Segments {
		for range s.X1 - s.X0 {
			list = append(list, s.Cuboid)
		}
	}
	return list
}

// TestStaying compares what stays with a rank, leaves and comes with the owners of all
// cells one by one.
func TestStaying(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate.NoiseGrid([3]int32{7, 4, 3}, 0.7, rapid.Uint64Range(1, 99).Draw(t, "grid"))
		if len(g.Runs) == 0 {
			t.Skip("no cells")
		}
		a, b := drawnDomain(t, g, 2), drawnDomain(t, g, 2)
		if rapid.Bool().Draw(t, "same") {
			// The same owners, cut in other places.
			b = &Domain{Grid: g, Ranks: 2}
			for _, s := range a.Segments {
				for x := s.X0; x < s.X1; x++ {
					s := s
					s.X0, s.X1 = x, x+1
					b.Segments = append(b.Segments, s)
				}
			}
		}
		before, after := owners(a), owners(b)
		if SameOwners(a, b) != slices.Equal(before, after) {
			t.Fatalf("%v and %v: same owners: %v", before, after, SameOwners(a, b))
		}
		for rank := range 2 {
			var layouts [2]*Layout
			for i, d := range []*Domain{a, b} {
				f, err := newFinder(d, rank, reach{}, rapid.Bool().Draw(t, "dense"))
				if err != nil {
					t.Fatal(err)
				}
				f.finish()
				layouts[i] = f.Layout
			}
			rows := staying(layouts[0], layouts[1])
			leaving, err := parts(layouts[0].Ranges(), b)
			if err != nil {
				t.Fatal(err)
			}
			coming, err := parts(layouts[1].Ranges(), a)
			if err != nil {
				t.Fatal(err)
			}
			stays := map[int32]int32{}
			for _, r := range rows {
				for i := range r.Count {
					stays[r.From+i] = r.To + i
				}
			}
			other := int32(1 - rank)
			for cell := range before {
				had, has := int(before[cell]) == rank, int(after[cell]) == rank
				if (ownerOf(leaving, int64(cell)) == other) != (had && !has) || (ownerOf(coming, int64(cell)) == other) != (has && !had) {
					t.Fatalf("cell %d: had %v, has %v: %v, %v", cell, had, has, leaving, coming)
				}
				if had && has {
					from, _ := layouts[0].Local(int64(cell))
					to, _ := layouts[1].Local(int64(cell))
					if stays[from] != to {
						t.Fatalf("cell %d goes from %d to %d instead of %d", cell, from, stays[from], to)
					}
					delete(stays, from)
				}
			}
			if len(stays) > 0 {
				t.Fatal("more cells stay than do", stays)
			}
		}
	})
}
