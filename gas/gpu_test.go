package gas

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"carina"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// A gas on GPUs has the bits and the history of processors, and goes on there from what
// processors have kept.
func TestGPUs(t *testing.T) {
	c := Case{Scene: "rayleigh-taylor", Size: [2]int{12, 16}, Steps: 30, Every: 15}
	one := finished(t, c).Summary()
	first := c
	first.Steps, first.Output = 15, filepath.Join(t.TempDir(), "out")
	computed(t, first, Options{Checkpoints: carina.Checkpoints{End: true}})
	from, err := carina.OpenCheckpoint(first.Output)
	if err != nil {
		t.Fatal(err)
	}
	c.Output, c.Ranks, c.Cut = first.Output, 2, "tiles"
	for _, o := range []Options{{}, {Restart: from}} {
		f, err := Open(context.Background(), c, o)
		if err != nil {
			t.Fatal(err)
		}
		devices := devicetest.Open(t, c.Ranks)
		f.ranks.Open = func(t transport.Transport) (solver.Device, error) {
			return cuda.New(devices[t.Rank()], t, cuda.Host), nil
		}
		if err := f.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := f.Summary(); got.Hash != one.Hash || got.First != one.First || got.Last != one.Last {
			t.Errorf("%+v on GPUs, want %+v", got, one)
		}
	}
}

// Cells of a gas change owner between GPUs, one of which is slow, and have the bits and the
// history of processors.
func TestCellsMoveBetweenGPUs(t *testing.T) {
	c := Case{Scene: "rayleigh-taylor", Size: [2]int{16, 40}, Steps: 160, Every: 20}
	one := finished(t, c).Summary()
	c.Ranks, c.Cut = 2, "tiles"
	moves := 0
	f, err := Open(context.Background(), c, Options{Rebalance: carina.Rebalancing{On: true, Every: 20}, Look: func(l carina.Look) {
		if l.Moves() {
			moves++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	open := devicetest.Reaching(t)
	f.ranks.Open = func(t transport.Transport) (solver.Device, error) {
		gpu, err := open(t.Rank())
		return cuda.New(&devicetest.Timed{Device: gpu, Takes: func(blocks int) float64 { return float64(blocks * (1 + 2*t.Rank())) }}, t, cuda.Host), err
	}
	if err := f.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := f.Summary(); moves == 0 || got.Hash != one.Hash || got.First != one.First || got.Last != one.Last {
		t.Errorf("%+v after %d moves on GPUs, want %+v", got, moves, one)
	}
}
