package gpu

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"carina/cuboid"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda"
	"carina/solver/cuda/devicetest"
	"carina/solver/share"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// A rank without walls of its own sends what those of other ranks need of it.
func TestRankWithoutWalls(t *testing.T) {
	devicetest.BesideOthers(t)
	const side, first, last = 16, 3, 13
	inside := func(x int32) bool { return x >= first && x < last }
	g := makeGrid([3]int32{side, side, side}, [3]bool{true, false, false}, func(x, y, z int32) bool {
		return inside(x) && inside(y) && inside(z)
	}, rand.New(rand.NewPCG(1, 5)))
	bricks, err := cuboid.Bricks(g, [3]int32{4, 4, 4})
	if err != nil {
		t.Fatal(err)
	}
	d := &solver.Domain{Grid: g, Ranks: 2}
	for _, b := range bricks {
		owner := int32(1)
		for a := range 3 {
			if b.Min[a] < 4 || b.Max[a] > 12 {
				owner = 0
			}
		}
		d.Owners = append(d.Owners, owner)
	}
	if d.Segments, err = cuboid.Label(g, bricks); err != nil {
		t.Fatal(err)
	}
	settings := caveSettings(g)
	settings.BodyForce = [3]float64{30, 20, 10}
	settings.Wall, settings.Collision = airflow.Quadratic, airflow.TRT
	run := func(d *solver.Domain, exchange cuda.Exchange) *airflow.Summary {
		b := on(devicetest.Open(t, d.Ranks), Options{Exchange: exchange})
		return must(airflow.RunInProcessOn(context.Background(), b, d, settings, airflow.Plan{Steps: 8}))
	}
	want := run(solver.WholeDomain(g), "")
	if want.Wall != airflow.Quadratic || want.PeakVelocity == 0 {
		t.Fatalf("walls are %s, the air moves with %g m/s", want.Wall, want.PeakVelocity)
	}
	for _, exchange := range []cuda.Exchange{cuda.IPC, cuda.Host} {
		if exchange == cuda.IPC && !devicetest.ReachEachOther(d.Ranks) {
			continue
		}
		if got := run(d, exchange); got.StateHash != want.StateHash {
			t.Errorf("two ranks by %s end in %s, one in %s", exchange, got.StateHash, want.StateHash)
		}
	}
	devices := on(devicetest.Open(t, d.Ranks), Options{})
	for rank, err := range onRanks(t, d.Ranks, func(tr transport.Transport) error {
		share, err := share.Cut(d, tr.Rank())
		if err != nil {
			return err
		}
		got, err := airflow.RunRankOn(context.Background(), devices, share, settings, airflow.Plan{Steps: 8}, tr)
		if err == nil && got.StateHash != want.StateHash {
			t.Errorf("rank %d with a share ends in %s, one rank in %s", tr.Rank(), got.StateHash, want.StateHash)
		}
		return err
	}) {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// What the first step leaves for the next at quadratic walls is seen and saved before
// that, too: the first step of all, and the first after a state was loaded.
func TestQuadraticWallsAfterOneStep(t *testing.T) {
	devicetest.BesideOthers(t)
	domain := solver.WholeDomain(cave(7, [3]bool{}))
	settings := caveSettings(domain.Grid)
	settings.Wall, settings.Collision, settings.Precision = airflow.Quadratic, airflow.TRT, airflow.Double
	settings.Initial = func(p r3.Vec) (float64, r3.Vec) {
		return 0.3 * math.Sin(2000*p.X), r3.Vec{X: 0.05 * math.Cos(1500*p.Y), Y: 0.03}
	}
	alone, gpu := processorRank(t, domain, settings), computed(t, domain, settings, Single, 0)
	for range 3 {
		step(t, alone, 1)
		step(t, gpu, 1)
		compareFields(t, must(gpu.Fields()), must(alone.Fields()), fieldRounding)
		saved := []*solver.State{must(gpu.SaveState())}
		if err := gpu.LoadState(saved); err != nil {
			t.Fatal(err)
		}
	}
}
