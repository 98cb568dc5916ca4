package solver

import (
	"slices"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
)

// CostOf is what a step of a physics is assumed to cost on ranks whose memory moves so many
// bytes a second: what its cells read and write of their states, and the values that its
// phases fetch and return across borders, in the directions in which they do.
func CostOf(p Physics, bandwidth float64, domain *Domain) *balance.Cost {
	c := balance.DefaultCost(balance.Sparse)
	fields, program := p.Fields(), p.Program()
	bytes := 0
	for _, state := range program.State {
		for _, s := range state {
			bytes += fields[s.Field].Kind.Bytes()
		}
	}
	const readAndWritten = 2
	c.Fluid = readAndWritten * float64(bytes) / float64(len(program.State)) / bandwidth
	c.Boundary, c.Opening = c.Fluid, c.Fluid
	unit := 8
	for _, f := range fields {
		unit = min(unit, f.Kind.Bytes())
	}
	c.Directions, c.BytesPerPopulation, c.Reaches = 0, unit, reaches(fields, &program, unit)
	for axis, repeats := range domain.Periodic {
		if repeats {
			c.Period[axis] = domain.Grid.Size[axis]
		}
	}
	return &c
}

// reaches are what crosses in a step, in values of so many bytes, by offsets.
func reaches(fields []Field, program *Program, unit int) (list []cuboid.Reach) {
	units := map[geometry.Offset]int{}
	var order []geometry.Offset
	for _, phases := range program.Steps {
		for i := range phases {
			for _, slots := range [][]Slot{phases[i].Fetch, phases[i].Return} {
				for k := range slots {
					s := &slots[k]
					if s.own() || slices.ContainsFunc(slots, s.within) {
						continue
					}
					if units[s.Offset] == 0 {
						order = append(order, s.Offset)
					}
					units[s.Offset] += fields[s.Field].Kind.Bytes() / unit
				}
			}
		}
	}
	steps := len(program.Steps)
	for _, o := range order {
		list = append(list, cuboid.Reach{Offset: o, Values: (units[o] + steps - 1) / steps})
	}
	return list
}

// within tells whether another slot has the same value, further in the same direction: what
// crosses for that one is all that does.
func (s *Slot) within(other Slot) bool {
	if other.Field != s.Field || other.Value != s.Value {
		return false
	}
	a, b := [3]int{int(s.Offset.X), int(s.Offset.Y), int(s.Offset.Z)}, [3]int{int(other.Offset.X), int(other.Offset.Y), int(other.Offset.Z)}
	length, product := 0, 0
	for i := range a {
		j := (i + 1) % len(a)
		if a[i]*b[j] != a[j]*b[i] {
			return false
		}
		length, product = length+a[i]*a[i], product+a[i]*b[i]
	}
	return product > length
}
