package arithmetic

import (
	"carina/geometry"
	"carina/solver"
	"carina/solver/expression"
	"carina/solver/stencil"
)

// Parameters of walls: their temperatures and their velocities along themselves.
const (
	Bottom, Top           = "bottom", "top"
	BottomSlide, TopSlide = "bottom slide", "top slide"
)

const (
	// Debt is the value behind the populations in which a cell near a wall keeps the mass
	// that left it through the wall and did not come back.
	Debt = Populations
	// Reach is how many rows populations cross.
	Reach = 3
)

// Through reads, beside what arrives, whether there are cells below and above a cell: 1, 2
// and 3 rows below, and as many above; then the debts of its column: its own, of 1 and 2
// rows above, and of as many below.
func Through(from int) stencil.Access {
	a := Pull(from)
	for _, sign := range []int8{-1, 1} {
		for m := range int8(Reach) {
			a.Reads = append(a.Reads, stencil.Read{Slot: solver.Slot{Offset: geometry.Offset{Y: sign * (m + 1)}}, Present: true})
		}
	}
	for _, y := range [...]int8{0, 1, 2, -1, -2} {
		a.Reads = append(a.Reads, stencil.Read{Slot: solver.Slot{Field: from, Value: Debt, Offset: geometry.Offset{Y: y}, Wall: -1}})
	}
	a.Writes = append(a.Writes, stencil.Write{Slot: solver.Slot{Field: 1 - from, Value: Debt}})
	return a
}

// missing is 1 where there is no cell so many rows towards a wall; sign is −1 for the
// bottom.
func (b builder) missing(sign int8, rows int) expression.Value {
	return b.Subtract(b.Constant(1), b.Input(Populations+rows-1+Reach*int(1+sign)/2))
}

// walls changes what the cells of three rows throw back at walls, which is what leaves
// towards them, to what comes from gas behind the walls. What that has more or less of mass
// is the cell's debt; the debts of a column are paid to the cell at the wall in the next
// step, by gas like its own. Regular are what leaves after regularisation, for what is
// beside equilibrium behind walls would grow with other operators.
func (b builder) walls(now state, regular []expression.Value) {
	// After a step of gravity.
	gx, gy := b.Parameter(GravityX), b.Parameter(GravityY)
	leaving := state{now.rho, b.Add(now.u, gx), b.Add(now.v, gy), now.temperature}
	shear := b.fluxes(now).b
	debts := append(b.wall(-1, Bottom, BottomSlide, leaving, shear, regular), b.wall(1, Top, TopSlide, leaving, shear, regular)...)
	b.Outputs = append(b.Outputs, b.Sum(debts...))
	// Where nothing is owed the factor is 1.
	factor := b.Add(b.Constant(1), b.Divide(b.owed([2]expression.Value{b.missing(-1, 1), b.missing(1, 1)}, Populations+2*Reach), now.rho))
	for i, v := range b.Outputs {
		b.Outputs[i] = b.Multiply(v, factor)
	}
}

// owed is the mass that is paid to a cell at a wall: missing tells whether there is no cell below
// and above, and debts begin with an input.
func (b builder) owed(missing [2]expression.Value, debts int) expression.Value {
	var sums [2]expression.Value
	for i := range sums {
		sums[i] = b.Multiply(missing[i], b.Sum(b.Input(debts), b.Input(debts+1+2*i), b.Input(debts+2+2*i)))
	}
	return b.Add(sums[0], sums[1])
}

// wall changes what is thrown back at one wall, and returns what mass the changes take.
func (b builder) wall(sign int8, temperature, slide string, own state, shear expression.Value, regular []expression.Value) (debts []expression.Value) {
	plain := append([]expression.Value(nil), b.Outputs[:Populations]...)
	here := b.equilibrium(own)
	for rows := 1; rows <= Reach; rows++ {
		gas := b.behind(sign, rows, temperature, slide, own, shear)
		there := b.equilibrium(gas)
		for i, v := range Velocities {
			if int(sign*v.C.Y) != rows {
				continue
			}
			back := Opposite(i)
			comes := b.Add(regular[back], b.Subtract(there[back], here[back]))
			change := b.Multiply(b.missing(sign, rows), b.Subtract(comes, plain[i]))
			b.Outputs[i] = b.Add(plain[i], change)
			debts = append(debts, b.Negative(change))
		}
	}
	return debts
}

// behind is gas so many rows from a cell towards a wall, and behind that: of the pressure
// that gravity makes of the cell's, and of a temperature on the straight line from the
// cell's through the wall's. So are velocities, but nowhere further from the wall's than the
// cell's is, as waves would grow at walls: there the velocity along the wall goes on by what
// the cell's stress says, and that across it stays.
func (b builder) behind(sign int8, rows int, temperature, slide string, own state, shear expression.Value) state {
	gx, gy := b.Parameter(GravityX), b.Parameter(GravityY)
	wall := state{temperature: b.Parameter(temperature), u: b.Add(b.Parameter(slide), b.scaled(0.5, gx)), v: b.scaled(0.5, gy)}
	distance := b.Constant(0.5 + Reach)
	for n := 1; n <= Reach; n++ {
		distance = b.Subtract(distance, b.missing(sign, n))
	}
	ratio := b.Subtract(b.Constant(1), b.Divide(b.Constant(float64(rows)), distance))
	line := func(of, wall, ratio expression.Value) expression.Value {
		return b.Add(wall, b.Multiply(b.Subtract(of, wall), ratio))
	}
	near := b.Maximum(b.Constant(-1), ratio)
	beyond := b.Maximum(b.Constant(0), b.Subtract(b.Constant(float64(rows)), b.scaled(2, distance)))
	pressure := b.Multiply(own.rho, own.temperature)
	// The stress is −τp·∂u/∂y in units of c_s².
	slope := b.Divide(b.Multiply(b.scaled(-float64(sign)/(Spacing*Spacing), shear), b.Parameter(Omega)), pressure)
	warm := line(own.temperature, wall.temperature, ratio)
	weight := b.Divide(b.scaled(float64(rows)*float64(sign), gy), wall.temperature)
	weight = b.Sum(b.Constant(1), weight, b.scaled(0.5, b.Multiply(weight, weight)))
	return state{
		rho: b.Divide(b.Multiply(pressure, weight), warm), temperature: warm,
		u: b.Add(line(own.u, wall.u, near), b.Multiply(slope, beyond)), v: line(own.v, wall.v, near),
	}
}
