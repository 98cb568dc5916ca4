package collision

import (
	"carina/solver/expression"
	"carina/solver/lattice"
)

// Variant is a collision operator on a velocity set.
type Variant struct {
	// Name is that of the operator, such as trt.
	Name string
	Set  *lattice.Set
	// Force adds a uniform body force (Guo, Zheng and Shi 2002).
	Force bool
	// LargeEddy adds the eddy viscosity of Smagorinsky (1963), from the
	// stress of each cell (Hou, Sterling, Chen and Doolen 1996).
	LargeEddy bool
	// Scaled means that populations come and leave multiplied by Scale, as
	// 16-bit storage stores them. The results are the same to the last bit: all
	// that changes is constants, by powers of two.
	Scaled bool
}

// Scale is the factor of scaled populations. With it, the smallest normal
// number of the 16-bit format stands for 2⁻²⁹ and the largest for 2
// (Lehmann, Krause, Amati, Sega, Harting and Gekle 2022).
const Scale = 1 << 15

// Identifier is a name for the variant's kernels.
func (v Variant) Identifier() string {
	id := v.Name + v.Set.Name
	if v.Force {
		id += "Force"
	}
	if v.LargeEddy {
		id += "LargeEddy"
	}
	if v.Scaled {
		id += "Scaled"
	}
	return id
}

// Program returns the variant's arithmetic: inputs are the populations that
// arrive at a cell, outputs those that leave it, both by population.
func (v Variant) Program() *expression.Program {
	b := newBuilder(v)
	map[string]func(){"trt": b.trt, "bgk": b.bgk, "regularized": b.regularized, "recursive": b.recursive, "cumulant": b.cumulant}[v.Name]()
	if v.Scaled && v.Name == "cumulant" {
		for i, out := range b.Outputs {
			b.Outputs[i] = b.Multiply(out, b.Constant(Scale))
		}
	}
	return b.Program
}

// The names of the parameters that programs use.
const (
	// OmegaPlus and OmegaMinus are the relaxation rates of the symmetric and
	// antisymmetric parts.
	OmegaPlus  = "omegaPlus"
	OmegaMinus = "omegaMinus"
	// ForceX, ForceY and ForceZ are the body force in lattice units.
	ForceX = "forceX"
	ForceY = "forceY"
	ForceZ = "forceZ"
	// Magic is Λ of the TRT operator, RelaxationTime τ₊ and EddyFactor 18√2·C²
	// with Smagorinsky's constant C; for LargeEddy variants.
	Magic          = "magic"
	RelaxationTime = "relaxationTime"
	EddyFactor     = "eddyFactor"
	// LimiterFactor is 9√2·C² with the constant C of the recursive operator's
	// limiter.
	LimiterFactor = "limiterFactor"
	// Of third moments, the recursive operator forgets in a step the parts
	// SumForgetting of sums and DifferenceForgetting of differences, or SumBySpeed and
	// DifferenceBySpeed times the speed, where that is more.
	SumForgetting        = "sumForgetting"
	DifferenceForgetting = "differenceForgetting"
	SumBySpeed           = "sumBySpeed"
	DifferenceBySpeed    = "differenceBySpeed"
	// FourthBySpeed times the speed, or −1/24 where that is more, is the part of the
	// stress across a plane that is added to a quarter of its fourth moment.
	FourthBySpeed = "fourthBySpeed"
	// TraceKept is the part of what the trace of second moments is beside its
	// equilibrium that the recursive operator keeps, zero or less.
	TraceKept = "traceKept"
	// Of third cumulants, the cumulant operator keeps the parts KeptSum = 1 − ω₃ of
	// sums, KeptDifference = 1 − ω₄ of differences and KeptMixed = 1 − ω₅ of that of
	// three axes, where they are small against ThirdLimit, λ.
	KeptSum        = "keptSum"
	KeptDifference = "keptDifference"
	KeptMixed      = "keptMixed"
	ThirdLimit     = "thirdLimit"
	// FlatFourth and BentFourth are A and B of its fourth cumulants.
	FlatFourth = "flatFourth"
	BentFourth = "bentFourth"
)

// builder holds the values that all operators need.
type builder struct {
	*expression.Program
	Variant
	f         []expression.Value
	sum, diff []expression.Value // of the pair 2k−1, 2k, at index k−1
	density   expression.Value
	u         [3]expression.Value
	force     [3]expression.Value
	// unscaledForce is the factor of products of the force with velocities.
	unscaledForce [3]expression.Value
	// square is the factor of products of two velocities: 1, or 1/Scale.
	square        float64
	base          expression.Value // δρ − 3/2 u²
	uForce        expression.Value // u·F
	pairDirection [][3]int
}

func newBuilder(v Variant) *builder {
	b := &builder{Program: expression.New(), Variant: v}
	// As long as they are, hashes of flows on GPUs, which fuse products, stay.
	b.Literal = true
	b.square = 1
	if v.Scaled && v.Name != "cumulant" {
		b.square = 1. / Scale
	}
	for i := range v.Set.Q {
		b.f = append(b.f, b.Input(i))
		if v.Scaled && v.Name == "cumulant" {
			// Its arithmetic is not one of linear and quadratic terms alone.
			b.f[i] = b.Multiply(b.f[i], b.Constant(1./Scale))
		}
	}
	for i := 1; i < v.Set.Q; i += 2 {
		b.sum = append(b.sum, b.Add(b.f[i], b.f[i+1]))
		b.diff = append(b.diff, b.Subtract(b.f[i], b.f[i+1]))
		b.pairDirection = append(b.pairDirection, v.Set.Velocities[i])
	}
	b.density = b.Add(b.f[0], b.Sum(b.sum...))
	for a, name := range []string{ForceX, ForceY, ForceZ} {
		coefficients := make([]int, len(b.diff))
		for k, c := range b.pairDirection {
			coefficients[k] = c[a]
		}
		b.u[a] = b.SignedSum(coefficients, b.diff)
		if v.Force {
			b.unscaledForce[a] = b.Parameter(name)
			b.force[a] = b.unscaledForce[a]
			if b.square != 1 {
				b.force[a] = b.Multiply(b.Constant(Scale), b.force[a])
			}
			b.u[a] = b.Add(b.u[a], b.Multiply(b.Constant(0.5), b.force[a]))
		}
	}
	square := b.Sum(b.Multiply(b.u[0], b.u[0]), b.Multiply(b.u[1], b.u[1]), b.Multiply(b.u[2], b.u[2]))
	b.base = b.Subtract(b.density, b.Multiply(b.Constant(1.5*b.square), square))
	if v.Force {
		b.uForce = b.Sum(b.Multiply(b.u[0], b.unscaledForce[0]), b.Multiply(b.u[1], b.unscaledForce[1]), b.Multiply(b.u[2], b.unscaledForce[2]))
	}
	return b
}

// dot is c·a for the direction c of pair k.
func (b *builder) dot(k int, a [3]expression.Value) expression.Value {
	c := b.pairDirection[k]
	return b.SignedSum(c[:], a[:])
}

// equilibriumBracket is δρ − 3/2 u² + 9/2 (c·u)², the symmetric part over w.
func (b *builder) equilibriumBracket(cu expression.Value) expression.Value {
	return b.Add(b.base, b.Multiply(b.Constant(4.5*b.square), b.Multiply(cu, cu)))
}

// trt relaxes the two parts of each pair with their own rate (Ginzburg,
// Verhaeghe and d'Humières 2008). What stays of a part is kept as a product, so
// that the two populations of a pair are the sum and the difference of two
// values.
func (b *builder) trt() {
	plus, minus := b.rates()
	one, half := b.Constant(1), b.Constant(0.5)
	forcedPlus, forcedMinus := b.Subtract(one, b.Multiply(half, plus)), b.Subtract(one, b.Multiply(half, minus))
	keptPlus, keptMinus := b.Multiply(half, b.Subtract(one, plus)), b.Multiply(half, b.Subtract(one, minus))
	out := make([]expression.Value, b.Set.Q)
	w0 := b.Set.Weights[0]
	out[0] = b.Add(b.Multiply(b.Subtract(one, plus), b.f[0]), b.Multiply(b.Multiply(plus, b.Constant(w0)), b.base))
	if b.Force {
		// w (9 (c·u)(c·F) − 3 u·F) (1 − ω₊/2) with c = 0.
		out[0] = b.Subtract(out[0], b.Multiply(b.Multiply(forcedPlus, b.Constant(3*w0)), b.uForce))
	}
	for k := range b.sum {
		i := 2*k + 1
		w := b.Set.Weights[i]
		cu := b.dot(k, b.u)
		equilibrium := b.Add(b.Multiply(b.Multiply(plus, b.Constant(w)), b.base), b.Multiply(b.Multiply(plus, b.Constant(4.5*b.square*w)), b.Multiply(cu, cu)))
		even := b.Add(b.Multiply(keptPlus, b.sum[k]), equilibrium)
		odd := b.Add(b.Multiply(keptMinus, b.diff[k]), b.Multiply(b.Multiply(minus, b.Constant(3*w)), cu))
		if b.Force {
			w3 := b.Constant(3 * w)
			source := b.Subtract(b.Multiply(b.Constant(3), b.Multiply(cu, b.dot(k, b.unscaledForce))), b.uForce)
			even = b.Add(even, b.Multiply(b.Multiply(forcedPlus, w3), source))
			odd = b.Add(odd, b.Multiply(b.Multiply(forcedMinus, w3), b.dot(k, b.force)))
		}
		out[i] = b.Add(even, odd)
		out[i+1] = b.Subtract(even, odd)
	}
	b.Outputs = out
}

// bgk relaxes all populations with one rate (Qian, d'Humières and Lallemand
// 1992).
func (b *builder) bgk() {
	omega, _ := b.rates()
	one := b.Constant(1)
	keep := b.Subtract(one, omega)
	out := make([]expression.Value, b.Set.Q)
	w0 := b.Constant(b.Set.Weights[0])
	out[0] = b.Add(b.Multiply(keep, b.f[0]), b.Multiply(b.Multiply(omega, w0), b.base))
	forced := b.Subtract(one, b.Multiply(b.Constant(0.5), omega))
	if b.Force {
		out[0] = b.Subtract(out[0], b.Multiply(b.Multiply(forced, b.Constant(3*b.Set.Weights[0])), b.uForce))
	}
	for k := range b.sum {
		i := 2*k + 1
		cu := b.dot(k, b.u)
		weight := b.Set.Weights[i]
		w := b.Multiply(omega, b.Constant(weight))
		even := b.Add(b.Multiply(w, b.base), b.Multiply(b.Multiply(omega, b.Constant(4.5*b.square*weight)), b.Multiply(cu, cu)))
		odd := b.Multiply(b.Multiply(omega, b.Constant(3*weight)), cu)
		if b.Force {
			cf := b.dot(k, b.force)
			source := b.Subtract(b.Multiply(b.Constant(3), b.Multiply(cu, b.dot(k, b.unscaledForce))), b.uForce)
			w3 := b.Multiply(forced, b.Constant(3*b.Set.Weights[i]))
			even = b.Add(even, b.Multiply(w3, source))
			odd = b.Add(odd, b.Multiply(w3, cf))
		}
		out[i] = b.Add(b.Multiply(keep, b.f[i]), b.Add(even, odd))
		out[i+1] = b.Add(b.Multiply(keep, b.f[i+1]), b.Subtract(even, odd))
	}
	b.Outputs = out
}
