package shallow

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"

	"carina/geometry/generate"
	"carina/internal/race"
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
		if race.Enabled && !short {
			continue
		}
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
		physicstest.Same(t, *c)
	}
}

// Columns of cells that lie among others are computed to the same bits as on a processor,
// by lanes with two cells and, in rows of an odd number of cells, with one.
func TestColumnsOnGPU(t *testing.T) {
	for width, w := range map[int32]Water{124: {Edge: func(r3.Vec, Side) float64 { return Outflow }}, 125: {Euler: true, Single: true}} {
		g := generate.FullGrid([3]int32{width, 67, 1})
		g.Spacing, g.Origin = 1, r3.Vec{}
		c := &enginetest.Case{Grid: g, Steps: 2, Physics: func(*solver.Domain) (solver.Together, error) {
			w := w
			w.Gravity, w.Manning, w.Wet = 9.81, 0.02, 0.01
			w.Bottom = func(p r3.Vec) float64 { return 0.5 + 0.5*math.Sin(p.X*0.7)*math.Cos(p.Y*1.3) }
			w.Initial = func(p r3.Vec) (float64, [2]float64) {
				return max(0, 1+math.Sin(p.X*1.1+p.Y)-w.Bottom(p)), [2]float64{math.Sin(p.Y), math.Cos(p.X)}
			}
			return solver.Together{&w}, nil
		}}
		physicstest.Same(t, *c)
	}
}

// The speed of a step that is taken once more bounds no other one, on GPUs either: here friction
// slows the water.
func TestStepsThatAreTakenOnceMoreOnGPU(t *testing.T) {
	c := &enginetest.Case{Grid: field([2]int32{40, 30}, 40), Periodic: [3]bool{true, true, false}, Steps: 6, Physics: func(*solver.Domain) (solver.Together, error) {
		w := &Water{Gravity: gravity, Euler: true, Manning: 0.2, Initial: func(p r3.Vec) (float64, [2]float64) { return 0.5, [2]float64{3, p.Y / 300} }}
		return solver.Together{w}, nil
	}}
	physicstest.Same(t, *c)
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
		if a, b := r.Kernel(0).(Clock).Time(), r.Kernel(1).(Clock).Time(); a != b || a == 0 {
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
