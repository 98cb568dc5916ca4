package collision

import "carina/solver/expression"

// recursive is recursive regularisation on D3Q19 with memory of its third moments:
// what leaves has the moments of a Gaussian about the velocity whose traceless
// second moments are relaxed and whose trace is set to its equilibrium (Malaspinas
// 2015, "Increasing stability and accuracy of the lattice Boltzmann scheme:
// recursivity and regularization"; Jacob, Malaspinas and Sagaut 2018, J. Turbul.
// 19), but of its third moments a part of what arrived beside the Gaussian's
// remains. Without it the third moments are thrown away in every step, an error of
// Δx⁴/Δt whatever the viscosity, so that smaller steps make slow flow worse. With it,
// flow that cells hardly resolve loses the more, the smaller steps are, by the product of
// the times above half a step for which third moments and the trace last; so the trace
// goes beyond its equilibrium, by the part −TraceKept of what it was beside it.
//
// The fourth moments are those of the Gaussian in slow air. D3Q19 lacks velocities along
// the diagonals of space, and with those of the Gaussian waves oblique to the axes lose or
// gain an amount a step whatever the viscosity; so in fast air they are less by a part of
// the stress across, as the polynomials of the velocities make it. Only the stress: a part
// of the flow's own u u, which regularized takes, too, would be a force where fast flow is
// sheared, whose turbulence had a third more friction in a channel along the axes.
//
// Of the deviations from rest by which populations are shifted, with velocity u,
// the traceless stress P that arrives and k = 1 − 1/τ of it that remains, the
// fourth moments are
//
//	m_xxyy = δρ/9 + (A_xx + A_yy)/3 + A_xx A_yy + 2 k P_xy (A_xy + u_x u_y) − φ k P_zz/6,  A = k P + u u
//
// with φ = 0 for the Gaussian (fourth cumulants are zero) and at most 1,
// and the third are made of sums S = m_xyy + m_xzz and differences D = m_xyy − m_xzz,
// with what is kept of them, k_S and k_D:
//
//	S* = S₀ + k_S (S − S₀) + (k − k_S) R_S,  S₀ = u_x (2/3 + u_y² + u_z²),  R_S = −u_x P_xx + 2 (u_y P_xy + u_z P_xz)
//	D* = D₀ + k_D (D − D₀) + (k − k_D) R_D,  D₀ = u_x (u_y² − u_z²),        R_D = u_x (P_yy − P_zz) + 2 (u_y P_xy − u_z P_xz)
//
// Each cell forgets by its own speed: 1 − k_S and 1 − k_D are a factor times |u|, and
// no less than a least rate. So what is remembered depends on the cell Reynolds number
// and not on the time step.
//
// The relaxation time is limitedTime, or that of Smagorinsky for LargeEddy.
func (b *builder) recursive() {
	m := b.thirdOrder()
	stress, mean := b.tracelessPart(m.second)
	tau := b.limitedTime(stress)
	if b.LargeEddy {
		tau = b.effectiveTime(stress)
	}
	inverse := b.Divide(b.Constant(1), tau)
	keep := b.Subtract(b.Constant(1), inverse)
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
	c.spread = b.Sum(c.second[:3]...)
	c.thirdMoments(&m, stress, inverse)
	c.keepTrace(mean)
	c.fourthMoments()
	c.populations()
}

// moments are those that arrive, in the order of what they share.
type moments struct {
	second [6]expression.Value // by component, as axes lists them
	// sum[x] is m_xyy + m_xzz, difference[x] m_xyy − m_xzz, with y and z the axes
	// after x.
	sum, difference [3]expression.Value
}

// thirdOrder returns the moments that arrive on D3Q19, and makes density and velocity
// of what they are made of.
func (b *builder) thirdOrder() (m moments) {
	pair := map[[3]int]int{}
	for k, c := range b.pairDirection {
		pair[c] = k
	}
	var third [3][3]expression.Value // third[x][y] is m_xyy
	var plane [3]expression.Value    // m_xxyy, at the axis across
	for x := range 3 {
		for y := x + 1; y < 3; y++ {
			c := unit(x)
			c[y] = 1
			along := pair[c]
			c[y] = -1
			across := pair[c]
			third[x][y], third[y][x] = b.Add(b.diff[along], b.diff[across]), b.Subtract(b.diff[along], b.diff[across])
			plane[3-x-y] = b.Add(b.sum[along], b.sum[across])
			m.second[component[x][y]] = b.Subtract(b.sum[along], b.sum[across])
		}
	}
	var axis [3]expression.Value
	for x := range 3 {
		y, z := (x+1)%3, (x+2)%3
		k := pair[unit(x)]
		axis[x] = b.sum[k]
		m.second[x] = b.Add(axis[x], b.Add(plane[y], plane[z]))
		m.sum[x], m.difference[x] = b.Add(third[x][y], third[x][z]), b.Subtract(third[x][y], third[x][z])
		b.u[x] = b.Add(b.diff[k], m.sum[x])
		if b.Force {
			b.u[x] = b.Add(b.u[x], b.Multiply(b.Constant(0.5), b.force[x]))
		}
	}
	b.density = b.Add(b.f[0], b.Add(b.Sum(axis[:]...), b.Sum(plane[:]...)))
	return m
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
func (b *builder) tracelessStress() [6]expression.Value {
	stress, _ := b.tracelessPart(b.secondMoments())
	return stress
}

// tracelessPart is tracelessStress of second moments, and a third of the trace of what
// is not of u u.
func (b *builder) tracelessPart(s [6]expression.Value) (stress [6]expression.Value, mean expression.Value) {
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

// traceless subtracts a third of its trace from the diagonal of a tensor, and returns
// that, too.
func (b *builder) traceless(s [6]expression.Value) ([6]expression.Value, expression.Value) {
	mean := b.Multiply(b.Constant(1./3), b.Sum(s[:3]...))
	for i := range 3 {
		s[i] = b.Subtract(s[i], mean)
	}
	return s, mean
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
