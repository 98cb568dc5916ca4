package thermal_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/processor"
	"carina/solver/thermal"
	"carina/solver/thermal/arithmetic"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// slab is what a rank computes: a box of so many cells, one above the other, periodic, or
// between walls and regularized.
type slab struct {
	width, height int32
	single, walls bool
}

func (s slab) String() string {
	return fmt.Sprintf("%dx%d%s%s", s.width, s.height, map[bool]string{true: "single"}[s.single], map[bool]string{true: "walls"}[s.walls])
}

func (s slab) cells() float64 { return float64(s.width) * float64(s.height) }

// bytesOfCell is what a step reads and writes of a cell.
func (s slab) bytesOfCell() float64 {
	if s.single {
		return 2 * 4 * arithmetic.Populations
	}
	return 2 * 8 * arithmetic.Populations
}

func (s slab) domain(ranks int) *solver.Domain {
	g := generate.FullGrid([3]int32{s.width, s.height * int32(ranks), 1})
	d := &solver.Domain{Grid: g, Ranks: ranks, Periodic: [3]bool{true, !s.walls, false}}
	for _, r := range g.Runs {
		d.Segments = append(d.Segments, cuboid.Segment{Run: geometry.Run{X0: r.X0, X1: r.X1, Y: r.Y, Z: r.Z}, Cuboid: r.Y / s.height})
	}
	for rank := range ranks {
		d.Owners = append(d.Owners, int32(rank))
	}
	return d
}

// moving is a gas in motion.
func (s slab) moving() solver.Together {
	g := &thermal.Gas{Tau: 0.8, Single: s.single, Initial: func(p r3.Vec) thermal.State {
		return thermal.State{Density: 1, Velocity: [2]float64{0.03 * math.Sin(100*p.Y), 0}, Temperature: 0.7}
	}}
	if s.walls {
		g.Collision, g.Walls = arithmetic.Regularized, &thermal.Walls{Bottom: 0.7, Top: 0.7}
	}
	return solver.Together{g}
}

// measured is what a run of all ranks takes, in seconds.
type measured struct{ setup, step float64 }

// measure runs ranks on devices; those behind the first are timed with it.
func measure(b *testing.B, s slab, ranks, steps int, open func(t transport.Transport) (solver.Device, error)) (m measured) {
	b.Helper()
	domain := s.domain(ranks)
	var all sync.WaitGroup
	for _, t := range transport.NewLocal(ranks) {
		all.Go(func() {
			fail := func(err error) bool {
				if err != nil {
					b.Error(err)
					t.Abort(err)
				}
				return err != nil
			}
			d, err := open(t)
			if fail(err) {
				return
			}
			begin := time.Now()
			r, err := solver.NewRank(domain, s.moving(), d, t, solver.Options{})
			if fail(err) {
				return
			}
			defer r.Close()
			if fail(d.Wait()) {
				return
			}
			setup := time.Since(begin).Seconds()
			run := func(n int) bool {
				for range n {
					if fail(r.Step()) {
						return false
					}
				}
				return !fail(d.Wait()) && !fail(t.Reduce(transport.Max, []int64{0}))
			}
			if !run(4) {
				return
			}
			begin = time.Now()
			if run(steps) && t.Rank() == 0 {
				m = measured{setup, time.Since(begin).Seconds() / float64(steps)}
			}
		})
	}
	all.Wait()
	if b.Failed() {
		b.FailNow()
	}
	return m
}

// report gives million updates a second and the part of a copy's bandwidth.
func (m measured) report(b *testing.B, s slab, ranks int, bandwidth float64) {
	cells := s.cells() * float64(ranks)
	b.ReportMetric(m.setup, "setup-s")
	b.ReportMetric(cells/m.step/1e6, "MLUPS")
	b.ReportMetric(cells*s.bytesOfCell()/m.step/bandwidth, "of-copy")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkGasOnGPUs measures boxes in both precisions on a GPU and, weakly scaled, on two.
func BenchmarkGasOnGPUs(b *testing.B) {
	const steps = 200
	if devicetest.Open(b, 1)[0].Name() == "emulated" {
		b.Skip("GPUs are emulated; build with the tag cuda where there are any")
	}
	about, err := device.Devices()
	if err != nil {
		b.Skip(err)
	}
	for _, s := range []slab{{width: 1024, height: 8192}, {width: 3600, height: 3600}, {width: 1024, height: 8192, walls: true}, {width: 1024, height: 8192, single: true}, {width: 3600, height: 3600, single: true}} {
		one := 0.0
		for _, c := range []struct {
			ranks    int
			exchange cuda.Exchange
		}{{1, ""}, {2, cuda.IPC}, {2, cuda.Host}} {
			b.Run(fmt.Sprintf("%v/GPUs=%d%s", s, c.ranks, c.exchange), func(b *testing.B) {
				if c.ranks > len(about) {
					b.Skip("there are not as many GPUs")
				}
				for range b.N {
					m := measure(b, s, c.ranks, steps, func(t transport.Transport) (solver.Device, error) {
						d, err := device.Open(t.Rank())
						if err != nil {
							return nil, err
						}
						return cuda.New(d, t, c.exchange), nil
					})
					m.report(b, s, c.ranks, about[0].Bandwidth*float64(c.ranks))
					if c.ranks == 1 {
						one = m.step
					} else if one > 0 {
						b.ReportMetric(float64(c.ranks)*one/m.step, "speedup")
					}
				}
			})
		}
	}
}

// BenchmarkGas measures a processor with all its workers, each time after a copy.
func BenchmarkGas(b *testing.B) {
	s := slab{width: 720, height: 720}
	for range b.N {
		bandwidth := copyBandwidth()
		m := measure(b, s, 1, 10, func(t transport.Transport) (solver.Device, error) { return processor.New(0, t), nil })
		m.report(b, s, 1, bandwidth)
	}
}

// copyBandwidth is that of a copy by all workers, in bytes read and written a second.
func copyBandwidth() (best float64) {
	const words = 1 << 25
	from, to := make([]uint64, words), make([]uint64, words)
	for i := range from {
		from[i] = uint64(i) // memory that was never written is one page
	}
	for range 4 {
		begin := time.Now()
		const parts = 16
		var all sync.WaitGroup
		for i := range parts {
			all.Go(func() { copy(to[i*words/parts:(i+1)*words/parts], from[i*words/parts:]) })
		}
		all.Wait()
		best = max(best, 16*words/time.Since(begin).Seconds())
	}
	return best
}
