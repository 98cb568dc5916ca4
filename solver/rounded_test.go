package solver_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"carina/geometry"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/transport"
)

// Cubes of cells belong to the rank with most of their cells, the lowest of
// several, and what moves is counted, by one rank alone or by all together.
func TestRounded(t *testing.T) {
	for _, side := range []int32{1, 3, 4, 6, 8} {
		t.Run(fmt.Sprint(side), func(t *testing.T) { roundedTo4(t, side) })
	}
}

func roundedTo4(t *testing.T, side int32) {
	const ranks, unit = 4, 4
	g := &geometry.Grid{Spacing: 1, Size: [3]int32{23, 18, 13}}
	for z := range g.Size[2] {
		for y := range g.Size[1] {
			for x := int32(0); x < g.Size[0]; x += 5 {
				g.Runs = append(g.Runs, geometry.Run{X0: x, X1: min(g.Size[0], x+1+(x+y*z)%4), Y: y, Z: z})
			}
		}
	}
	d := enginetest.Scattered(g, side, ranks, uint64(side), [3]bool{})
	type cell [3]int32
	owner := func(d *solver.Domain) map[cell]int32 {
		list := map[cell]int32{}
		for _, s := range d.Segments {
			for x := s.X0; x < s.X1; x++ {
				list[cell{x, s.Y, s.Z}] = d.Owners[s.Cuboid]
			}
		}
		return list
	}
	before := owner(d)
	counts := map[cell]*[ranks]int{}
	for at, rank := range before {
		cube := cell{at[0] / unit, at[1] / unit, at[2] / unit}
		if counts[cube] == nil {
			counts[cube] = new([ranks]int)
		}
		counts[cube][rank]++
	}
	rounded, moved, err := solver.Rounded(d, unit, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rounded.Pieces(false); err != nil {
		t.Fatal(err)
	}
	want := int64(0)
	after := owner(rounded)
	for at, rank := range before {
		count := counts[cell{at[0] / unit, at[1] / unit, at[2] / unit}]
		most := slices.Index(count[:], slices.Max(count[:]))
		if int(after[at]) != most {
			t.Fatalf("cell %v belongs to rank %d, most of %v to %d", at, after[at], *count, most)
		}
		if int(rank) != most {
			want++
		}
	}
	if moved != want || len(after) != len(before) {
		t.Errorf("%d cells moved, want %d", moved, want)
	}
	// A rank with another unit goes along.
	var all sync.WaitGroup
	for i, tr := range transport.NewLocal(ranks) {
		all.Go(func() {
			together, told, err := solver.Rounded(d, []int32{1, unit}[i%2], tr)
			if err != nil || told != want || !slices.Equal(together.Segments, rounded.Segments) {
				t.Errorf("rank %d: %d cells moved, want %d; %v", i, told, want, err)
			}
			again, told, err := solver.Rounded(together, unit, tr)
			if err != nil || told != 0 || again != together {
				t.Errorf("rank %d rounds again: %d cells moved; %v", i, told, err)
			}
		})
	}
	all.Wait()
}
