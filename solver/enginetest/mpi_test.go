//go:build mpi

package enginetest_test

import (
	"math"
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/enginetest"
	"carina/solver/scalar"
	"carina/solver/shallow"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// TestUnderMPI is run by TestMPI with mpirun: water, and air with a scalar, have the
// state of a single rank after every step.
func TestUnderMPI(t *testing.T) {
	connection, finish, err := transport.ConnectMPI()
	if err != nil {
		t.Fatal(err)
	}
	defer finish()
	water := enginetest.Case{Grid: generate.NoiseGrid([3]int32{30, 20, 1}, 0.8, 2), Steps: 9, Physics: func(*solver.Domain) (solver.Together, error) {
		return solver.Together{&shallow.Water{Gravity: 9.81, Initial: func(p r3.Vec) (float64, [2]float64) {
			return 1 + 0.2*math.Sin(1e3*p.X), [2]float64{}
		}}}, nil
	}}
	water.AcceptRank(t, connection)
	warm := enginetest.Case{Grid: generate.BallsGrid([3]int32{18, 16, 12}, 6, 3), Steps: 9, Physics: func(d *solver.Domain) (solver.Together, error) {
		s := airflow.DefaultSettings()
		s.FlowRate, s.RampTime, s.Wall, s.TimeStep = 0, -1, airflow.BounceBack, 2e-3
		s.BodyForce = [3]float64{0.3, 0.2, 0.1}
		air, err := airflow.Carrier(d, s)
		return solver.Together{air, &scalar.Scalar{Diffusivity: 0.03, Initial: func(p r3.Vec) float64 { return p.X }}}, err
	}}
	warm.AcceptRank(t, connection)
}
