// Package streaming says how populations move from cell to cell.
package streaming

import (
	"carina/geometry"
	"carina/solver"
	"carina/solver/lattice"
)

// InPlace lists where what arrives along each population lies when populations
// stream in place (the A-A pattern of Bailey and others 2009), before even and
// before odd steps. Population 0 is at rest and population i > 0 moves along
// directions[i−1], of which opposite ones are neighbours. What arrives along i lies
// before an even step in slot i of the cell, and before an odd one in slot ī of the
// neighbour that it comes from or, where a wall is, in slot i of the cell itself. A step
// leaves what departs along i where what arrived along ī was.
func InPlace(field int, directions []geometry.Offset) (even, odd []solver.Slot) {
	for i := range len(directions) + 1 {
		even = append(even, solver.Slot{Field: field, Value: i})
		slot := solver.Slot{Field: field, Value: lattice.Opposite(i), Wall: i}
		if i > 0 {
			slot.Offset = directions[lattice.Opposite(i)-1]
		}
		odd = append(odd, slot)
	}
	return even, odd
}

// Program is that of populations that stream in place, in one phase a step.
func Program(field int, directions []geometry.Offset) solver.Program {
	even, odd := InPlace(field, directions)
	return solver.Program{
		Steps: [][]solver.Phase{
			{{Name: "even", Fetch: odd}},
			{{Name: "odd", Reads: odd, Return: odd}},
		},
		State: [][]solver.Slot{even, odd},
	}
}
