package gpu

import (
	"math"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/devicetest"

	"gonum.org/v1/gonum/spatial/r3"
)

// The first sound to reach an opening is as faint as numbers can be, so that
// products of them vanish in single precision. What becomes of it there does not
// depend on how faint it is, as long as it is too faint to be carried along.
func TestFaintSound(t *testing.T) {
	devicetest.BesideOthers(t)
	g := cave(5, [3]bool{})
	for i := range g.Openings {
		n := &g.Openings[i].Normal
		*n = r3.Vec{X: 0.8 * n.X, Y: 0.36, Z: 0.48} // at an angle to the lattice
	}
	settings := caveSettings(g)
	settings.Collision, settings.FlowRate = airflow.Recursive, 0
	settings.TimeStep = 0.001 * g.Spacing * g.Spacing / settings.KinematicViscosity
	settings.Conditions = map[int]opening.Condition{1: {Kind: opening.ImposedPressure}}
	unit := g.Spacing / settings.TimeStep
	const loudest = -12 // below what moves air at an opening
	var want float64
	for exponent := loudest; exponent >= -36; exponent -= 2 {
		speed := math.Pow(10, float64(exponent)) * unit
		settings.Initial = func(r3.Vec) (float64, r3.Vec) {
			return 1.2 * speed * unit, r3.Scale(speed, g.Openings[1].Normal)
		}
		got := fastest(t, computed(t, solver.WholeDomain(g), settings, Single, 60)) / speed
		if exponent == loudest {
			want = got
		}
		if !(math.Abs(got/want-1) <= 1e-3) {
			t.Errorf("of sound of 1e%d remains the part %g, of louder sound %g", exponent, got, want)
		}
	}
}

// fastest is the largest velocity, or NaN.
func fastest(t *testing.T, s *airflow.Rank) (fastest float64) {
	t.Helper()
	fields, err := s.Fields()
	if err != nil {
		t.Fatal(err)
	}
	for i := range fields.Velocity[0] {
		v := math.Hypot(math.Hypot(float64(fields.Velocity[0][i]), float64(fields.Velocity[1][i])), float64(fields.Velocity[2][i]))
		if !(v <= fastest) {
			fastest = v
		}
	}
	return fastest
}
