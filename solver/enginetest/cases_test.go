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

// acceptRank compares a rank of water, and of air with a scalar, with one alone.
func acceptRank(t *testing.T, connection transport.Transport) {
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

// Ranks of one process have the state of a single rank after every step.
func TestRanksOfAProcess(t *testing.T) {
	enginetest.OnRanks(t, 3, func(tr transport.Transport) error {
		acceptRank(t, tr)
		return nil
	})
}
