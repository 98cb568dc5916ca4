package airflow

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/solver/airflow/collision"
	"carina/solver/lattice"

	"gonum.org/v1/gonum/spatial/r3"
)

// The traceless norm of a tensor is the same in any axes and without its mean; it
// is known from its principal values.
func TestTracelessNorm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a, b, c := random.NormFloat64(), random.NormFloat64(), random.NormFloat64()
		turn := r3.NewRotation(6*random.Float64(), r3.Vec{X: random.NormFloat64(), Y: random.NormFloat64(), Z: 1})
		x, y, z := turn.Rotate(r3.Vec{X: 1}), turn.Rotate(r3.Vec{Y: 1}), turn.Rotate(r3.Vec{Z: 1})
		at := func(of func(v r3.Vec) (float64, float64)) float64 {
			sum := 0.0
			for i, v := range []r3.Vec{x, y, z} {
				p, q := of(v)
				sum += []float64{a, b, c}[i] * p * q
			}
			return sum
		}
		s := [6]float64{
			at(func(v r3.Vec) (float64, float64) { return v.X, v.X }), at(func(v r3.Vec) (float64, float64) { return v.Y, v.Y }), at(func(v r3.Vec) (float64, float64) { return v.Z, v.Z }),
			at(func(v r3.Vec) (float64, float64) { return v.X, v.Y }), at(func(v r3.Vec) (float64, float64) { return v.X, v.Z }), at(func(v r3.Vec) (float64, float64) { return v.Y, v.Z }),
		}
		// Σ(λ−mean)² is a third of the squares of all differences.
		want := math.Sqrt(((a-b)*(a-b) + (b-c)*(b-c) + (c-a)*(c-a)) / 3)
		if got := tracelessNorm(s); math.Abs(got-want) > 1e-12*(1+want) {
			t.Fatalf("principal values %g, %g and %g: norm %g, want %g", a, b, c, got, want)
		}
	}
}

// The least parts that are forgotten go by the cell Reynolds number without a jump; in calm
// flow they are those of fine cells.
func TestLeastForgotten(t *testing.T) {
	const viscosity = 1e-3
	s := Settings{KinematicViscosity: viscosity}
	// With a velocity of one, the spacing sets the cell Reynolds number and the diameter
	// the other.
	faster := 1.0 // than at openings
	parts := func(cells, reynolds float64) [2]float64 {
		e := expected{peakVelocity: 1, openingVelocity: 1 / faster, widestDiameter: reynolds * viscosity}
		sums, differences := e.leastForgotten(cells*viscosity, &s)
		return [2]float64{sums, differences}
	}
	for _, c := range []struct{ cells, reynolds, sums, differences float64 }{
		{20, 2000, 1, 0.2}, {22, 2000, 1.1, 0.22}, {33, 2000, 3.65, 1.13}, {44, 2000, 6, 2}, {40, 500, 2, 0.4}, {80, 2000, 6, 2}, {80, 500, 2, 0.4}, {80, 750, 4, 1.2}, {130, 2000, 9.2, 1.3}, {200, 2000, 10, 0.6}, {275, 2000, 11, 0.6}, {300, 2000, 12, 0.6}, {350, 2000, 8.5, 1.15}, {1000, 2000, 5, 1.7}, {1000, 500, 2, 0.4},
	} {
		got := parts(c.cells, c.reynolds)
		if math.Abs(got[0]-c.sums) > 1e-9 || math.Abs(got[1]-c.differences) > 1e-9 {
			t.Errorf("at cell Reynolds number %g and Reynolds number %g: %.4g, want %g and %g", c.cells, c.reynolds, got, c.sums, c.differences)
		}
	}
	faster = 9
	for _, c := range []struct{ cells, sums, differences float64 }{{40, 2, 0.4}, {52, 2, 0.4}, {63, 4, 1.2}, {74, 6, 2}, {130, 9.2, 1.3}} {
		if got := parts(c.cells, 2000); math.Abs(got[0]-c.sums) > 1e-9 || math.Abs(got[1]-c.differences) > 1e-9 {
			t.Errorf("in a jet at cell Reynolds number %g: %.4g, want %g and %g", c.cells, got, c.sums, c.differences)
		}
	}
	faster = 1
	before := parts(0, 2000)
	for cells := 1.0; cells < 400; cells++ {
		now := parts(cells, 2000)
		for i := range now {
			if math.Abs(now[i]-before[i]) > 0.25 {
				t.Errorf("from cell Reynolds number %g to %g: %.4g and %.4g", cells-1, cells, before, now)
			}
		}
		before = now
	}
}

// Steps that are shorter than usual change the rates of the recursive operator where cells
// are coarse, and nothing elsewhere, without a jump.
func TestShortStepRates(t *testing.T) {
	const viscosity = 1e-3
	faster := 1.0 // than at openings
	rates := func(cells, reynolds, latticeVelocity float64, s Settings) [2]float64 {
		s.KinematicViscosity = viscosity
		a := airflow{
			settings: s, expected: expected{peakVelocity: 1, openingVelocity: 1 / faster, widestDiameter: reynolds * viscosity},
			units: Units{Spacing: cells * viscosity, TimeStep: latticeVelocity * cells * viscosity},
		}
		return [2]float64{a.shortStepDifferences(), a.traceKept()}
	}
	remembering, forgetful, eddies := Settings{Memory: 1}, Settings{}, Settings{Memory: 1, Smagorinsky: 0.1}
	for _, c := range []struct {
		cells, reynolds, latticeVelocity float64
		settings                         Settings
		differences, trace               float64
	}{
		{400, 2000, 0.1, remembering, 1, 0}, {400, 2000, 0.09, remembering, 1, 0},
		{400, 2000, 0.045, remembering, 1 / 1.625, -0.7 / 3}, {400, 2000, 0.0225, remembering, 1 / 1.9375, -0.42},
		{400, 2000, 0.001, remembering, 1 / 1.9375, -0.42},
		{400, 600, 0.045, remembering, 1, 0}, {400, 2000, 0.045, forgetful, 1, 0}, {400, 2000, 0.045, eddies, 1, 0},
		{220, 2000, 0.045, remembering, 1, -0.35}, {260, 2000, 0.045, remembering, 1 / 1.3125, -0.35},
		{110, 2000, 0.09, remembering, 1, 0}, {130, 2000, 0.09, remembering, 1, -0.35 / 2}, {200, 2000, 0.09, remembering, 1, -0.35},
		{300, 2000, 0.09, remembering, 1, -0.35}, {350, 2000, 0.09, remembering, 1, -0.35 / 2}, {200, 600, 0.09, remembering, 1, 0},
		{200, 2000, 0.0225, remembering, 1, -0.42}, {200, 2000, 0.09, forgetful, 1, 0},
		{60, 2000, 0.045, remembering, 1, -0.35 / 3}, {40, 2000, 0.045, remembering, 1, 0},
	} {
		got := rates(c.cells, c.reynolds, c.latticeVelocity, c.settings)
		if math.Abs(got[0]-c.differences) > 1e-9 || math.Abs(got[1]-c.trace) > 1e-9 {
			t.Errorf("at %+v: %.4g", c, got)
		}
	}
	for _, c := range []struct{ faster, differences float64 }{{2, 1 / 1.625}, {3, 1 / 1.3125}, {4, 1}, {9, 1}} {
		faster = c.faster
		if got := rates(400, 2000, 0.045, remembering); math.Abs(got[0]-c.differences) > 1e-9 || math.Abs(got[1]+0.7/3) > 1e-9 {
			t.Errorf("in a jet %g times as fast as air at openings: %.4g", c.faster, got)
		}
	}
}

// Third cumulants are limited from a larger size on in shorter steps, and from the one of
// their authors in usual ones and where the velocity is not known before.
func TestThirdLimitByStep(t *testing.T) {
	const spacing = 1e-3
	for _, c := range []struct{ peak, latticeVelocity, smagorinsky, want float64 }{
		{1, 0.1, 0, 0.01}, {1, 0.09, 0, 0.01}, {1, 0.0225, 0, 0.32}, {1, 0.001, 0, 0.32}, {0, 0.001, 0, 0.01}, {1, 0.0225, 0.1, 0.01},
	} {
		s := DefaultSettings()
		s.Collision, s.Smagorinsky = Cumulant, c.smagorinsky
		a := airflow{settings: s, set: lattice.D3Q27, expected: expected{peakVelocity: c.peak}, units: Units{Spacing: spacing, TimeStep: c.latticeVelocity * spacing, KinematicViscosity: 1e-5}}
		if got := a.parameters()[collision.ThirdLimit]; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// Walls are of linear interpolation where sums and differences are forgotten at unlike
// rates and as much is remembered as usual, and what arrives there reflected elsewhere.
func TestWallScheme(t *testing.T) {
	const viscosity = 1e-3
	for _, c := range []struct {
		settings        Settings
		cells, reynolds float64
		reflects        bool
	}{
		{Settings{Memory: 1}, 100, 2000, true}, {Settings{Memory: 1}, 129, 2000, true}, {Settings{Memory: 1}, 131, 2000, false},
		{Settings{Memory: 1}, 300, 2000, false}, {Settings{Memory: 1}, 349, 2000, false}, {Settings{Memory: 1}, 351, 2000, true}, {Settings{Memory: 1}, 200, 600, true},
		{Settings{Memory: 0.5}, 200, 2000, true}, {Settings{}, 200, 2000, true},
		{Settings{Memory: 1, Collision: Cumulant}, 200, 2000, true}, {Settings{Memory: 1, Collision: TRT}, 200, 2000, false}, {Settings{Memory: 1, Wall: Quadratic}, 100, 2000, false},
	} {
		s := c.settings
		s.KinematicViscosity = viscosity
		if s.Collision == "" {
			s.Collision = Recursive
		}
		if s.Wall == "" {
			s.Wall = Interpolated
		}
		a := airflow{
			settings: s, expected: expected{peakVelocity: 1, openingVelocity: 1, widestDiameter: c.reynolds * viscosity},
			units: Units{Spacing: c.cells * viscosity, TimeStep: 0.1 * c.cells * viscosity, KinematicViscosity: viscosity},
		}
		if got := a.wallScheme(); got.Reflects != c.reflects || !got.Interpolated {
			t.Errorf("%s, %s, memory %g at cell Reynolds number %g, Reynolds number %g: %+v", s.Collision, s.Wall, s.Memory, c.cells, c.reynolds, got)
		}
	}
}
