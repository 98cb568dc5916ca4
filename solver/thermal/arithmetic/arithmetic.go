package arithmetic

import (
	"carina/geometry"
	"carina/solver"
	"carina/solver/expression"
	"carina/solver/stencil"
)

const (
	// Populations is how many there are.
	Populations = 37
	// Spacing is r of the set: c_s = 1/r.
	Spacing = 1.19697977039307435897
	// Omega is the parameter 1/τ.
	Omega = "omega"
	// GravityX and GravityY are those of the acceleration, in cells a step squared.
	GravityX, GravityY = "gravity x", "gravity y"
)

// Velocity is c of a population and its weight.
type Velocity struct {
	C      geometry.Offset
	Weight float64
}

// Velocities has opposite ones beside each other behind the one at rest; their moments
// are those of a Maxwellian to order nine (Sbragaglia and others 2009).
var Velocities = shells()

func shells() (list []Velocity) {
	list = append(list, Velocity{Weight: .23315066913235250229})
	for _, s := range []struct {
		a, b int8
		w    float64
	}{
		{1, 0, .10730609154221900241}, {1, 1, .05766785988879488203}, {2, 0, .01420821615845075026},
		{2, 1, .00535304900051377523}, {2, 2, .00101193759267357548}, {3, 0, .00024530102775771735},
		{3, 1, .00028341425299419822},
	} {
		for y := -s.a; y <= s.a; y++ {
			for x := -s.a; x <= s.a; x++ {
				// Half of them; the others are opposite.
				if (abs(x) == s.a && abs(y) == s.b || abs(x) == s.b && abs(y) == s.a) && (y > 0 || y == 0 && x > 0) {
					list = append(list, Velocity{geometry.Offset{X: x, Y: y}, s.w}, Velocity{geometry.Offset{X: -x, Y: -y}, s.w})
				}
			}
		}
	}
	return list
}

func abs(x int8) int8 { return max(x, -x) }

// numbers are those of populations by their velocities.
var numbers = func() map[geometry.Offset]int {
	list := map[geometry.Offset]int{}
	for i, v := range Velocities {
		list[v.C] = i
	}
	return list
}()

// quadrant lists the velocities of which neither component is below 0.
func quadrant() (list []Velocity) {
	for _, v := range Velocities {
		if v.C.X >= 0 && v.C.Y >= 0 {
			list = append(list, v)
		}
	}
	return list
}

// Opposite is the population that moves against one.
func Opposite(i int) int {
	if i == 0 {
		return 0
	}
	return (i - 1) ^ 1 + 1
}

// Equilibrium is the Hermite equilibrium of fourth order of a density, a velocity and a
// temperature, values 0, 1, 2 and 3 of field 0, in units of cells and steps.
func Equilibrium() *stencil.Update {
	u := stencil.New("equilibrium")
	var moments [4]expression.Value
	for i := range moments {
		moments[i] = u.Read(solver.Slot{Value: i})
	}
	b := builder{Program: u.Program}
	for i, f := range b.equilibrium(state{moments[0], moments[1], moments[2], moments[3]}) {
		u.Write(solver.Slot{Field: 1, Value: i}, f)
	}
	return u
}

// Pull reads what arrives from one field and lets what leaves stay in the other one.
func Pull(from int) (a stencil.Access) {
	for i, v := range Velocities {
		a.Reads = append(a.Reads, stencil.Read{Slot: solver.Slot{Field: from, Value: i, Offset: geometry.Offset{X: -v.C.X, Y: -v.C.Y}, Wall: Opposite(i)}})
		a.Writes = append(a.Writes, stencil.Write{Slot: solver.Slot{Field: 1 - from, Value: i}})
	}
	return a
}
