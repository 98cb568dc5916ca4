package collision

import "carina/solver/expression"

// cumulant relaxes the second cumulants and sets all higher ones to zero, what
// they are in equilibrium: the operator of Geier, Schönherr, Pasquali and
// Krafczyk (2015) with all rates above second order equal to one. It is stable
// far beyond TRT and BGK. What leaves is then the distribution on D3Q27 that
// has the moments of a Gaussian of the cell's velocity and relaxed covariance.
// It is the only operator here that works with the density itself. All sums are
// of deviations from air at rest: numbers near one are factors only, so that
// nothing of small velocities is rounded away.
func (b *builder) cumulant() {
	one, half := b.Constant(1), b.Constant(0.5)
	density := b.Add(one, b.density)
	inverse := b.Divide(one, density)
	var u [3]expression.Value
	for a := range 3 {
		u[a] = b.Multiply(b.u[a], inverse) // b.u is the momentum, half the force included
	}
	// The stress is what makes the covariance, second moments over the density
	// less u_a u_b, differ from the multiple of one that its trace allows; times
	// the density.
	s := b.secondMoments()
	for i, ab := range axes {
		s[i] = b.Subtract(s[i], b.Multiply(b.u[ab[0]], u[ab[1]]))
		if b.Force {
			// The momentum of the moments lacks half the force.
			s[i] = b.Add(s[i], b.Multiply(half, b.Add(b.Multiply(u[ab[0]], b.force[ab[1]]), b.Multiply(b.force[ab[0]], u[ab[1]]))))
		}
	}
	s = b.traceless(s)
	g := gaussian{builder: b, inverse: inverse}
	g.relax(s)
	moments := g.centralMoments()
	if b.Force {
		// The half of the force that the momentum after the collision lacks.
		for a, index := range [3]int{1, 3, 9} {
			moments[index] = b.Multiply(half, b.force[a])
		}
	}
	b.fromMoments(u, moments)
}

// gaussian is a distribution of the cell's density and velocity whose covariance
// differs from that at rest, 1/3, by P without trace.
type gaussian struct {
	*builder
	inverse expression.Value // one over the density
	// stress is P times the density, ratio P, and variance its diagonal plus 1/3.
	stress, ratio [6]expression.Value
	variance      [3]expression.Value
}

// relax relaxes the traceless stress with ω; that of the trace is one.
func (g *gaussian) relax(s [6]expression.Value) {
	omega := g.Parameter(OmegaPlus)
	if g.LargeEddy {
		var ratio [6]expression.Value
		for i := range s {
			ratio[i] = g.Multiply(g.inverse, s[i])
		}
		omega = g.Divide(g.Constant(1), g.effectiveTime(ratio))
	}
	keep := g.Subtract(g.Constant(1), omega)
	keptRatio := g.Multiply(keep, g.inverse)
	for i := range s {
		g.stress[i], g.ratio[i] = g.Multiply(keep, s[i]), g.Multiply(keptRatio, s[i])
	}
	for a := range 3 {
		g.variance[a] = g.Add(g.Constant(1./3), g.ratio[a])
	}
}

// centralMoments returns the central moments Σ f (c−u)^(i,j,k) of even order by
// Isserlis' theorem, less those at rest, at index i+3j+9k; those of odd order are
// zero. What is linear in the diagonal of P adds up to that of the third axis,
// or to nothing.
func (g *gaussian) centralMoments() map[int]expression.Value {
	order := func(axes ...int) (index int) {
		for _, a := range axes {
			index += [3]int{1, 3, 9}[a]
		}
		return index
	}
	two, third := g.Constant(2), g.Constant(1./3)
	m := map[int]expression.Value{0: g.density}
	rest := g.Multiply(third, g.density)
	ninth, last := g.Multiply(g.Constant(1./9), g.density), g.Multiply(g.Constant(1./27), g.density)
	var products, mixed [3]expression.Value // P_bb P_cc and 2 (1/3 + P_aa) P_bc², times the density
	for a := range 3 {
		b, c := (a+1)%3, (a+2)%3
		bc, ab, ac := component[b][c], component[a][b], component[a][c]
		m[order(a, a)] = g.Add(rest, g.stress[a])
		m[order(b, c)] = g.stress[bc]
		products[a] = g.Multiply(g.stress[b], g.ratio[c])
		square := g.Multiply(two, g.Multiply(g.stress[bc], g.ratio[bc]))
		mixed[a] = g.Multiply(g.variance[a], square)
		linear := g.Subtract(ninth, g.Multiply(third, g.stress[a]))
		m[order(b, b, c, c)] = g.Add(linear, g.Add(products[a], square))
		m[order(a, a, b, c)] = g.Add(g.Multiply(g.variance[a], g.stress[bc]), g.Multiply(two, g.Multiply(g.stress[ab], g.ratio[ac])))
	}
	diagonal := g.Add(g.Multiply(third, g.Sum(products[:]...)), g.Multiply(g.ratio[0], products[0]))
	triple := g.Multiply(g.Constant(8), g.Multiply(g.stress[3], g.Multiply(g.ratio[4], g.ratio[5])))
	m[order(0, 0, 1, 1, 2, 2)] = g.Add(last, g.Add(g.Add(diagonal, triple), g.Sum(mixed[:]...)))
	return m
}

// fromMoments turns the deviations of central moments into those of populations,
// one axis after the other. A moment that is not there is zero.
func (b *builder) fromMoments(u [3]expression.Value, m map[int]expression.Value) {
	var resting [27]float64
	for i := range resting {
		resting[i] = restingMoment[i%3] * restingMoment[i/3%3] * restingMoment[i/9]
	}
	stride := 1
	for a := range 3 {
		next := map[int]expression.Value{}
		for base := range 27 {
			if base/stride%3 == 0 {
				b.fromAxis(u[a], resting[base], m, next, base, stride)
				second := resting[base+2*stride]
				resting[base] -= second
				resting[base+stride], resting[base+2*stride] = second/2, second/2
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

// restingMoment are the moments of orders 0 to 2 along an axis at rest.
var restingMoment = [3]float64{1, 0, 1. / 3}

// fromAxis turns the moments of order 0, 1 and 2 along one axis into the
// parts that rest and move up and down it:
//
//	rest = m0 − S,  up, down = ½(S ± D),  D = m1 + u m0,  S = m2 + 2u m1 + u² m0,
//
// all but the factors of u less their values at rest, of which m0 has the given one.
func (b *builder) fromAxis(u expression.Value, resting float64, m, next map[int]expression.Value, base, stride int) {
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
		whole := m0
		if resting > 0 {
			whole = b.Add(b.Constant(resting), m0)
		}
		um0 := b.Multiply(u, whole)
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
