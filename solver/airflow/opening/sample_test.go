package opening

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// arriving makes room for three cells in a row along x and returns where the populations
// are that arrive in the one in the middle.
func arriving(set *lattice.Set, odd bool) (*kernel.Slots[float64], []*float64) {
	slots := &kernel.Slots[float64]{Values: make([]float64, 3*set.Q), Q: set.Q}
	places := make([]*float64, set.Q)
	for i := range set.Q {
		slots.Offset[i] = 3 * i
	}
	for i, v := range set.Velocities {
		places[i] = slots.At(i, 1)
		if odd && v[0] > 0 {
			places[i] = slots.At(lattice.Opposite(i), 0) // of the neighbour it comes from
		}
	}
	return slots, places
}

// What a cell measures of an equilibrium is its density and velocity and no stress,
// before even and odd steps.
func TestObserve(t *testing.T) {
	const density = 0.02
	u := [3]float64{0.03, -0.02, 0.01}
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		s := states(t, set, func(*Choice) {})
		c := cell(s, 1)
		for _, odd := range []bool{false, true} {
			slots, places := arriving(set, odd)
			for i, place := range places {
				*place = equilibrium(set, i, density, u)
			}
			Observe[float64](slots, s, c, 0, 1, odd)
			s := &c.samples[0]
			if math.Abs(s.density-density) > 1e-15 {
				t.Errorf("%s, odd %t: density %g", set.Name, odd, s.density)
			}
			for a := range 3 {
				if math.Abs(s.velocity[a]-u[a]) > 1e-15 {
					t.Errorf("%s, odd %t: velocity %v", set.Name, odd, s.velocity)
				}
			}
			for k := range s.stress {
				if math.Abs(s.stress[k]) > 1e-15 {
					t.Errorf("%s, odd %t: stress %v", set.Name, odd, s.stress)
				}
			}
		}
	}
}

// Fast cells of an operator that remembers forget what is not of their velocity and stress
// in differences of third moments, and nothing else, before even and odd steps.
func TestDifferencesAreForgotten(t *testing.T) {
	set := lattice.D3Q19
	random := rand.New(rand.NewPCG(7, 11))
	s := states(t, set, func(c *Choice) { c.Differences = 6 })
	c := cell(s, 1)
	for _, odd := range []bool{false, true} {
		slots, places := arriving(set, odd)
		for i, place := range places {
			*place = equilibrium(set, i, 0.01, [3]float64{0.2, -0.1, 0.15}) + 0.01*set.Weights[i]*random.NormFloat64()
		}
		read := func() (of sample, differences [3]float64) {
			var f [27]float64
			for i, v := range set.Velocities {
				f[i] = *places[i]
				for x := range 3 {
					y, z := v[(x+1)%3], v[(x+2)%3]
					differences[x] += float64(v[x]*(y*y-z*z)) * f[i]
				}
			}
			of.measure(set.Q, &f)
			return of, differences
		}
		before, _ := read()
		Observe[float64](slots, s, c, 0, 1, odd)
		after, got := read()
		apart := math.Abs(after.density - before.density)
		for k := range before.stress {
			apart = max(apart, math.Abs(after.stress[k]-before.stress[k]))
		}
		component := [3][3]int{{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}
		for x := range 3 {
			y, z, u := (x+1)%3, (x+2)%3, &before.velocity
			stress := func(a, b int) float64 { return before.stress[component[a][b]] }
			want := u[x]*(u[y]*u[y]-u[z]*u[z]+stress(y, y)-stress(z, z)) + 2*(u[y]*stress(x, y)-u[z]*stress(x, z))
			if math.Abs(got[x]-want) > 1e-15 {
				t.Errorf("odd %t: difference %d is %g, want %g", odd, x, got[x], want)
			}
			apart = max(apart, math.Abs(after.velocity[x]-u[x]))
		}
		if apart > 1e-15 {
			t.Errorf("odd %t: density, velocity or stress change by %g", odd, apart)
		}
	}
}

// Fast cells of an operator that remembers forget a part of their stress, and nothing
// else, before even and odd steps; those at walls keep it.
func TestStressIsForgotten(t *testing.T) {
	const part = 0.3
	random := rand.New(rand.NewPCG(7, 12))
	u := [3]float64{0.2, -0.1, 0.15}
	bySpeed := part / math.Sqrt(u[0]*u[0]+u[1]*u[1]+u[2]*u[2])
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		s := states(t, set, func(c *Choice) { c.Stress = bySpeed })
		for _, odd := range []bool{false, true} {
			for _, atWall := range []bool{false, true} {
				c := cell(s, 1)
				if atWall {
					for k := range c.List[0].Links {
						c.List[0].Links[k].Weight = 0
					}
				}
				slots, places := arriving(set, odd)
				// Noise that is even in the velocity leaves the speed as it is.
				noise := make([]float64, set.Q)
				for i := range set.Q {
					if noise[i] == 0 {
						noise[i] = 0.01 * set.Weights[i] * random.NormFloat64()
						noise[lattice.Opposite(i)] = noise[i]
					}
				}
				for i, place := range places {
					*place = equilibrium(set, i, 0.01, u) + noise[i]
				}
				read := func() (of sample, odd [26]float64) {
					var f [27]float64
					for i := range set.Q {
						f[i] = *places[i]
					}
					for i := range set.Q - 1 {
						odd[i] = f[i+1] - f[lattice.Opposite(i+1)]
					}
					of.measure(set.Q, &f)
					return of, odd
				}
				before, oddBefore := read()
				Observe[float64](slots, s, c, 0, 1, odd)
				after, oddAfter := read()
				want := before.stress
				if !atWall {
					for k := range want {
						want[k] *= 1 - part
					}
				}
				apart := math.Abs(after.density - before.density)
				for k := range want {
					apart = max(apart, math.Abs(after.stress[k]-want[k]), math.Abs(c.samples[0].stress[k]-want[k]))
				}
				for i := range oddBefore {
					apart = max(apart, math.Abs(oddAfter[i]-oddBefore[i]))
				}
				if apart > 1e-15 {
					t.Errorf("%s, odd %t, at a wall %t: off by %g", set.Name, odd, atWall, apart)
				}
			}
		}
	}
}
