package collision

import (
	"math"
	"math/rand/v2"
	"testing"
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
		RelaxationTime: 1 / 1.7, Magic: 3. / 16, EddyFactor: 0.5}
}
