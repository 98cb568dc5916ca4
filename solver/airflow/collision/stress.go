package collision

import "carina/solver/expression"

// axes lists the components of a symmetric tensor.
var axes = [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}

// secondMoments returns Σ f c_a c_b for the components in axes.
func (b *builder) secondMoments() (m [6]expression.Value) {
	for i, ab := range axes {
		coefficients := make([]int, len(b.sum))
		for k, c := range b.pairDirection {
			coefficients[k] = c[ab[0]] * c[ab[1]]
		}
		m[i] = b.SignedSum(coefficients, b.sum)
	}
	return m
}

// stress returns the second moments less those of the equilibrium,
// δρ/3·δ_ab + u_a u_b, for the components in axes.
func (b *builder) stress() (s [6]expression.Value) {
	s = b.secondMoments()
	third := b.Multiply(b.Constant(1./3), b.density)
	second := b.u
	if b.square != 1 {
		for a := range 3 {
			second[a] = b.Multiply(b.Constant(b.square), b.u[a])
		}
	}
	for i, ab := range axes {
		s[i] = b.Subtract(s[i], b.Multiply(b.u[ab[0]], second[ab[1]]))
		if ab[0] == ab[1] {
			s[i] = b.Subtract(s[i], third)
		}
	}
	return s
}

// norm is √(s_ab s_ab).
func (b *builder) norm(s [6]expression.Value) expression.Value {
	var squares [6]expression.Value
	for i := range s {
		squares[i] = b.Multiply(s[i], s[i])
	}
	diagonal := b.Sum(squares[:3]...)
	return b.SquareRoot(b.Add(diagonal, b.Multiply(b.Constant(2), b.Sum(squares[3:]...))))
}

// rates returns ω₊ and ω₋. With an eddy viscosity, the relaxation time is that
// of molecular and eddy viscosity together, ½(τ + √(τ² + 18√2 C² |Π|)) (Hou et
// al. 1996, eq. 21 with reference density one), and ω₋ keeps Λ.
func (b *builder) rates() (plus, minus expression.Value) {
	if !b.LargeEddy {
		return b.Parameter(OmegaPlus), b.Parameter(OmegaMinus)
	}
	one, half := b.Constant(1), b.Constant(0.5)
	tau := b.effectiveTime(b.stress())
	if b.Name != "trt" {
		plus = b.Divide(one, tau)
		return plus, plus
	}
	// 1/τ and 1/(½ + Λ/h) with h = τ − ½, by one division.
	h := b.Subtract(tau, half)
	lower := b.Add(b.Multiply(half, h), b.Parameter(Magic))
	inverse := b.Divide(one, b.Multiply(tau, lower))
	return b.Multiply(inverse, lower), b.Multiply(inverse, b.Multiply(tau, h))
}

// effectiveTime is the relaxation time with eddy viscosity.
func (b *builder) effectiveTime(stress [6]expression.Value) expression.Value {
	tau := b.Parameter(RelaxationTime)
	factor := b.Parameter(EddyFactor)
	if b.square != 1 {
		factor = b.Multiply(b.Constant(b.square), factor)
	}
	eddy := b.Multiply(factor, b.norm(stress))
	root := b.SquareRoot(b.Add(b.Multiply(tau, tau), eddy))
	return b.Multiply(b.Constant(0.5), b.Add(tau, root))
}

// regularized replaces what is not in equilibrium by its second moments before
// relaxing it (Latt and Chopard 2006). Their trace, which has no part in shear, is
// set to its equilibrium: kept, it makes interpolated walls unstable at low
// viscosity.
func (b *builder) regularized() {
	stress := b.tracelessStress()
	omega, _ := b.rates()
	one := b.Constant(1)
	keep := b.Subtract(one, omega)
	forced := b.Subtract(one, b.Multiply(b.Constant(0.5), omega))
	out := make([]expression.Value, b.Set.Q)
	out[0] = b.Multiply(b.Constant(b.Set.Weights[0]), b.base)
	if b.Force {
		out[0] = b.Subtract(out[0], b.Multiply(b.Multiply(forced, b.Constant(3*b.Set.Weights[0])), b.uForce))
	}
	for k := range b.sum {
		i := 2*k + 1
		weight := b.Set.Weights[i]
		cu := b.dot(k, b.u)
		even := b.Multiply(b.Constant(weight), b.equilibriumBracket(cu))
		odd := b.Multiply(b.Constant(3*weight), cu)
		even = b.Add(even, b.Multiply(keep, b.Multiply(b.Constant(4.5*weight), b.contract(k, stress))))
		if b.Force {
			cf := b.dot(k, b.force)
			source := b.Subtract(b.Multiply(b.Constant(3), b.Multiply(cu, b.dot(k, b.unscaledForce))), b.uForce)
			w3 := b.Multiply(forced, b.Constant(3*weight))
			even = b.Add(even, b.Multiply(w3, source))
			// The odd part is not relaxed but replaced, so the whole force enters
			// through u, which holds half of it already.
			odd = b.Add(odd, b.Multiply(b.Constant(1.5*weight), cf))
		}
		out[i] = b.Add(even, odd)
		out[i+1] = b.Subtract(even, odd)
	}
	b.Outputs = out
}

// contract is c_a c_b s_ab for the direction c of pair k.
func (b *builder) contract(k int, s [6]expression.Value) expression.Value {
	c := b.pairDirection[k]
	coefficients := make([]int, 6)
	terms := make([]expression.Value, 6)
	for i, ab := range axes {
		coefficients[i] = c[ab[0]] * c[ab[1]]
		terms[i] = s[i]
		if ab[0] != ab[1] && coefficients[i] != 0 {
			terms[i] = b.Multiply(b.Constant(2), s[i])
		}
	}
	return b.SignedSum(coefficients, terms)
}
