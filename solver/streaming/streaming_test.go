package streaming

import (
	"testing"

	"carina/geometry"
	"carina/solver"
	"carina/solver/lattice"
)

// What is left in a cell along i arrives one step later in the cell that i leads
// to or, where there is a wall, comes back along ī; two steps of every cycle and
// with walls, in a box that is periodic.
func TestInPlaceStreams(t *testing.T) {
	const side = 4
	type cell = [3]int
	solid := map[cell]bool{{1, 2, 3}: true, {0, 0, 0}: true, {1, 1, 3}: true}
	var cells []cell
	for n := range side * side * side {
		if c := (cell{n % side, n / side % side, n / side / side}); !solid[c] {
			cells = append(cells, c)
		}
	}
	shifted := func(c cell, o geometry.Offset, sign int) cell {
		return cell{(c[0] + sign*int(o.X) + side) % side, (c[1] + sign*int(o.Y) + side) % side, (c[2] + sign*int(o.Z) + side) % side}
	}
	for _, count := range []int{6, 18, 26} {
		directions := geometry.Directions[:count]
		program := Program(0, directions)
		memory := map[cell][]int{}
		now := map[cell][]int{} // what arrives, by definition
		for n, c := range cells {
			memory[c], now[c] = make([]int, count+1), make([]int, count+1)
			for i := range memory[c] {
				memory[c][i] = n*(count+1) + i
				now[c][i] = memory[c][i]
			}
		}
		at := func(c cell, s solver.Slot) *int {
			if other := shifted(c, s.Offset, 1); !solid[other] {
				return &memory[other][s.Value]
			}
			return &memory[c][s.Wall]
		}
		for step := range 4 {
			slots := program.State[step%2]
			next := map[cell][]int{}
			for _, c := range cells {
				next[c] = make([]int, count+1)
			}
			for _, c := range cells {
				leaving := make([]int, count+1)
				for i, s := range slots {
					if leaving[i] = *at(c, s); leaving[i] != now[c][i] {
						t.Fatalf("%d directions, step %d: %d arrives at %v along %d, want %d", count, step, leaving[i], c, i, now[c][i])
					}
				}
				next[c][0] = leaving[0]
				for i := 1; i <= count; i++ {
					if to := shifted(c, directions[i-1], 1); solid[to] {
						next[c][lattice.Opposite(i)] = leaving[i]
					} else {
						next[to][i] = leaving[i]
					}
				}
				for i := range slots {
					*at(c, slots[lattice.Opposite(i)]) = leaving[i]
				}
			}
			now = next
		}
	}
}

// What an odd step reads of neighbours has been fetched before, and what it leaves
// there goes back.
func TestProgramFetchesAndReturns(t *testing.T) {
	p := Program(3, geometry.Directions[:18])
	even, odd := p.Steps[0][0], p.Steps[1][0]
	if len(even.Fetch) != 19 || len(odd.Reads) != 19 || len(odd.Return) != 19 || len(even.Reads)+len(even.Return)+len(odd.Fetch) != 0 {
		t.Errorf("even %+v, odd %+v", even, odd)
	}
	for i, s := range p.State[1] {
		if s != even.Fetch[i] || s != odd.Reads[i] || s != odd.Return[i] || s.Field != 3 {
			t.Errorf("slot %d: %+v", i, s)
		}
	}
}
