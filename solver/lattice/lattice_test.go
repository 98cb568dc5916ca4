package lattice

import (
	"math"
	"testing"

	"carina/geometry"
)

// The moments that a set must have up to fourth order for the Navier–Stokes
// equations at low Mach number: Σw = 1, Σw c_a c_b = c_s² δ_ab,
// Σw c_a c_b c_c c_d = c_s⁴ (δδ + δδ + δδ), odd moments zero.
func TestMoments(t *testing.T) {
	delta := func(a, b int) float64 {
		if a == b {
			return 1
		}
		return 0
	}
	const cs2 = SoundSpeedSquared
	for _, s := range []*Set{D3Q19, D3Q27} {
		check := func(what string, want float64, factor func(c [3]int) float64) {
			t.Helper()
			var sum float64
			for i, c := range s.Velocities {
				sum += s.Weights[i] * factor(c)
			}
			if math.Abs(sum-want) > 1e-15 {
				t.Errorf("%s: %s = %g, want %g", s.Name, what, sum, want)
			}
		}
		check("Σw", 1, func([3]int) float64 { return 1 })
		for a := range 3 {
			check("Σw c", 0, func(c [3]int) float64 { return float64(c[a]) })
			for b := range 3 {
				check("Σw cc", cs2*delta(a, b), func(c [3]int) float64 { return float64(c[a] * c[b]) })
				for g := range 3 {
					check("Σw ccc", 0, func(c [3]int) float64 { return float64(c[a] * c[b] * c[g]) })
					for d := range 3 {
						want := cs2 * cs2 * (delta(a, b)*delta(g, d) + delta(a, g)*delta(b, d) + delta(a, d)*delta(b, g))
						check("Σw cccc", want, func(c [3]int) float64 { return float64(c[a] * c[b] * c[g] * c[d]) })
					}
				}
			}
		}
	}
}

func TestOpposite(t *testing.T) {
	for _, s := range []*Set{D3Q19, D3Q27} {
		for i, c := range s.Velocities {
			o := s.Velocities[Opposite(i)]
			if c[0] != -o[0] || c[1] != -o[1] || c[2] != -o[2] {
				t.Errorf("%s: population %d (%v) has opposite %v", s.Name, i, c, o)
			}
		}
	}
}

// A symmetric tensor has six components: those of the diagonal, by axis, before the
// others.
func TestTensorAxes(t *testing.T) {
	seen := map[[2]int]bool{}
	for k, ab := range TensorAxes {
		if (ab[0] == ab[1]) != (k < 3) || k < 3 && ab[0] != k || ab[0] > ab[1] || seen[ab] {
			t.Errorf("component %d is %v", k, ab)
		}
		seen[ab] = true
	}
	if TensorAxes[3] != [2]int{0, 1} || TensorAxes[5] != [2]int{1, 2} {
		t.Errorf("the components beside the diagonal are %v", TensorAxes[3:])
	}
}

// Velocities are the directions of the neighbours, in their order.
func TestVelocitiesAreDirections(t *testing.T) {
	for _, s := range []*Set{D3Q19, D3Q27} {
		for i, c := range s.Velocities {
			want := [3]int{}
			if i > 0 {
				d := geometry.Directions[i-1]
				want = [3]int{int(d.X), int(d.Y), int(d.Z)}
			}
			if c != want {
				t.Errorf("%s: population %d moves along %v, want %v", s.Name, i, c, want)
			}
		}
	}
}
