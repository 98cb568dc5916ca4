package shallow

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"carina/internal/machine"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"

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

// initial lets waves stand on the water, which is a circle's unless all is wet.
func (f *flood) initial(p r3.Vec) (float64, [2]float64) {
	side := float64(f.side)
	y := math.Mod(p.Y, side)
	if f.part < 1 && math.Hypot(p.X-side/2, y-side/2) > side*math.Sqrt(f.part/math.Pi) {
		return 0, [2]float64{}
	}
	return 1 + 0.1*math.Sin(p.X/30), [2]float64{}
}

// measure returns what a step of all ranks takes.
func (f flood) measure(b *testing.B, steps int, open func(t transport.Transport) (solver.Device, error)) enginetest.Took {
	b.Helper()
	f.Gravity, f.Single, f.Initial = gravity, true, f.initial
	g := field([2]int32{f.side, f.side * int32(f.ranks)}, float64(f.side))
	return enginetest.Measure(b, enginetest.Stacked(g, f.side), steps, func() solver.Together {
		w := f.Water
		return solver.Together{&w}
	}, open)
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
				step := f.measure(b, steps, func(t transport.Transport) (solver.Device, error) {
					d, err := device.Open(t.Rank())
					if err != nil {
						return nil, err
					}
					return cuda.New(d, t, ""), nil
				}).Step
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
				took := f.measure(b, steps, func(t transport.Transport) (solver.Device, error) { return processor.New(0, t), nil })
				f.report(b, took.Step, bandwidth)
				b.ReportMetric(took.Processor*1e9/(side*side), "processor-ns/cell")
			}
		})
	}
}
