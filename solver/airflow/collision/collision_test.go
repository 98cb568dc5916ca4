package collision

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/solver/lattice"
)

// Collisions conserve mass and add the force to the momentum.
func TestConservation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	force := [3]float64{1e-3, -2e-3, 3e-3}
	for _, v := range Variants() {
		f := make([]float64, v.Set.Q)
		for i := range f {
			f[i] = random.NormFloat64() * 0.02
		}
		out := v.Program().Evaluate(f, parameters(force))
		var mass float64
		var momentum [3]float64
		for i, c := range v.Set.Velocities {
			mass += out[i] - f[i]
			for a := range 3 {
				momentum[a] += float64(c[a]) * (out[i] - f[i])
			}
		}
		if math.Abs(mass) > 1e-15 {
			t.Errorf("%s: mass changes by %g", v.Identifier(), mass)
		}
		for a := range 3 {
			want := 0.0
			if v.Force {
				want = force[a]
			}
			if math.Abs(momentum[a]-want) > 1e-15 {
				t.Errorf("%s: momentum %d changes by %g, want %g", v.Identifier(), a, momentum[a], want)
			}
		}
	}
}

// Equilibria stay as they are: that of He and Luo (1997), and for the cumulant
// operator the product over the axes of the one-dimensional ones with the
// moments 1, u and u² + 1/3.
func TestEquilibriumStays(t *testing.T) {
	const density = 0.01
	u := [3]float64{0.05, -0.03, 0.02}
	for _, v := range Variants() {
		if v.Name == "recursive" {
			continue // see TestRecursiveEquilibrium
		}
		f := make([]float64, v.Set.Q)
		for i, c := range v.Set.Velocities {
			w := v.Set.Weights[i]
			cu := float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2]
			f[i] = w * (density + 3*cu + 4.5*cu*cu - 1.5*(u[0]*u[0]+u[1]*u[1]+u[2]*u[2]))
			if v.Name == "cumulant" {
				product := 1 + density
				for a := range 3 {
					ca := float64(c[a])
					product *= 1 - ca*ca + (1.5*ca*ca-1)*(u[a]*u[a]+1./3) + 0.5*ca*u[a]
				}
				f[i] = product - w
			}
		}
		out := v.Program().Evaluate(f, parameters([3]float64{}))
		for i := range f {
			if math.Abs(out[i]-f[i]) > 1e-15 {
				t.Errorf("%s: population %d goes from %g to %g", v.Identifier(), i, f[i], out[i])
			}
		}
	}
}

// The recursive operator leaves the moments of a Gaussian of variance 1/3 about
// the velocity, of density one but for the deviation of the pressure, whatever
// arrives with the second moments of the equilibrium and is not remembered.
func TestRecursiveEquilibrium(t *testing.T) {
	const density = 0.01
	u := [3]float64{0.05, -0.03, 0.02}
	v := Variant{Name: "recursive", Set: lattice.D3Q19}
	f := make([]float64, v.Set.Q)
	for i, c := range v.Set.Velocities {
		cu := float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2]
		f[i] = v.Set.Weights[i] * (density + 3*cu + 4.5*cu*cu - 1.5*(u[0]*u[0]+u[1]*u[1]+u[2]*u[2]))
	}
	given := parameters([3]float64{})
	given[SumForgetting], given[DifferenceForgetting] = 1, 1
	out := v.Program().Evaluate(f, given)
	// One-dimensional moments of orders 0 to 2; the density's deviation adds to
	// those of air at rest.
	gaussian := func(order, a int) float64 { return [3]float64{1, u[a], u[a]*u[a] + 1./3}[order] }
	resting := [3]float64{1, 0, 1. / 3}
	for _, order := range [][3]int{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1},
		{1, 2, 0}, {1, 0, 2}, {2, 1, 0}, {0, 1, 2}, {2, 0, 1}, {0, 2, 1}, {2, 2, 0}, {2, 0, 2}, {0, 2, 2}} {
		var got float64
		for i, c := range v.Set.Velocities {
			product := out[i] + v.Set.Weights[i]
			for a := range 3 {
				product *= math.Pow(float64(c[a]), float64(order[a]))
			}
			got += product
		}
		want := gaussian(order[0], 0)*gaussian(order[1], 1)*gaussian(order[2], 2) + density*resting[order[0]]*resting[order[1]]*resting[order[2]]
		if math.Abs(got-want) > 1e-15 {
			t.Errorf("moment %v is %.17g, want %.17g", order, got, want)
		}
	}
}

// Every operator relaxes the stress with τ₊, which makes the viscosity; TRT relaxes what
// is odd with τ₋, and of third moments the recursive operator and the cumulant one
// forget a part.
func TestRelaxation(t *testing.T) {
	const small = 1e-9
	for _, v := range Variants() {
		for _, axes := range [][]int{{0, 1}, {0, 2}, {1, 2}, {0, 0, 1}, {2, 1, 1}, {0, 1, 2}} {
			mixed := len(axes) == 3 && axes[0] != axes[1] && axes[1] != axes[2]
			if v.Name != "trt" && v.Name != "recursive" && v.Name != "cumulant" && len(axes) == 3 || mixed && v.Set != lattice.D3Q27 {
				continue
			}
			moment := func(c [3]int) float64 {
				product := 1.0
				for _, a := range axes {
					product *= float64(c[a])
				}
				return product
			}
			single := axes[0] ^ axes[1] ^ axes[len(axes)-1] // the axis that comes once
			f := make([]float64, v.Set.Q)
			for i, c := range v.Set.Velocities {
				f[i] = v.Set.Weights[i] * small * moment(c)
				if len(axes) == 3 && !mixed {
					// Without momentum: c_a² c_b − c_b/3.
					f[i] -= v.Set.Weights[i] * small * float64(c[single]) / 3
				}
			}
			given := parameters([3]float64{})
			given[EddyFactor], given[LimiterFactor] = 0, 0
			out := v.Program().Evaluate(f, given)
			var before, after float64
			for i, c := range v.Set.Velocities {
				before, after = before+moment(c)*f[i], after+moment(c)*out[i]
			}
			want := 1 - given[OmegaPlus]
			if len(axes) == 3 {
				want = 1 - given[OmegaMinus]
				if v.Name == "recursive" {
					// Of m_bcc there is half of −m_baa: the difference is three times the sum.
					want = (4 - given[SumForgetting] - 3*given[DifferenceForgetting]) / 4
				} else if v.Name == "cumulant" && mixed {
					want = given[KeptMixed]
				} else if v.Name == "cumulant" {
					want = (given[KeptSum] + given[KeptDifference]) / 2 // m_bcc is zero
				} else if v.LargeEddy {
					want = 1 - 1/(0.5+given[Magic]/(given[RelaxationTime]-0.5))
				}
			}
			if got := after / before; math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: of the moment %v remains %g, want %g", v.Identifier(), axes, got, want)
			}
		}
	}
}

// Up to the limit the relaxation time is that of the fluid to the last bit, and
// beyond it that of the viscosity C²|S|.
func TestLimiter(t *testing.T) {
	const time, constant = 0.503, 0.1
	v := Variant{Name: "recursive", Set: lattice.D3Q19}
	program := v.Program()
	kept := func(shear float64) float64 { // the part of a stress Π_xy that remains
		f := make([]float64, v.Set.Q)
		for i, c := range v.Set.Velocities {
			f[i] = v.Set.Weights[i] * 9 * float64(c[0]*c[1]) * shear
		}
		out := program.Evaluate(f, map[string]float64{RelaxationTime: time, LimiterFactor: 9 * math.Sqrt2 * constant * constant})
		var after float64
		for i, c := range v.Set.Velocities {
			after += float64(c[0]*c[1]) * out[i]
		}
		return after / shear
	}
	// τ − ½ = 9√2 C² |Π| with |Π| = √2 Π_xy.
	limit := (time - 0.5) / (18 * constant * constant)
	if got, want := kept(0.99*limit), 1-1/time; math.Abs(got-want) > 1e-14 {
		t.Errorf("below the limit %g of the stress remains, want %g", got, want)
	}
	if got, want := kept(2*limit), 1-1/(0.5+2*(time-0.5)); math.Abs(got-want) > 1e-12 {
		t.Errorf("at twice the limit %g of the stress remains, want %g", got, want)
	}
}

// Of third cumulants as large as λ the cumulant operator keeps half as much as of small
// ones, and of much larger ones next to nothing.
func TestThirdLimit(t *testing.T) {
	v := Variant{Name: "cumulant", Set: lattice.D3Q27}
	given := parameters([3]float64{})
	kept := func(mixed float64) float64 {
		f := make([]float64, v.Set.Q)
		for i, c := range v.Set.Velocities {
			f[i] = mixed * float64(c[0]*c[1]*c[2]) / 8
		}
		var after float64
		for i, out := range v.Program().Evaluate(f, given) {
			c := v.Set.Velocities[i]
			after += float64(c[0]*c[1]*c[2]) * out
		}
		return after / mixed
	}
	for size, part := range map[float64]float64{1e-9: 1, 1: 0.5, -1: 0.5, 3: 0.25} {
		if got, want := kept(size*given[ThirdLimit]), part*given[KeptMixed]; math.Abs(got-want) > 1e-8 {
			t.Errorf("of C_xyz = %g λ remains %g, want %g", size, got, want)
		}
	}
}

// The second, third and fourth moments that leave the recursive operator are those of its
// definition.
func TestThirdMoments(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, force := range []bool{false, true} {
		v := Variant{Name: "recursive", Set: lattice.D3Q19, Force: force}
		given := parameters([3]float64{1e-3, -2e-3, 3e-3})
		given[LimiterFactor] = 0
		acting := [3]float64{}
		if force {
			acting = [3]float64{given[ForceX], given[ForceY], given[ForceZ]}
		}
		f := make([]float64, v.Set.Q)
		for i := range f {
			f[i] = random.NormFloat64() * 0.02
		}
		out := v.Program().Evaluate(f, given)
		moment := func(f []float64, axes ...int) (sum float64) {
			for i, c := range v.Set.Velocities {
				product := f[i]
				for _, a := range axes {
					product *= float64(c[a])
				}
				sum += product
			}
			return sum
		}
		var during, after [3]float64 // the velocity
		for a := range 3 {
			during[a], after[a] = moment(f, a)+acting[a]/2, moment(f, a)+acting[a]
		}
		var p [3][3]float64
		for a := range 3 {
			for b := range 3 {
				p[a][b] = moment(f, a, b) - during[a]*during[b] + (during[a]*acting[b]+acting[a]*during[b])/2
			}
		}
		mean := (p[0][0] + p[1][1] + p[2][2]) / 3
		for a := range 3 {
			p[a][a] -= mean
		}
		keep, u := 1-1/given[RelaxationTime], after
		speed := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
		keptSum, keptDifference := 1-max(given[SumForgetting], given[SumBySpeed]*speed), 1-max(given[DifferenceForgetting], given[DifferenceBySpeed]*speed)
		for x := range 3 {
			y, z := (x+1)%3, (x+2)%3
			part := min(1./24, -given[FourthBySpeed]*speed) * 4
			second := func(a, b int) float64 {
				if a == b {
					return keep*p[a][a] + u[a]*u[a] + given[TraceKept]*(mean-moment(f)/3)
				}
				return keep*p[a][b] + u[a]*u[b]
			}
			if got, want := moment(out, x, x), moment(f)/3+second(x, x); math.Abs(got-want) > 1e-15 {
				t.Errorf("%s, axis %d: second moment %.17g, want %.17g", v.Identifier(), x, got, want)
			}
			wantFourth := moment(f)/9 + (second(x, x)+second(y, y))/3 + second(x, x)*second(y, y) + 2*keep*p[x][y]*(second(x, y)+u[x]*u[y]) - part*keep*p[z][z]
			if got := moment(out, x, x, y, y); math.Abs(got-wantFourth) > 1e-15 {
				t.Errorf("%s, plane of axes %d and %d: fourth moment %.17g, want %.17g", v.Identifier(), x, y, got, wantFourth)
			}
			sum, difference := moment(f, x, y, y)+moment(f, x, z, z)+2./3*acting[x], moment(f, x, y, y)-moment(f, x, z, z)
			sumHere, differenceHere := u[x]*(2./3+u[y]*u[y]+u[z]*u[z]), u[x]*(u[y]*u[y]-u[z]*u[z])
			sumBy := -u[x]*p[x][x] + 2*(u[y]*p[x][y]+u[z]*p[x][z])
			differenceBy := u[x]*(p[y][y]-p[z][z]) + 2*(u[y]*p[x][y]-u[z]*p[x][z])
			wantSum := sumHere + keptSum*(sum-sumHere) + (keep-keptSum)*sumBy
			wantDifference := differenceHere + keptDifference*(difference-differenceHere) + (keep-keptDifference)*differenceBy
			gotSum, gotDifference := moment(out, x, y, y)+moment(out, x, z, z), moment(out, x, y, y)-moment(out, x, z, z)
			if math.Abs(gotSum-wantSum) > 1e-15 || math.Abs(gotDifference-wantDifference) > 1e-15 {
				t.Errorf("%s, axis %d: sum %.17g, want %.17g; difference %.17g, want %.17g", v.Identifier(), x, gotSum, wantSum, gotDifference, wantDifference)
			}
		}
	}
}

// Deviations from rest keep their digits however small they are: nothing of order
// one is added to them. There, collisions are linear.
func TestSmallDeviations(t *testing.T) {
	const small, smaller = 0x1p-40, 0x1p-60
	random := rand.New(rand.NewPCG(5, 6))
	for _, v := range Variants() {
		if v.Force {
			continue
		}
		f, g := make([]float64, v.Set.Q), make([]float64, v.Set.Q)
		for i := range f {
			f[i] = random.NormFloat64() * 0.02 * small
			g[i] = f[i] / small * smaller
		}
		given := parameters([3]float64{})
		given[EddyFactor], given[LimiterFactor] = 0, 0
		large, tiny := v.Program().Evaluate(f, given), v.Program().Evaluate(g, given)
		for i := range large {
			if got, want := tiny[i]/smaller, large[i]/small; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: population %d is %g, want %g", v.Identifier(), i, got, want)
			}
		}
	}
}

// With scaled populations a collision does the same to the last bit.
func TestScaled(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, v := range Variants() {
		scaled := v
		scaled.Scaled = true
		for range 100 {
			f, g := make([]float64, v.Set.Q), make([]float64, v.Set.Q)
			for i := range f {
				f[i] = random.NormFloat64() * 0.02
				g[i] = Scale * f[i]
			}
			given := parameters([3]float64{1e-3, -2e-3, 3e-3})
			want, got := v.Program().Evaluate(f, given), scaled.Program().Evaluate(g, given)
			for i := range want {
				if got[i] != Scale*want[i] {
					t.Fatalf("%s: population %d is %g, want %g", v.Identifier(), i, got[i]/Scale, want[i])
				}
			}
		}
	}
}

func parameters(force [3]float64) map[string]float64 {
	return map[string]float64{OmegaPlus: 1.7, OmegaMinus: 1.1, ForceX: force[0], ForceY: force[1], ForceZ: force[2],
		RelaxationTime: 1 / 1.7, Magic: 3. / 16, EddyFactor: 0.5, LimiterFactor: 0.1, SumForgetting: 0.3, DifferenceForgetting: 0.2, SumBySpeed: 5, DifferenceBySpeed: 4, FourthBySpeed: -1, TraceKept: -0.3,
		ThirdLimit: 0.01, KeptSum: 0.7, KeptDifference: 0.8, KeptMixed: 0.9, FlatFourth: -0.4, BentFourth: 0.3}
}
