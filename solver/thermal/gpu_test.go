package thermal_test

import (
	"os"
	"slices"
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/physicstest"
	"carina/solver/enginetest"
	"carina/solver/thermal/arithmetic"
	"carina/solver/transport"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

func TestGasOnGPUs(t *testing.T) {
	c := gasCase(holes(), [3]bool{true, true, false}, arithmetic.Regularized)
	c.Steps = 7
	physicstest.Accept(t, *c)
}

// Every operator, with walls and without, has the bits of processors.
func TestCollisionsOnGPUs(t *testing.T) {
	named(t, func(t *testing.T, collision arithmetic.Collision) {
		narrow := gasCase(generate.FullGrid([3]int32{12, 1, 1}), [3]bool{true, true, false}, collision)
		for _, c := range []*enginetest.Case{gasCase(holes(), [3]bool{true, true, false}, collision), narrow, walled(collision), single(walled(collision))} {
			c.Steps = 4
			want := c.Hashes(t)
			c.Device = func(_ int, tr transport.Transport) (solver.Device, error) {
				return cuda.New(devicetest.Open(t, 1)[0], tr, cuda.Host), nil
			}
			if got := c.Hashes(t); !slices.Equal(got, want) {
				t.Errorf("%x on a GPU, %x on a processor", got, want)
			}
		}
	})
}
