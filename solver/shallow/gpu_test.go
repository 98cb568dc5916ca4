package shallow

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/physicstest"
	"carina/solver/enginetest"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

func TestWaterOnGPUs(t *testing.T) {
	for _, short := range []bool{false, true} {
		c := pondCase(short, short)
		c.Steps = 4
		physicstest.Accept(t, *c)
	}
}

// Leaving out what is dry changes no bit on GPUs either.
func TestDryCellsAreLeftOutOnGPU(t *testing.T) {
	for _, w := range []Water{{}, {Euler: true, Single: true}} {
		c := shore(w, w.Euler)
		c.Steps = 5
		want := c.Hashes(t)
		c.Device = func(_ int, tr transport.Transport) (solver.Device, error) {
			gpu, err := devicetest.Fresh(t, 0)
			return cuda.New(gpu, tr, ""), err
		}
		if got := c.Hashes(t); !slices.Equal(got, want) {
			t.Errorf("%+v: %x on a GPU, %x on a processor", w, got, want)
		}
	}
}

// gpuRank prepares waters on one GPU.
func gpuRank(t *testing.T, tr transport.Transport, initial func(r3.Vec) (float64, [2]float64), waters int) (*solver.Rank, error) {
	gpu, err := devicetest.Fresh(t, 0)
	if err != nil {
		return nil, err
	}
	var list solver.Together
	for range waters {
		list = append(list, &Water{Gravity: 9.81, Initial: initial})
	}
	return solver.NewRank(solver.WholeDomain(pond()), list, cuda.New(gpu, tr, ""), tr, solver.Options{})
}

// Two physics that reduce after the same phase do so in turn on a GPU, too, and steps may
// be checked.
func TestWatersTogetherOnGPU(t *testing.T) {
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		r, err := gpuRank(t, tr, dam, 2)
		if err != nil {
			return err
		}
		defer r.Close()
		for range 5 {
			if err := r.Step(); err != nil {
				return err
			}
		}
		if _, err := r.Check(context.Background()); err != nil {
			return err
		}
		if a, b := r.Kernel(0).(*onGPU[float64]).Time(), r.Kernel(1).(*onGPU[float64]).Time(); a != b || a == 0 {
			t.Errorf("equal waters are at %g s and at %g s", a, b)
		}
		return nil
	})
}

// A GPU names the first cell whose values make no sense.
func TestDivergedOnGPU(t *testing.T) {
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		bad := pond().Center(7, 3, 0)
		r, err := gpuRank(t, tr, func(p r3.Vec) (float64, [2]float64) {
			if p == bad {
				return 1, [2]float64{math.NaN(), 0}
			}
			return 1, [2]float64{}
		}, 1)
		if err != nil {
			return err
		}
		defer r.Close()
		var diverged *solver.DivergedError
		_, err = r.Check(context.Background())
		if !errors.As(err, &diverged) {
			t.Errorf("a value that is no number is not found: %v", err)
			return nil
		}
		if at, ok := r.Layout().Coordinates(diverged.Cell); !ok || at != [3]int32{7, 3, 0} {
			t.Errorf("cell %v is named", at)
		}
		return nil
	})
}
