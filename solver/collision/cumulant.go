package collision

import "carina/solver/expression"

// cumulant relaxes the second cumulants and sets all higher ones to zero, what
// they are in equilibrium: the operator of Geier, Schönherr, Pasquali and
// Krafczyk (2015) with all rates above second order equal to one. It is stable
// far beyond TRT and BGK. What leaves is then the distribution on D3Q27 that
// has the moments of a Gaussian of the cell's velocity and relaxed covariance.
// It is the only operator here that works with the density itself.
func (b *builder) cumulant() {
	one, half := b.Constant(1), b.Constant(0.5)
	density := b.Add(one, b.density)
	inverse := b.Divide(one, density)
	var u [3]expression.Value
	for a := range 3 {
		u[a] = b.Multiply(b.u[a], inverse) // b.u is the momentum, half the force included
	}
	// The covariance: second moments over the density, less u_a u_b. The
	// shifted populations lack Σ w c_a c_b = δ_ab/3.
	s := b.secondMoments()
	for i, ab := range axes {
		if ab[0] == ab[1] {
			s[i] = b.Add(s[i], b.Constant(1./3))
		}
		s[i] = b.Subtract(b.Multiply(s[i], inverse), b.Multiply(u[ab[0]], u[ab[1]]))
		if b.Force {
			// The momentum of the moments lacks half the force.
			s[i] = b.Add(s[i], b.Multiply(b.Multiply(half, inverse),
				b.Add(b.Multiply(u[ab[0]], b.force[ab[1]]), b.Multiply(b.force[ab[0]], u[ab[1]]))))
		}
	}
	s = b.relaxCovariance(s)
	// The half of the force that the momentum after the collision lacks.
	var first [3]expression.Value
	for a := range 3 {
		if b.Force {
			first[a] = b.Multiply(half, b.force[a])
		}
	}
	b.fromMoments(density, u, first, b.centralMoments(density, s))
}

// relaxCovariance relaxes the traceless part with ω and the trace with one.
func (b *builder) relaxCovariance(s [6]expression.Value) [6]expression.Value {
	third := b.Constant(1. / 3)
	trace := b.Multiply(third, b.Sum(s[:3]...))
	for i := range 3 {
		s[i] = b.Subtract(s[i], trace)
	}
	omega := b.Parameter(OmegaPlus)
	if b.LargeEddy {
		omega = b.Divide(b.Constant(1), b.effectiveTime(s))
	}
	keep := b.Subtract(b.Constant(1), omega)
	for i, ab := range axes {
		s[i] = b.Multiply(keep, s[i])
		if ab[0] == ab[1] {
			s[i] = b.Add(third, s[i])
		}
	}
	return s
}

// centralMoments returns the central moments Σ f (c−u)^(i,j,k) of a Gaussian,
// at index i+3j+9k, by Isserlis' theorem; those of odd order are zero.
func (b *builder) centralMoments(density expression.Value, s [6]expression.Value) map[int]expression.Value {
	index := func(i, j, k int) int { return i + 3*j + 9*k }
	xx, yy, zz, xy, xz, yz := s[0], s[1], s[2], s[3], s[4], s[5]
	two, eight := b.Constant(2), b.Constant(8)
	// ⟨aa bb⟩ and ⟨aa bc⟩
	squares := func(aa, bb, ab expression.Value) expression.Value {
		return b.Add(b.Multiply(aa, bb), b.Multiply(two, b.Multiply(ab, ab)))
	}
	mixed := func(aa, bc, ab, ac expression.Value) expression.Value {
		return b.Add(b.Multiply(aa, bc), b.Multiply(two, b.Multiply(ab, ac)))
	}
	sixth := b.Sum(
		b.Multiply(xx, squares(yy, zz, yz)),
		b.Multiply(two, b.Add(b.Multiply(yy, b.Multiply(xz, xz)), b.Multiply(zz, b.Multiply(xy, xy)))),
		b.Multiply(eight, b.Multiply(xy, b.Multiply(xz, yz))))
	m := map[int]expression.Value{
		index(0, 0, 0): b.Constant(1),
		index(2, 0, 0): xx, index(0, 2, 0): yy, index(0, 0, 2): zz,
		index(1, 1, 0): xy, index(1, 0, 1): xz, index(0, 1, 1): yz,
		index(2, 2, 0): squares(xx, yy, xy), index(2, 0, 2): squares(xx, zz, xz), index(0, 2, 2): squares(yy, zz, yz),
		index(2, 1, 1): mixed(xx, yz, xy, xz), index(1, 2, 1): mixed(yy, xz, xy, yz), index(1, 1, 2): mixed(zz, xy, xz, yz),
		index(2, 2, 2): sixth,
	}
	for i := range 27 {
		if v, ok := m[i]; ok {
			m[i] = b.Multiply(density, v)
		}
	}
	return m
}

// fromMoments turns central moments into populations, one axis after the
// other, and shifts them by their weights. A moment that is not there is zero.
func (b *builder) fromMoments(density expression.Value, u, first [3]expression.Value, m map[int]expression.Value) {
	stride := 1
	for a := range 3 {
		if b.Force {
			m[stride] = first[a]
		}
		stride *= 3
	}
	stride = 1
	for a := range 3 {
		next := map[int]expression.Value{}
		for base := range 27 {
			if base/stride%3 == 0 {
				b.fromAxis(u[a], m, next, base, stride)
			}
		}
		m = next
		stride *= 3
	}
	out := make([]expression.Value, b.Set.Q)
	for i, c := range b.Set.Velocities {
		// Digit 0 is the resting, 1 the positive and 2 the negative velocity.
		digit := func(c int) int { return (c + 3) % 3 }
		out[i] = b.Subtract(m[digit(c[0])+3*digit(c[1])+9*digit(c[2])], b.Constant(b.Set.Weights[i]))
	}
	b.Outputs = out
}

// fromAxis turns the moments of order 0, 1 and 2 along one axis into the
// parts that rest and move up and down it:
//
//	rest = m0 − S,  up, down = ½(S ± D),  D = m1 + u m0,  S = m2 + 2u m1 + u² m0.
func (b *builder) fromAxis(u expression.Value, m, next map[int]expression.Value, base, stride int) {
	m0, has0 := m[base]
	m1, has1 := m[base+stride]
	m2, has2 := m[base+2*stride]
	if !has0 && !has1 && !has2 {
		return
	}
	var terms []expression.Value
	var difference []expression.Value
	if has2 {
		terms = append(terms, m2)
	}
	if has1 {
		um1 := b.Multiply(u, m1)
		terms = append(terms, b.Add(um1, um1))
		difference = append(difference, m1)
	}
	if has0 {
		um0 := b.Multiply(u, m0)
		terms = append(terms, b.Multiply(u, um0))
		difference = append(difference, um0)
	}
	half := b.Constant(0.5)
	sum := b.Sum(terms...)
	if !has0 {
		next[base] = b.Subtract(b.Constant(0), sum)
	} else {
		next[base] = b.Subtract(m0, sum)
	}
	halfSum := b.Multiply(half, sum)
	if len(difference) == 0 {
		next[base+stride], next[base+2*stride] = halfSum, halfSum
		return
	}
	halfDifference := b.Multiply(half, b.Sum(difference...))
	next[base+stride] = b.Add(halfSum, halfDifference)
	next[base+2*stride] = b.Subtract(halfSum, halfDifference)
}
