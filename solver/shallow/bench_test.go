package shallow

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/machine"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/processor"
	"carina/solver/transport"

	"golang.org/x/sys/unix"
	"gonum.org/v1/gonum/spatial/r3"
)

// flood is water on flat ground of side² cells a rank, above each other, of which a part is
// wet.
type flood struct {
	Water
	side  int32
	part  float64
	ranks int
}

// leastBytes are what a step reads and writes of a cell: of Euler's method, and of Heun's
// where the second stage makes the water of the first anew.
func (f *flood) leastBytes() float64 {
	if f.Euler {
		return 28
	}
	return 68
}

// domain gives each rank a square.
func (f *flood) domain() *solver.Domain {
	g := generate.FullGrid([3]int32{f.side, f.side * int32(f.ranks), 1})
	g.Spacing, g.Origin = 1, r3.Vec{}
	d := &solver.Domain{Grid: g, Ranks: f.ranks}
	for _, r := range g.Runs {
		d.Segments = append(d.Segments, cuboid.Segment{Run: geometry.Run{X0: r.X0, X1: r.X1, Y: r.Y, Z: r.Z}, Cuboid: r.Y / f.side})
	}
	for rank := range f.ranks {
		d.Owners = append(d.Owners, int32(rank))
	}
	return d
}

// initial lets waves stand on the water, which is a circle's unless all is wet.
func (f *flood) initial(p r3.Vec) (float64, [2]float64) {
	side := float64(f.side)
	y := math.Mod(p.Y, side)
	if f.part < 1 && math.Hypot(p.X-side/2, y-side/2) > side*math.Sqrt(f.part/math.Pi) {
		return 0, [2]float64{}
	}
	return 1 + 0.1*math.Sin(p.X/30), [2]float64{}
}

// measure returns what a step of all ranks takes, in seconds, and in those of processors.
func (f flood) measure(b *testing.B, steps int, open func(t transport.Transport) (solver.Device, error)) (step, busy float64) {
	b.Helper()
	f.Gravity, f.Single, f.Initial = gravity, true, f.initial
	domain := f.domain()
	var all sync.WaitGroup
	for _, t := range transport.NewLocal(f.ranks) {
		all.Go(func() {
			run := func() error {
				d, err := open(t)
				if err != nil {
					return err
				}
				w := f.Water
				r, err := solver.NewRank(domain, solver.Together{&w}, d, t, solver.Options{})
				if err != nil {
					return err
				}
				defer r.Close()
				var begin time.Time
				var before float64
				const first = 4
				for n := range first + steps {
					if n == first {
						if err := d.Wait(); err != nil {
							return err
						}
						begin, before = time.Now(), processorTime()
					}
					if err := r.Step(); err != nil {
						return err
					}
				}
				if err := d.Wait(); err != nil {
					return err
				}
				if err := t.Reduce(transport.Max, []int64{0}); err != nil {
					return err
				}
				if t.Rank() == 0 {
					step, busy = time.Since(begin).Seconds()/float64(steps), (processorTime()-before)/float64(steps)
				}
				return nil
			}
			if err := run(); err != nil {
				b.Error(err)
				t.Abort(err)
			}
		})
	}
	all.Wait()
	if b.Failed() {
		b.FailNow()
	}
	return step, busy
}

// processorTime is what this process has used, in seconds.
func processorTime() float64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// report gives million updates of cells a second and, of a copy that moves so many bytes a
// second, the part that the least traffic is.
func (f *flood) report(b *testing.B, step, bandwidth float64) {
	cells := float64(f.side) * float64(f.side) * float64(f.ranks)
	b.ReportMetric(cells/step/1e6, "Mcells/s")
	b.ReportMetric(cells*f.leastBytes()/step/bandwidth, "of-copy")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFloodOnGPUs measures 8192² cells on a GPU, wet ones and a quarter of them wet,
// with all computed and without what is dry, and the same on each of two.
func BenchmarkFloodOnGPUs(b *testing.B) {
	const side, steps = 8192, 40
	if devicetest.Open(b, 1)[0].Name() == "emulated" {
		b.Skip("GPUs are emulated; build with the tag cuda where there are any")
	}
	about, err := device.Devices()
	if err != nil {
		b.Skip(err)
	}
	took := map[string]float64{}
	for _, f := range []flood{
		{Water{}, side, 1, 1}, {Water{Euler: true}, side, 1, 1},
		{Water{Dry: true}, side, 0.25, 1}, {Water{}, side, 0.25, 1}, {Water{Dry: true, Euler: true}, side, 0.25, 1}, {Water{Euler: true}, side, 0.25, 1},
		{Water{}, side, 1, 2}, {Water{Euler: true}, side, 1, 2},
	} {
		name := func(f flood) string {
			return fmt.Sprintf("GPUs=%d/part=%g/dry=%v/euler=%v", f.ranks, f.part, f.Dry, f.Euler)
		}
		b.Run(name(f), func(b *testing.B) {
			if f.ranks > len(about) {
				b.Skip("there are not as many GPUs")
			}
			for range b.N {
				step, _ := f.measure(b, steps, func(t transport.Transport) (solver.Device, error) {
					d, err := device.Open(t.Rank())
					if err != nil {
						return nil, err
					}
					return cuda.New(d, t, ""), nil
				})
				f.report(b, step, about[0].Bandwidth*float64(f.ranks))
				took[name(f)] = step
				base := f
				base.ranks, base.Dry = 1, f.part < 1
				if one := took[name(base)]; one > 0 {
					b.ReportMetric(float64(f.ranks)*one/step, "speedup")
				}
			}
		})
	}
}

// BenchmarkFlood measures a processor with all its workers, and a copy by all of them.
func BenchmarkFlood(b *testing.B) {
	const side, steps, copied, times = 1024, 10, 64 << 20, 8
	bandwidth := machine.NewCopier(runtime.GOMAXPROCS(0), copied).Bandwidth(times)
	for _, f := range []flood{
		{Water{}, side, 1, 1}, {Water{Euler: true}, side, 1, 1}, {Water{Dry: true}, side, 0.25, 1}, {Water{}, side, 0.25, 1},
	} {
		b.Run(fmt.Sprintf("part=%g/dry=%v/euler=%v", f.part, f.Dry, f.Euler), func(b *testing.B) {
			for range b.N {
				step, busy := f.measure(b, steps, func(t transport.Transport) (solver.Device, error) { return processor.New(0, t), nil })
				f.report(b, step, bandwidth)
				b.ReportMetric(busy*1e9/(side*side), "processor-ns/cell")
			}
		})
	}
}
