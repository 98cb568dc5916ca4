package scalar

import (
	"math"
	"os"
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/physicstest"
	"carina/solver/enginetest"

	"gonum.org/v1/gonum/spatial/r3"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// Wind carries a scalar on processors and on GPUs.
func TestScalarOnGPUs(t *testing.T) {
	c := enginetest.Case{Grid: generate.BallsGrid([3]int32{14, 12, 10}, 5, 3), Periodic: [3]bool{true, false, false}, Steps: 8, Physics: func(*solver.Domain) (solver.Together, error) {
		wind := &Wind{Velocity: func(p r3.Vec) [3]float64 { return [3]float64{0.05 * math.Sin(900*p.Y), 0.03, 0.02 * math.Cos(700*p.X)} }}
		return solver.Together{wind, &Scalar{Diffusivity: 0.03, Initial: func(p r3.Vec) float64 { return 1 + p.X }}}, nil
	}}
	t.Run("processors", c.Accept)
	physicstest.Accept(t, c)
}
