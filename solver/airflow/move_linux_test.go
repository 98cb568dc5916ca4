package airflow

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/machine"
	"carina/solver"
	"carina/solver/transport"
)

// slabs gives the cells of a grid to two ranks: those of bricks below a height in z
// to the first.
func slabs(g *geometry.Grid, below float64) *solver.Domain {
	d := &solver.Domain{Grid: g, Owners: []int32{0, 1}, Ranks: 2}
	var before int64
	for _, run := range g.Runs {
		s := cuboid.Segment{Run: run}
		if float64(before) >= below*float64(g.Cells()) {
			s.Cuboid = 1
		}
		before += int64(run.X1 - run.X0)
		d.Segments = append(d.Segments, s)
	}
	return d
}

// BenchmarkMove moves shares of the cells of an airway from one of two ranks to the
// other and back, and tells how long that takes in steps, and the memory above the
// run's in states.
func BenchmarkMove(b *testing.B) {
	g := sharedAirway(b, "airway-full-mm.stl", 0.25e-3)
	s := DefaultSettings()
	for _, share := range []float64{0, 0.05} {
		b.Run(fmt.Sprintf("%g %%", 100*share), func(b *testing.B) {
			var all sync.WaitGroup
			least, mean := math.Inf(1), 0.0
			var step float64
			var peak uint64
			for _, t := range transport.NewLocal(2) {
				all.Go(func() {
					domains := []*solver.Domain{slabs(g, 0.5), slabs(g, 0.5+share)}
					r, err := NewRank(domains[0], s, t)
					if err != nil {
						b.Error(err)
						return
					}
					defer func() { r.Close() }()
					const steps = 6
					for range steps {
						_ = r.engine.Step()
					}
					begin := machine.ProcessorTime().Seconds()
					for range steps {
						_ = r.engine.Step()
					}
					_, _ = r.Hash()
					_ = t.Reduce(transport.Max, []int64{0})
					if t.Rank() == 0 {
						step = (machine.ProcessorTime().Seconds() - begin) / steps
					}
					_ = t.Reduce(transport.Max, []int64{0})
					for i := range 4 {
						var before runtime.MemStats
						runtime.GC()
						runtime.ReadMemStats(&before)
						_ = t.Reduce(transport.Max, []int64{0})
						begin := machine.ProcessorTime().Seconds()
						if err := r.Move(domains[(i+1)%2]); err != nil {
							b.Error(err)
							return
						}
						_ = t.Reduce(transport.Max, []int64{0})
						if t.Rank() == 0 {
							took := machine.ProcessorTime().Seconds() - begin
							least, mean = min(least, took), mean+took/4
							var after runtime.MemStats
							runtime.ReadMemStats(&after)
							peak = max(peak, after.TotalAlloc-before.TotalAlloc)
						}
						_ = t.Reduce(transport.Max, []int64{0})
					}
				})
			}
			all.Wait()
			state := 76 * float64(g.Cells())
			b.ReportMetric(least/step, "steps")
			b.ReportMetric(mean/step, "mean-steps")
			b.ReportMetric(1e3*step, "ms/step")
			b.ReportMetric(1e3*least, "ms/move")
			b.ReportMetric(float64(g.Cells())/1e6, "Mcells")
			b.ReportMetric(float64(peak)/state, "states-allocated")

		})
	}
}
