package thermal_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"carina/geometry/generate"
	"carina/internal/machine"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/enginetest"
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
	d := enginetest.Stacked(generate.FullGrid([3]int32{s.width, s.height * int32(ranks), 1}), s.height)
	d.Periodic = [3]bool{true, !s.walls, false}
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

// report gives million updates a second and the part of a copy's bandwidth.
func (s slab) report(b *testing.B, m enginetest.Took, ranks int, bandwidth float64) {
	cells := s.cells() * float64(ranks)
	b.ReportMetric(m.Setup, "setup-s")
	b.ReportMetric(cells/m.Step/1e6, "MLUPS")
	b.ReportMetric(cells*s.bytesOfCell()/m.Step/bandwidth, "of-copy")
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
					m := enginetest.Measure(b, s.domain(c.ranks), steps, s.moving, func(t transport.Transport) (solver.Device, error) {
						d, err := device.Open(t.Rank())
						if err != nil {
							return nil, err
						}
						return cuda.New(d, t, c.exchange), nil
					})
					s.report(b, m, c.ranks, about[0].Bandwidth*float64(c.ranks))
					if c.ranks == 1 {
						one = m.Step
					} else if one > 0 {
						b.ReportMetric(float64(c.ranks)*one/m.Step, "speedup")
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
		bandwidth := machine.NewCopier(runtime.GOMAXPROCS(0), 1<<28/runtime.GOMAXPROCS(0)).Bandwidth(4)
		m := enginetest.Measure(b, s.domain(1), 10, s.moving, func(t transport.Transport) (solver.Device, error) { return processor.New(0, t), nil })
		s.report(b, m, 1, bandwidth)
	}
}
