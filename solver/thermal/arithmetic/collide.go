package arithmetic

import (
	"carina/solver/expression"
	"carina/solver/stencil"
)

// Collision is an operator.
type Collision uint8

// The operators: relaxation of every population (Bhatnagar, Gross and Krook 1954), and of
// stress and flux of heat alone, from which all else follows (recursive regularisation;
// Malaspinas 2015, Coreixas and others 2017).
const (
	BGK Collision = iota
	Regularized
)

// Collisions are all of them.
var Collisions = []Collision{BGK, Regularized}

// Updates are those that kernels are generated of.
func Updates() (list []*stencil.Update) {
	for _, c := range Collisions {
		list = append(list, c.Update(false), c.Update(true))
	}
	return append(list, Equilibrium(), Totals(false), Totals(true))
}

// Update is the operator, between walls or not: inputs are what arrives, outputs what
// leaves.
func (c Collision) Update(walls bool) *stencil.Update {
	b := builder{Program: expression.New()}
	u := &stencil.Update{Program: b.Program, Name: "collide", Access: Pull(0)}
	now, goal := b.arriving()
	if c == BGK {
		b.bgk(goal)
	} else {
		u.Name = "regularize"
		b.regularize(now, goal)
	}
	if walls {
		u.Name, u.Access = u.Name+"Walls", Through(0)
		plain := b.Outputs
		b.regularize(now, goal)
		regular := b.Outputs
		b.Outputs = plain
		b.walls(now, regular)
	}
	return u
}

// builder writes an operator.
type builder struct{ *expression.Program }

func (b builder) scaled(a float64, v expression.Value) expression.Value {
	return b.Multiply(b.Constant(a), v)
}

// moment is the sum of m(c)·f over what arrives, for an m that is odd in c, or even and 0
// at rest.
func (b builder) moment(odd bool, m func(x, y float64) float64) expression.Value {
	var terms []expression.Value
	for i := 1; i < Populations; i += 2 {
		factor := m(float64(Velocities[i].C.X), float64(Velocities[i].C.Y))
		pair := b.Add(b.Input(i), b.Input(i+1))
		if odd {
			pair = b.Subtract(b.Input(i), b.Input(i+1))
		}
		if factor != 0 {
			terms = append(terms, b.scaled(factor, pair))
		}
	}
	return b.Sum(terms...)
}

// state is density, velocity and temperature.
type state struct{ rho, u, v, temperature expression.Value }

// arriving is the state of what arrives, and the one towards which it relaxes so that
// momentum grows by the force and energy by its work: velocity + τg, temperature +
// τ(1−τ)g²/2.
func (b builder) arriving() (now, goal state) {
	var all []expression.Value
	for i := range Populations {
		all = append(all, b.Input(i))
	}
	rho := b.Sum(all...)
	one := b.Divide(b.Constant(1), rho)
	u := b.Multiply(b.moment(true, func(x, _ float64) float64 { return x }), one)
	v := b.Multiply(b.moment(true, func(_, y float64) float64 { return y }), one)
	energy := b.moment(false, func(x, y float64) float64 { return x*x + y*y })
	temperature := b.scaled(0.5, b.Subtract(b.Multiply(energy, one), b.Add(b.Multiply(u, u), b.Multiply(v, v))))
	tau := b.Divide(b.Constant(1), b.Parameter(Omega))
	gx, gy := b.Parameter(GravityX), b.Parameter(GravityY)
	half := b.scaled(0.5, b.Multiply(tau, b.Subtract(b.Constant(1), tau)))
	heat := b.Multiply(half, b.Add(b.Multiply(gx, gx), b.Multiply(gy, gy)))
	return state{rho, u, v, temperature}, state{rho, b.Add(u, b.Multiply(tau, gx)), b.Add(v, b.Multiply(tau, gy)), b.Add(temperature, heat)}
}

// bgk relaxes all populations alike.
func (b builder) bgk(goal state) {
	omega := b.Parameter(Omega)
	for i, e := range equilibrium(b.Program, b.Multiply(omega, goal.rho), goal.u, goal.v, goal.temperature) {
		b.Outputs = append(b.Outputs, b.Add(b.Multiply(b.Subtract(b.Constant(1), omega), b.Input(i)), e))
	}
}
