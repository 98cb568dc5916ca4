package collision

import "carina/solver/expression"

// cumulant is the parametrised cumulant operator of Geier, Pasquali and Schönherr
// (2017), "Parametrization of the cumulant lattice Boltzmann method for fourth order
// accurate diffusion. Part I: Derivation and validation", J. Comput. Phys. 348, with
// ω₂ = 1: their equations for third and fourth cumulants, of which those above are
// zero, make waves of shear right to fourth order of the spacing. It is the only
// operator here that works with the density itself. All sums are of deviations from
// air at rest: numbers near one are factors only, so that nothing of small velocities
// is rounded away.
//
// A force moves the distribution as a whole, by the velocity that it adds: cumulants
// that arrive are those about the velocity before it, those that leave about the one
// after it.
func (b *builder) cumulant() {
	m := b.moments27()
	c := cumulants{builder: b, inverse: b.Divide(b.Constant(1), b.Add(b.Constant(1), b.density))}
	for a := range 3 {
		c.before[a] = b.Multiply(b.u[a], c.inverse)
		c.after[a] = c.before[a]
		if b.Force {
			c.after[a] = b.Add(c.before[a], b.Multiply(b.force[a], c.inverse))
		}
	}
	s := m.second
	for i, ab := range axes {
		s[i] = b.Subtract(s[i], b.Multiply(b.u[ab[0]], c.before[ab[1]]))
	}
	c.relaxThird(&m, s)
	stress, _ := b.traceless(s)
	c.relaxSecond(stress)
	b.fromMoments(c.after, c.centralMoments())
}

// cumulants are those of order two to four of what leaves a cell, times the density.
type cumulants struct {
	*builder
	inverse       expression.Value    // one over the density
	before, after [3]expression.Value // the velocity without the force and with it
	// stress is P times the density, ratio P, and variance its diagonal plus 1/3.
	stress, ratio [6]expression.Value
	variance      [3]expression.Value
	// third[x][y] is a quarter of C_xyy, mixed an eighth of C_xyz and fifth[x] one of the
	// moment that (C_xyy + C_xzz)/3 makes.
	third [3][3]expression.Value
	mixed expression.Value
	fifth [3]expression.Value
	// flat[x] is −C_yyzz, and bent[yz] C_xxyz, by component.
	flat [3]expression.Value
	bent [6]expression.Value
}

// relaxSecond relaxes the traceless stress s with ω₁, that of the trace with one, and
// makes the fourth cumulants of s (eq. 43 to 48, without what of them is made of the
// trace, which waves of shear have not): with u the velocity along an axis x,
//
//	P*_xx = (1−ω₁) P_xx + 9/2 ω₁ (1−ω₁/2) (u² P_xx less a third of the sum over the axes)
//	C*_yyzz = −A (1−ω₁/2) P_xx,   C*_xxyz = B (1−ω₁/2) P_yz
//
// where the term of u² makes the viscosity that of air at rest (eq. 33 to 35).
func (c *cumulants) relaxSecond(s [6]expression.Value) {
	one, half := c.Constant(1), c.Constant(0.5)
	omega := c.Parameter(OmegaPlus)
	if c.LargeEddy {
		omega = c.Divide(one, c.effectiveTime(s))
	}
	keep, forced := c.Subtract(one, omega), c.Subtract(one, c.Multiply(half, omega))
	bySquare := c.Multiply(c.Constant(4.5), c.Multiply(omega, forced))
	var moving [3]expression.Value
	for x := range 3 {
		moving[x] = c.Multiply(c.Multiply(c.before[x], c.before[x]), c.Multiply(bySquare, s[x]))
	}
	mean := c.Multiply(c.Constant(1./3), c.Sum(moving[:]...))
	flat, bent := c.Multiply(forced, c.Parameter(FlatFourth)), c.Multiply(forced, c.Parameter(BentFourth))
	for i := range s {
		c.stress[i] = c.Multiply(keep, s[i])
		if i < 3 {
			c.stress[i] = c.Add(c.stress[i], c.Subtract(moving[i], mean))
			c.flat[i] = c.Multiply(flat, s[i])
		} else {
			c.bent[i] = c.Multiply(bent, s[i])
		}
		c.ratio[i] = c.Multiply(c.inverse, c.stress[i])
	}
	for a := range 3 {
		c.variance[a] = c.Add(c.Constant(1./3), c.ratio[a])
	}
}

// centralMoments returns the central moments Σ f (c−u)^(i,j,k) less those at rest,
// halved for every axis in them, at index i+3j+9k: sums of products of cumulants over
// all ways to part their factors into groups of two and more. What is linear in the
// diagonal of P adds up to that of the third axis, or to nothing. Left out are products
// of third and fourth cumulants with others than the variance at rest, which are in
// moments of fifth and sixth order only.
func (c *cumulants) centralMoments() map[int]expression.Value {
	two, third, half, quarter := c.Constant(2), c.Constant(1./3), c.Constant(0.5), c.Constant(0.25)
	m := map[int]expression.Value{0: c.density, momentIndex(0, 1, 2): c.mixed}
	rest := c.Multiply(c.Constant(1./6), c.density)
	ninth, last := c.Multiply(c.Constant(1./9), c.density), c.Multiply(c.Constant(1./27), c.density)
	var products, mixed [3]expression.Value // P_yy P_zz and 2 (1/3 + P_xx) P_yz², times the density
	for x := range 3 {
		y, z := (x+1)%3, (x+2)%3
		yz, xy, xz := component[y][z], component[x][y], component[x][z]
		m[momentIndex(x, x)] = c.Add(rest, c.Multiply(half, c.stress[x]))
		m[momentIndex(y, z)] = c.Multiply(quarter, c.stress[yz])
		m[momentIndex(x, y, y)], m[momentIndex(x, z, z)] = c.third[x][y], c.third[x][z]
		m[momentIndex(x, y, y, z, z)] = c.fifth[x]
		products[x] = c.Multiply(c.stress[y], c.ratio[z])
		square := c.Multiply(two, c.Multiply(c.stress[yz], c.ratio[yz]))
		mixed[x] = c.Multiply(c.variance[x], square)
		linear := c.Subtract(ninth, c.Add(c.Multiply(third, c.stress[x]), c.flat[x]))
		m[momentIndex(y, y, z, z)] = c.Multiply(quarter, c.Add(linear, c.Add(products[x], square)))
		cross := c.Add(c.Multiply(two, c.Multiply(c.stress[xy], c.ratio[xz])), c.bent[yz])
		m[momentIndex(x, x, y, z)] = c.Multiply(c.Constant(0.125), c.Add(c.Multiply(c.variance[x], c.stress[yz]), cross))
	}
	diagonal := c.Add(c.Multiply(third, c.Sum(products[:]...)), c.Multiply(c.ratio[0], products[0]))
	triple := c.Multiply(c.Constant(8), c.Multiply(c.stress[3], c.Multiply(c.ratio[4], c.ratio[5])))
	sixth := c.Add(last, c.Add(c.Add(diagonal, triple), c.Sum(mixed[:]...)))
	m[momentIndex(0, 0, 1, 1, 2, 2)] = c.Multiply(c.Constant(0.125), sixth)
	return m
}

// momentIndex is the index of the moment of so many axes.
func momentIndex(axes ...int) (index int) {
	for _, a := range axes {
		index += [3]int{1, 3, 9}[a]
	}
	return index
}

// fromMoments turns the deviations of central moments, halved for every axis in them,
// into those of populations, one axis after the other. A moment that is not there is
// zero.
func (b *builder) fromMoments(u [3]expression.Value, m map[int]expression.Value) {
	var resting [27]float64
	for i := range resting {
		resting[i] = restingMoment[i%3] * restingMoment[i/3%3] * restingMoment[i/9]
	}
	stride := 1
	for a := range 3 {
		next := map[int]expression.Value{}
		v := b.Multiply(b.Constant(0.5), u[a])
		for base := range 27 {
			if base/stride%3 == 0 {
				b.fromAxis(u[a], v, resting[base], m, next, base, stride)
				second := resting[base+2*stride]
				resting[base] -= 2 * second
				resting[base+stride], resting[base+2*stride] = second, second
			}
		}
		m = next
		stride *= 3
	}
	out := make([]expression.Value, b.Set.Q)
	for i, c := range b.Set.Velocities {
		// Digit 0 is the resting, 1 the positive and 2 the negative velocity.
		digit := func(c int) int { return (c + 3) % 3 }
		out[i] = m[digit(c[0])+3*digit(c[1])+9*digit(c[2])]
	}
	b.Outputs = out
}

// restingMoment are the moments of orders 0 to 2 along an axis at rest, halved.
var restingMoment = [3]float64{1, 0, 1. / 6}

// fromAxis turns the moments of order 0, 1 and 2 along one axis, of the latter two the
// halves, into the parts that rest and move up and down it, with v = u/2:
//
//	rest = m0 − 2 S,  up, down = S ± D,  D = m1 + v m0,  S = m2 + u (m1 + D),
//
// all but the factors of u less their values at rest, of which m0 has the given one.
func (b *builder) fromAxis(u, v expression.Value, resting float64, m, next map[int]expression.Value, base, stride int) {
	m0, has0 := m[base]
	m1, has1 := m[base+stride]
	m2, has2 := m[base+2*stride]
	difference, twice := m1, m1 // D and m1 + D
	if has0 {
		whole := m0
		if resting > 0 {
			whole = b.Add(b.Constant(resting), m0)
		}
		difference = b.Multiply(v, whole)
		twice = difference
	}
	if has1 {
		if has0 {
			difference = b.Add(m1, difference)
		}
		twice = b.Add(m1, difference)
	}
	sum := b.Multiply(u, twice)
	if has2 {
		sum = b.Add(m2, sum)
	}
	next[base] = b.Negative(b.Add(sum, sum))
	if has0 {
		next[base] = b.Subtract(m0, b.Add(sum, sum))
	}
	next[base+stride], next[base+2*stride] = b.Add(sum, difference), b.Subtract(sum, difference)
}
