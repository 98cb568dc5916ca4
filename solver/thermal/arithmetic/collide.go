package arithmetic

import (
	"slices"

	"carina/geometry"
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
	b := builder{Program: expression.New(), staged: !walls}
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
type builder struct {
	*expression.Program
	staged bool
}

// cut begins a stage where there are stages.
func (b builder) cut() {
	if b.staged {
		b.Cut()
	}
}

func (b builder) scaled(a float64, v expression.Value) expression.Value {
	return b.Multiply(b.Constant(a), v)
}

// parity tells whether what depends on a velocity changes its sign with that of x and of y.
type parity struct{ x, y bool }

// mirrored adds what arrives with the velocities (±x, ±y) of a quadrant's one, each with the
// sign that a parity gives it; 0 where they cancel.
func (b builder) mirrored(v Velocity, p parity) expression.Value {
	if p.x && v.C.X == 0 || p.y && v.C.Y == 0 {
		return b.Constant(0)
	}
	pair := func(x int8) expression.Value {
		i := numbers[geometry.Offset{X: x, Y: v.C.Y}]
		switch o := Opposite(i); {
		case i == o:
			return b.Input(i)
		case p.x != p.y:
			return b.Subtract(b.Input(i), b.Input(o))
		default:
			return b.Add(b.Input(i), b.Input(o))
		}
	}
	switch {
	case v.C.X == 0 || v.C.Y == 0:
		return pair(v.C.X)
	case p.x:
		return b.Subtract(pair(v.C.X), pair(-v.C.X))
	default:
		return b.Add(pair(v.C.X), pair(-v.C.X))
	}
}

// moment is the sum of m(c)·f over what arrives, for an m of a parity. What has equal
// factors is added first.
func (b builder) moment(p parity, m func(x, y float64) float64) expression.Value {
	var terms []expression.Value
	for _, s := range b.alike(p, m) {
		terms = append(terms, b.scaled(s.factor, s.sum))
	}
	return b.Sum(terms...)
}

// alike is what arrives with one factor.
type alike struct {
	factor float64
	sum    expression.Value
}

func (b builder) alike(p parity, m func(x, y float64) float64) (list []alike) {
	for _, v := range quadrant() {
		value, factor := b.mirrored(v, p), m(float64(v.C.X), float64(v.C.Y))
		if factor == 0 || value == b.Constant(0) {
			continue
		}
		i := slices.IndexFunc(list, func(a alike) bool { return a.factor == factor })
		if i < 0 {
			list = append(list, alike{factor, value})
		} else {
			list[i].sum = b.Add(list[i].sum, value)
		}
	}
	return list
}

// state is density, velocity and temperature.
type state struct{ rho, u, v, temperature expression.Value }

// moments are sums of what arrives with factors: 1, x, y, x²+y², x²−y², xy, x(x²+y²) and
// y(x²+y²).
type moments struct{ mass, x, y, square, difference, product, heatX, heatY expression.Value }

// moments of them that are never used cost nothing.
func (b builder) moments() moments {
	square := func(x, y float64) float64 { return x*x + y*y }
	all := []expression.Value{b.Input(0)}
	for _, shell := range b.alike(parity{}, square) {
		all = append(all, shell.sum)
	}
	return moments{
		mass:       b.Sum(all...),
		x:          b.moment(parity{x: true}, func(x, _ float64) float64 { return x }),
		y:          b.moment(parity{y: true}, func(_, y float64) float64 { return y }),
		square:     b.moment(parity{}, square),
		difference: b.moment(parity{}, func(x, y float64) float64 { return x*x - y*y }),
		product:    b.moment(parity{true, true}, func(x, y float64) float64 { return x * y }),
		heatX:      b.moment(parity{x: true}, func(x, y float64) float64 { return x * (x*x + y*y) }),
		heatY:      b.moment(parity{y: true}, func(x, y float64) float64 { return y * (x*x + y*y) }),
	}
}

// arriving is the state of what arrives, and the one towards which it relaxes so that
// momentum grows by the force and energy by its work: velocity + τg, temperature +
// τ(1−τ)g²/2.
func (b builder) arriving() (now, goal state) {
	m := b.moments()
	b.cut()
	one := b.Divide(b.Constant(1), m.mass)
	u, v := b.Multiply(m.x, one), b.Multiply(m.y, one)
	temperature := b.scaled(0.5, b.Subtract(b.Multiply(m.square, one), b.Add(b.Multiply(u, u), b.Multiply(v, v))))
	tau := b.Divide(b.Constant(1), b.Parameter(Omega))
	gx, gy := b.Parameter(GravityX), b.Parameter(GravityY)
	half := b.scaled(0.5, b.Multiply(tau, b.Subtract(b.Constant(1), tau)))
	heat := b.Multiply(half, b.Add(b.Multiply(gx, gx), b.Multiply(gy, gy)))
	return state{m.mass, u, v, temperature}, state{m.mass, b.Add(u, b.Multiply(tau, gx)), b.Add(v, b.Multiply(tau, gy)), b.Add(temperature, heat)}
}

// bgk relaxes all populations alike.
func (b builder) bgk(goal state) {
	omega := b.Parameter(Omega)
	goal.rho = b.Multiply(omega, goal.rho)
	c, rest := b.maxwellian(goal), b.Subtract(b.Constant(1), omega)
	b.Outputs = b.populations(&c, func(i int, e expression.Value) expression.Value { return b.Add(b.Multiply(rest, b.Input(i)), e) })
}
