package arithmetic

import (
	"carina/geometry"
	"carina/solver/expression"
)

// order is that of the Hermite polynomials.
const order = 4

// coefficients are those of the products of Hermite polynomials in x and in y: [i][j] of
// i-th and j-th degree, of which i+j is at most the order.
type coefficients [order + 1][order + 1]expression.Value

// equilibrium is the Maxwellian of a state, cut at the fourth order.
func (b builder) equilibrium(s state) []expression.Value {
	c := b.maxwellian(s)
	return b.populations(&c, alone)
}

// maxwellian are the coefficients of an equilibrium.
func (b builder) maxwellian(s state) (c coefficients) {
	theta := b.theta(s)
	var along [2][order + 1]expression.Value
	for axis, velocity := range []expression.Value{s.u, s.v} {
		x := b.scaled(Spacing, velocity)
		x2 := b.Multiply(x, x)
		along[axis] = [...]expression.Value{
			b.Constant(1), x, b.scaled(0.5, b.Add(x2, theta)), b.scaled(1./6, b.Multiply(x, b.Add(x2, b.scaled(3, theta)))),
			b.scaled(1./24, b.Add(b.Multiply(x2, b.Add(x2, b.scaled(6, theta))), b.scaled(3, b.Multiply(theta, theta)))),
		}
	}
	for i := range along[0] {
		along[0][i] = b.Multiply(s.rho, along[0][i])
	}
	for i := range c {
		for j := range order + 1 - i {
			c[i][j] = b.Multiply(along[0][i], along[1][j])
		}
	}
	return c
}

func (b builder) theta(s state) expression.Value {
	return b.Subtract(b.scaled(Spacing*Spacing, s.temperature), b.Constant(1))
}

// hermite is the polynomial of a degree.
func hermite(degree int, x float64) float64 {
	before, now := 0.0, 1.0
	for n := range degree {
		before, now = now, x*now-float64(n)*before
	}
	return now
}

// alone is a population without anything beside its equilibrium.
func alone(_ int, e expression.Value) expression.Value { return e }

// populations are those that have the coefficients, each with what goes with it: of up to four
// that mirror each other, parts that are even and odd in x and in y. Every shell is a stage.
func (b builder) populations(c *coefficients, with func(i int, e expression.Value) expression.Value) []expression.Value {
	out, shell := make([]expression.Value, Populations), 0.0
	for _, v := range quadrant() {
		if v.Weight != shell {
			b.cut()
			shell = v.Weight
		}
		even := [2]expression.Value{b.even(c, v), b.across(c, v, true)}
		odd := [2]expression.Value{b.across(c, v, false), b.odd(c, v)}
		for sign := range 4 {
			to := geometry.Offset{X: v.C.X * int8(1-2*(sign&1)), Y: v.C.Y * int8(1-sign&2)}
			side := [2]expression.Value{}
			for k := range side {
				if side[k] = b.Add(even[k], odd[k]); sign&1 > 0 {
					side[k] = b.Subtract(even[k], odd[k])
				}
			}
			sum := b.Add(side[0], side[1])
			if sign&2 > 0 {
				sum = b.Subtract(side[0], side[1])
			}
			out[numbers[to]] = with(numbers[to], sum)
		}
	}
	return out
}

// even is the part that is even in x and y.
func (b builder) even(c *coefficients, v Velocity) expression.Value {
	x, y := larger(v)
	alike, apart := hermite(2, x)+hermite(2, y), hermite(2, x)-hermite(2, y)
	alike4, apart4 := hermite(4, x)+hermite(4, y), hermite(4, x)-hermite(4, y)
	sum := b.Sum(b.scaled(v.Weight, c[0][0]), b.scaled(v.Weight/2*alike, b.Add(c[2][0], c[0][2])),
		b.scaled(v.Weight/2*alike4, b.Add(c[4][0], c[0][4])), b.scaled(v.Weight*hermite(2, x)*hermite(2, y), c[2][2]))
	difference := b.Add(b.scaled(v.Weight/2*apart, b.Subtract(c[2][0], c[0][2])), b.scaled(v.Weight/2*apart4, b.Subtract(c[4][0], c[0][4])))
	return b.exchanged(v, sum, difference)
}

// odd is the part that is odd in x and y.
func (b builder) odd(c *coefficients, v Velocity) expression.Value {
	x, y := larger(v)
	if y == 0 {
		return b.Constant(0)
	}
	alike, apart := hermite(3, x)*y+x*hermite(3, y), hermite(3, x)*y-x*hermite(3, y)
	sum := b.Add(b.scaled(v.Weight*x*y, c[1][1]), b.scaled(v.Weight/2*alike, b.Add(c[3][1], c[1][3])))
	return b.exchanged(v, sum, b.scaled(v.Weight/2*apart, b.Subtract(c[3][1], c[1][3])))
}

// across is the part that is odd in x alone or, if upwards, in y alone.
func (b builder) across(c *coefficients, v Velocity, upwards bool) expression.Value {
	x, y := Spacing*float64(v.C.X), Spacing*float64(v.C.Y)
	first, third, mixed := c[1][0], c[3][0], c[1][2]
	if upwards {
		x, y = y, x
		first, third, mixed = c[0][1], c[0][3], c[2][1]
	}
	if x == 0 {
		return b.Constant(0)
	}
	return b.Add(b.scaled(v.Weight, b.Add(b.scaled(x, first), b.scaled(hermite(3, x), third))), b.scaled(v.Weight*x*hermite(2, y), mixed))
}

// larger are the components of a velocity in units of c_s, the larger one first: what does
// not change where they are exchanged is computed once for both velocities.
func larger(v Velocity) (x, y float64) {
	return Spacing * float64(max(v.C.X, v.C.Y)), Spacing * float64(min(v.C.X, v.C.Y))
}

// exchanged adds what changes its sign where the components of a velocity are exchanged.
func (b builder) exchanged(v Velocity, sum, difference expression.Value) expression.Value {
	switch {
	case v.C.X > v.C.Y:
		return b.Add(sum, difference)
	case v.C.X < v.C.Y:
		return b.Subtract(sum, difference)
	}
	return sum
}
