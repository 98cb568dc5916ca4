package thermal_test

import (
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/thermal"
	"carina/solver/thermal/arithmetic"

	"gonum.org/v1/gonum/spatial/r3"
)

// gasCase is a gas with waves along both axes.
func gasCase(g *geometry.Grid, periodic [3]bool, collision arithmetic.Collision) *enginetest.Case {
	return &enginetest.Case{Grid: g, Periodic: periodic, Steps: 11, Physics: func(*solver.Domain) (solver.Together, error) {
		return solver.Together{&thermal.Gas{Tau: 0.8, Collision: collision, Gravity: [2]float64{1e-4, -2e-4}, Initial: func(p r3.Vec) (float64, [2]float64, float64) {
			return 1 + 0.02*math.Sin(900*p.X), [2]float64{0.03 * math.Cos(700*p.Y), 0.01}, 0.69 + 0.01*math.Sin(800*(p.X-p.Y))
		}}}, nil
	}}
}

// holes is a grid of one layer of which a part is missing.
func holes() *geometry.Grid {
	return generate.Grid([3]int32{40, 30, 1}, func(x, y, _ int32) bool { return (x*x+7*y+x*y)%23 > 0 })
}

func TestGasOnRanks(t *testing.T) {
	gasCase(holes(), [3]bool{true, true, false}, arithmetic.BGK).Accept(t)
	gasCase(generate.FullGrid([3]int32{40, 30, 1}), [3]bool{true, false, false}, arithmetic.Regularized).Accept(t)
}

// The moments of weights and velocities are those of a Maxwellian to order nine, and
// every velocity stands beside its opposite.
func TestVelocities(t *testing.T) {
	for n := range 10 {
		for m := range 10 - n {
			sum, want := 0.0, 1.0
			for _, v := range arithmetic.Velocities {
				sum += v.Weight * math.Pow(arithmetic.Spacing*float64(v.C.X), float64(n)) * math.Pow(arithmetic.Spacing*float64(v.C.Y), float64(m))
			}
			for _, k := range []int{n, m} {
				for i := 1; i < k; i += 2 {
					want *= float64(i)
				}
				if k%2 == 1 {
					want = 0
				}
			}
			if math.Abs(sum-want) > 1e-12*max(1, want) {
				t.Errorf("moment (%d, %d) is %g, want %g", n, m, sum, want)
			}
		}
	}
	for i, v := range arithmetic.Velocities {
		if o := arithmetic.Velocities[arithmetic.Opposite(i)]; o.C.X != -v.C.X || o.C.Y != -v.C.Y {
			t.Errorf("%v is said to be opposite to %v", o.C, v.C)
		}
	}
}

// The equilibrium has the moments that it is given.
func TestEquilibrium(t *testing.T) {
	f := arithmetic.Equilibrium().Evaluate([]float64{1.1, 0.04, -0.07, 0.75}, nil)
	rho, u, temperature := (&thermal.Gas{}).Moments(f)
	for i, pair := range [][2]float64{{rho, 1.1}, {u[0], 0.04}, {u[1], -0.07}, {temperature, 0.75}} {
		if math.Abs(pair[0]-pair[1]) > 1e-14 {
			t.Errorf("moment %d is %g, want %g", i, pair[0], pair[1])
		}
	}
}
