package thermal_test

import (
	"math"
	"testing"

	"carina/solver/thermal"
	"carina/solver/thermal/arithmetic"
)

// Behind the shock and behind the rarefaction of a tube in which dense gas meets thin gas
// (Sod 1978) are the states of the exact solution for γ = 2.
func TestShockTube(t *testing.T) {
	const dense, thin, steps, tau = 2.0, 1.0, 60, 0.7
	// Pressure and velocity between the waves: that which a rarefaction of dense gas gives
	// and that of a shock in thin gas agree.
	sound := math.Sqrt(2 * rest)
	expanding := func(p float64) float64 { return 2 * sound * (1 - math.Pow(p/(dense*rest), 0.25)) }
	driven := func(p float64) float64 {
		return (p - thin*rest) * math.Sqrt(2/(3*thin)/(p+thin*rest/3))
	}
	low, high := thin*rest, dense*rest
	for range 60 {
		if p := (low + high) / 2; driven(p) < expanding(p) {
			low = p
		} else {
			high = p
		}
	}
	p := low
	ratio := p / (thin * rest)
	named(t, func(t *testing.T, c arithmetic.Collision) {
		follow(t, [2]int32{400, 4}, everywhere, steps, steps, thermal.Gas{Tau: tau, Collision: c}, func(x, _ int32) thermal.State {
			if x >= 100 && x < 300 {
				return state(dense, [2]float64{}, rest)
			}
			return state(thin, [2]float64{}, rest)
		}, func(step int, at func(x, y int32) *thermal.State) {
			if step == 0 {
				return
			}
			for _, c := range []struct {
				name    string
				x       int32
				density float64
			}{
				{"expanded", 285, dense * math.Sqrt(p/(dense*rest))},
				{"compressed", 345, thin * (ratio + 1./3) / (ratio/3 + 1)},
			} {
				s := at(c.x, 1)
				for i, pair := range [][2]float64{{s.Density, c.density}, {s.Density * s.Temperature, p}, {s.Velocity[0], driven(p)}} {
					if !(math.Abs(pair[0]/pair[1]-1) < 0.01) {
						t.Errorf("%s gas: number %d is %g, want %g", c.name, i, pair[0], pair[1])
					}
				}
			}
		})
	})
}
