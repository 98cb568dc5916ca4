package tiles_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// box is fluid everywhere and periodic.
func box(size [3]int32) *solver.Domain {
	g := &geometry.Grid{Spacing: 1e-4, Size: size, Links: geometry.Links{Directions: 26}}
	for z := range size[2] {
		for y := range size[1] {
			g.Runs = append(g.Runs, geometry.Run{X1: size[0], Y: y, Z: z})
		}
	}
	d := solver.WholeDomain(g)
	d.Periodic = [3]bool{true, true, true}
	return d
}

// fastest is about the largest velocity of stirred air, in m/s.
const fastest = 0.2

// stirred are settings of air that moves otherwise in every cell.
func stirred() airflow.Settings {
	s := airflow.DefaultSettings()
	s.Workers, s.Collision, s.LatticeVelocity, s.FlowRate = 1, airflow.TRT, 0.05, 2e-7
	s.Initial = func(at r3.Vec) (float64, r3.Vec) {
		random := rand.New(rand.NewPCG(uint64(at.X*1e7), uint64(at.Y*1e7)<<20|uint64(at.Z*1e7)))
		return 0.01 * random.Float64(), r3.Vec{X: fastest * random.Float64(), Y: 0.1 * random.Float64(), Z: -0.1 * random.Float64()}
	}
	return s
}

// compute lets ranks, each on a device of its backend, do some steps and shows them.
func compute(t *testing.T, domain *solver.Domain, settings airflow.Settings, steps int, backend func(rank int) airflow.Backend, show func(r *airflow.Rank) error) {
	t.Helper()
	run := func(tr transport.Transport) error {
		r, err := airflow.NewRankOn(backend(tr.Rank()), domain, settings, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		for range steps {
			if err := r.Engine().Step(); err != nil {
				return err
			}
		}
		return show(r)
	}
	failures := make([]error, domain.Ranks)
	var all sync.WaitGroup
	for i, tr := range transport.NewLocal(domain.Ranks) {
		all.Go(func() {
			if failures[i] = run(tr); failures[i] != nil {
				tr.Abort(failures[i])
			}
		})
	}
	all.Wait()
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
}

// Whatever crosses between tiles of different ranks, in whichever way, is what moves
// between tiles of one.
func TestRanksExchangeWhatOneMoves(t *testing.T) {
	devicetest.BesideOthers(t)
	const steps = 7
	size := [3]int32{16, 12, 8}
	channel := solver.WholeDomain(generate.LinkedGrid(size, 1e-4, [3]bool{true, true, false}, func(_, _, _ int32) bool { return true },
		func(x, y, _ int32, _ geometry.Offset) (fraction float64, opening int) {
			return 0.25 + float64(x+y)/64, 0
		}, nil))
	channel.Periodic = [3]bool{true, true, false}
	for _, c := range []struct {
		name   string
		whole  *solver.Domain
		change func(*airflow.Settings)
	}{
		{"double precision", box(size), func(s *airflow.Settings) { s.Precision = airflow.Double }},
		{"16 bits, corners", box(size), func(s *airflow.Settings) { s.Precision, s.Lattice = airflow.Half, airflow.D3Q27 }},
		// Their walls need values of cells behind those at the wall, which other tiles have.
		{"quadratic walls", channel, func(s *airflow.Settings) { s.Wall = airflow.Quadratic }},
	} {
		settings := stirred()
		c.change(&settings)
		var want uint64
		for _, way := range []struct {
			ranks    int
			exchange cuda.Exchange
		}{{1, ""}, {2, cuda.IPC}, {3, cuda.IPC}, {3, cuda.Host}} {
			if way.exchange == cuda.IPC && !devicetest.ReachEachOther(way.ranks) {
				continue
			}
			domain, err := gpu.Divide(c.whole, way.ranks, gpu.Single)
			if err != nil {
				t.Fatal(err)
			}
			devices := devicetest.Open(t, way.ranks)
			backend := gpu.BackendOn(func(tr transport.Transport) (device.Device, error) { return devices[tr.Rank()], nil }, gpu.Options{Exchange: way.exchange})
			hashes := make([]uint64, way.ranks)
			compute(t, domain, settings, steps, func(int) airflow.Backend { return backend }, func(r *airflow.Rank) (err error) {
				hashes[r.Number()], err = r.Hash()
				return err
			})
			if want == 0 {
				want = hashes[0]
			}
			for rank, h := range hashes {
				if h != want {
					t.Errorf("%s: rank %d of %d by %q ends in %016x, one alone in %016x", c.name, rank, way.ranks, way.exchange, h, want)
				}
			}
		}
	}
}

// With ranks on processors values go one by one, and the flow is what processors alone
// reach.
func TestValuesReachProcessors(t *testing.T) {
	devicetest.BesideOthers(t)
	const steps = 6
	devicetest.Open(t, 1) // or the test is skipped
	domain, err := gpu.Divide(box([3]int32{16, 12, 8}), 3, gpu.Single)
	if err != nil {
		t.Fatal(err)
	}
	settings := stirred()
	settings.Precision, settings.Lattice = airflow.Double, airflow.D3Q27
	gpus := gpu.BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, gpu.Options{})
	fields := func(backend func(rank int) airflow.Backend) (all *airflow.Fields) {
		compute(t, domain, settings, steps, backend, func(r *airflow.Rank) error {
			f, err := r.Gather()
			if r.Number() == 0 {
				all = f
			}
			return err
		})
		return all
	}
	// In double precision, fields are the same in the 32 bits in which they come, but
	// for where these are rounded.
	const rounding = 1e-6
	want := fields(func(int) airflow.Backend { return nil })
	for _, onGPU := range []int{0, 1} {
		got := fields(func(rank int) airflow.Backend {
			if rank%2 == onGPU {
				return gpus
			}
			return nil
		})
		for a := range 3 {
			for i, v := range want.Velocity[a] {
				if d := math.Abs(float64(got.Velocity[a][i] - v)); d > rounding*fastest {
					t.Fatalf("with ranks %d, … on GPUs component %d of cell %d is %g, %g on processors alone", onGPU, a, i, got.Velocity[a][i], v)
				}
			}
		}
	}
}
