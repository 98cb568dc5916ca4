package arithmetic

import (
	"carina/geometry"
	"carina/solver"
	"carina/solver/expression"
	"carina/solver/stencil"
)

// Parameters of walls: their temperatures.
const (
	Bottom = "bottom"
	Top    = "top"
)

// reach is how many rows populations cross.
const reach = 3

// Through reads, beside what arrives, whether there are cells below and above a cell: 1, 2
// and 3 rows below, and as many above.
func Through(from int) stencil.Access {
	a := Pull(from)
	for _, sign := range []int8{-1, 1} {
		for m := range int8(reach) {
			a.Reads = append(a.Reads, stencil.Read{Slot: solver.Slot{Offset: geometry.Offset{Y: sign * (m + 1)}}, Present: true})
		}
	}
	return a
}

// polynomial has the coefficients of 1, θ and θ².
type polynomial [3]float64

// still is the equilibrium at rest as a polynomial of θ, for density 1.
func still(v Velocity) polynomial {
	q := v.squared()
	return polynomial{v.Weight, v.Weight * (q - 2) / 2, v.Weight * (q*q - 8*q + 8) / 8}
}

// squared is ξ².
func (v Velocity) squared() float64 {
	return Spacing * Spacing * float64(v.C.X*v.C.X+v.C.Y*v.C.Y)
}

func (b builder) valued(c polynomial, x, x2 expression.Value) expression.Value {
	return b.Sum(b.Constant(c[0]), b.scaled(c[1], x), b.scaled(c[2], x2))
}

// wall changes what a wall on one side throws back, which is what leaves towards it, to
// what comes from gas that mirrors the cell's: as much mass, against the velocity, as far
// behind the temperature of the wall, with the same flux of heat across it. sign is −1 for
// the bottom.
func (b builder) wall(sign int8, temperature string, now state, flux expression.Value) {
	theta := b.theta(now)
	wall := b.theta(state{temperature: b.Parameter(temperature)})
	mirrored := b.Subtract(b.scaled(2, wall), theta)
	own, squared := b.Multiply(theta, theta), b.Multiply(mirrored, mirrored)
	var sums [reach]polynomial
	var heat [reach]float64
	for _, v := range Velocities {
		if m := int(sign*v.C.Y) - 1; m >= 0 {
			for k, c := range still(v) {
				sums[m][k] += c
			}
			heat[m] += heatTurned(v)
		}
	}
	left := func(c polynomial, turned float64) expression.Value {
		return b.Add(b.Multiply(now.rho, b.valued(c, theta, own)), b.scaled(turned, flux))
	}
	var missing, lost, come [reach]expression.Value
	for m := range reach {
		missing[m] = b.Subtract(b.Constant(1), b.Input(Populations+m+reach*int(1+sign)/2))
		lost[m] = b.Multiply(missing[m], left(sums[m], heat[m]))
		come[m] = b.Multiply(missing[m], b.valued(sums[m], mirrored, squared))
	}
	// Where nothing is missing, nothing is divided by 1.
	density := b.Divide(b.Sum(lost[:]...), b.Add(b.Sum(come[:]...), b.Subtract(b.Constant(1), missing[reach-1])))
	for i, v := range Velocities {
		if m := int(sign*v.C.Y) - 1; m >= 0 {
			change := b.Subtract(b.Multiply(density, b.valued(still(v), mirrored, squared)), left(still(v), heatTurned(v)))
			b.Outputs[i] = b.Add(b.Outputs[i], b.Multiply(missing[m], change))
		}
	}
}

// heatTurned is twice what the flux of heat across a wall, h, is in a population.
func heatTurned(v Velocity) float64 {
	return 2 * v.Weight * Spacing * float64(v.C.Y) * (v.squared() - 4)
}
