package water

import (
	"context"
	"os"
	"testing"

	"carina"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// Cells of a flood change owner between GPUs, one of which is slow, and have the bits and
// the gauges of processors.
func TestCellsMoveBetweenGPUs(t *testing.T) {
	c := valley("")
	c.Time = "60s"
	one := computed(t, c, Options{})
	c.Ranks = 2
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
	if err := same(f, one); err != nil || moves == 0 {
		t.Errorf("%d moves: %v", moves, err)
	}
}
