package collision

import "carina/solver/expression"

// recursive is recursive regularisation on D3Q19: what leaves has the moments
// of a Gaussian whose second moments alone remember what arrived (Malaspinas
// 2015, "Increasing stability and accuracy of the lattice Boltzmann scheme:
// recursivity and regularization"; Jacob, Malaspinas and Sagaut 2018, J. Turbul.
// 19). Of these, the traceless part is relaxed and the trace set to its
// equilibrium; third and fourth moments follow from them (third central
// moments and fourth cumulants are zero). With velocity u and relaxed stress P
// they are, in the deviations from rest by which populations are shifted,
//
//	m_xyy  = u_x (1/3 + A_yy) + 2 u_y P_xy,   A = P + u u
//	m_xxyy = δρ/9 + (A_xx + A_yy)/3 + A_xx A_yy + 2 P_xy (A_xy + u_x u_y)
//
// The relaxation time is limitedTime, or that of Smagorinsky for LargeEddy.
func (b *builder) recursive() {
	stress := b.tracelessStress()
	tau := b.limitedTime(stress)
	if b.LargeEddy {
		tau = b.effectiveTime(stress)
	}
	one := b.Constant(1)
	keep := b.Subtract(one, b.Divide(one, tau))
	c := closure{builder: b, u: b.u}
	if b.Force {
		// The momentum after the collision has the other half of the force too.
		for a := range 3 {
			c.u[a] = b.Add(b.u[a], b.Multiply(b.Constant(0.5), b.force[a]))
		}
	}
	c.ratio = b.unscaled(c.u)
	for i, ab := range axes {
		c.stress[i] = b.Multiply(keep, stress[i])
		c.second[i] = b.Add(c.stress[i], b.Multiply(c.u[ab[0]], c.ratio[ab[1]]))
	}
	c.populations()
}

// unscaled divides values by the scale of the populations.
func (b *builder) unscaled(v [3]expression.Value) [3]expression.Value {
	for a := range 3 {
		v[a] = b.unscale(v[a])
	}
	return v
}

func (b *builder) unscale(v expression.Value) expression.Value {
	if b.square == 1 {
		return v
	}
	return b.Multiply(b.Constant(b.square), v)
}

// tracelessStress is the part of the second moments that is out of equilibrium
// and without trace; what a force adds to them, −½(u_a F_b + F_a u_b), is not
// part of it.
func (b *builder) tracelessStress() (s [6]expression.Value) {
	s = b.secondMoments()
	ratio := b.unscaled(b.u)
	for i, ab := range axes {
		s[i] = b.Subtract(s[i], b.Multiply(b.u[ab[0]], ratio[ab[1]]))
		if b.Force {
			s[i] = b.Add(s[i], b.Multiply(b.Constant(0.5),
				b.Add(b.Multiply(b.u[ab[0]], b.unscaledForce[ab[1]]), b.Multiply(b.unscaledForce[ab[0]], b.u[ab[1]]))))
		}
	}
	return b.traceless(s)
}

// traceless subtracts a third of its trace from the diagonal of a tensor.
func (b *builder) traceless(s [6]expression.Value) [6]expression.Value {
	mean := b.Multiply(b.Constant(1./3), b.Sum(s[:3]...))
	for i := range 3 {
		s[i] = b.Subtract(s[i], mean)
	}
	return s
}

// limitedTime is the relaxation time of the viscosity max(ν, C²|S|): it is
// that of the fluid where the flow is resolved, |S|Δx²/ν < 1/C², to the last
// bit, and grows with the strain rate beyond. |S| = √(2 S:S) is that of the
// stress, 3|Π|/(√2 τ) with τ near ½, where alone the limit matters:
//
//	τ = max(τ₀, ½ + 9√2 C² |Π|)
func (b *builder) limitedTime(stress [6]expression.Value) expression.Value {
	eddy := b.Multiply(b.unscale(b.Parameter(LimiterFactor)), b.norm(stress))
	return b.Maximum(b.Add(b.Constant(0.5), eddy), b.Parameter(RelaxationTime))
}

// closure makes populations of velocity and stress. All but ratio, which is the
// velocity, are multiplied by the scale of the populations.
type closure struct {
	*builder
	u, ratio       [3]expression.Value
	stress, second [6]expression.Value // P and A
	// third[x][y] is m_xyy, fourth[x][y] m_xxyy, a quarter of each.
	third, fourth [3][3]expression.Value
}

// component is the index in axes of the component of a symmetric tensor.
var component = [3][3]int{{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}

func (c *closure) populations() {
	c.higherMoments()
	out := make([]expression.Value, c.Set.Q)
	quarter := func(v expression.Value) expression.Value { return c.Multiply(c.Constant(0.25), v) }
	half, two := c.Constant(0.5), c.Constant(2)
	out[0] = c.Subtract(c.Multiply(c.Constant(4), c.Sum(c.fourth[0][1], c.fourth[0][2], c.fourth[1][2])), c.Sum(c.second[:3]...))
	third := c.Multiply(c.Constant(1./3), c.density)
	for x := range 3 {
		y, z := (x+1)%3, (x+2)%3
		even := c.Subtract(c.Multiply(half, c.Add(third, c.second[x])), c.Multiply(two, c.Add(c.fourth[x][y], c.fourth[x][z])))
		odd := c.Subtract(c.Multiply(half, c.u[x]), c.Multiply(two, c.Add(c.third[x][y], c.third[x][z])))
		c.leave(out, unit(x), even, odd)
	}
	for x := range 3 {
		for y := x + 1; y < 3; y++ {
			mixed := quarter(c.second[component[x][y]])
			along, across := unit(x), unit(x)
			along[y], across[y] = 1, -1
			c.leave(out, along, c.Add(c.fourth[x][y], mixed), c.Add(c.third[x][y], c.third[y][x]))
			c.leave(out, across, c.Subtract(c.fourth[x][y], mixed), c.Subtract(c.third[x][y], c.third[y][x]))
		}
	}
	c.Outputs = out
}

// higherMoments are the third and fourth moments, a quarter of each.
func (c *closure) higherMoments() {
	quarter, half := c.Constant(0.25), c.Constant(0.5)
	ninth := c.Multiply(c.Constant(1./36), c.density)
	for x := range 3 {
		for y := range 3 {
			if x == y {
				continue
			}
			mixed := component[x][y]
			spread := c.Multiply(quarter, c.Add(c.Constant(1./3), c.unscale(c.second[y])))
			twice := c.Multiply(half, c.stress[mixed])
			c.third[x][y] = c.Add(c.Multiply(c.u[x], spread), c.Multiply(c.ratio[y], twice))
			if x > y {
				continue
			}
			v := c.Add(ninth, c.Multiply(c.Constant(1./12), c.second[y]))
			v = c.Add(v, c.Multiply(c.second[x], spread))
			cross := c.Add(c.second[mixed], c.Multiply(c.u[x], c.ratio[y]))
			v = c.Add(v, c.Multiply(twice, c.unscale(cross)))
			c.fourth[x][y], c.fourth[y][x] = v, v
		}
	}
}

// unit is the velocity of one cell per step along an axis.
func unit(x int) (v [3]int) {
	v[x] = 1
	return v
}

// leave sets the populations along a velocity and against it, given the parts
// that are even and odd in it.
func (c *closure) leave(out []expression.Value, velocity [3]int, even, odd expression.Value) {
	for i, v := range c.Set.Velocities {
		switch v {
		case velocity:
			out[i] = c.Add(even, odd)
		case [3]int{-velocity[0], -velocity[1], -velocity[2]}:
			out[i] = c.Subtract(even, odd)
		}
	}
}
