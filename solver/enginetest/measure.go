package enginetest

import (
	"testing"
	"time"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/machine"
	"carina/solver"
	"carina/solver/transport"
)

// Stacked gives each rank so many rows of a grid of one layer.
func Stacked(g *geometry.Grid, height int32) *solver.Domain {
	d := &solver.Domain{Grid: g, Ranks: int(g.Size[1] / height)}
	for _, r := range g.Runs {
		d.Segments = append(d.Segments, cuboid.Segment{Run: r, Cuboid: r.Y / height})
	}
	for rank := range d.Ranks {
		d.Owners = append(d.Owners, int32(rank))
	}
	return d
}

// Took is what a rank takes until the first step and what a step of all ranks takes, in seconds,
// and the latter in those of processors.
type Took struct{ Setup, Step, Processor float64 }

// Measure computes so many steps, and four before, on the devices of all ranks of a domain.
func Measure(b *testing.B, d *solver.Domain, steps int, physics func() solver.Together, open func(t transport.Transport) (solver.Device, error)) (took Took) {
	b.Helper()
	OnRanks(b, d.Ranks, func(t transport.Transport) error {
		device, err := open(t)
		if err != nil {
			return err
		}
		begin := time.Now()
		r, err := solver.NewRank(d, physics(), device, t, solver.Options{})
		if err != nil {
			return err
		}
		defer r.Close()
		run := func(n int) (seconds float64, err error) {
			begin := time.Now()
			for range n {
				if err := r.Step(); err != nil {
					return 0, err
				}
			}
			if err := device.Wait(); err != nil {
				return 0, err
			}
			err = t.Reduce(transport.Max, []int64{0})
			return time.Since(begin).Seconds() / float64(max(n, 1)), err
		}
		if _, err := run(0); err != nil {
			return err
		}
		setup := time.Since(begin).Seconds()
		if _, err := run(4); err != nil {
			return err
		}
		before := machine.ProcessorTime()
		step, err := run(steps)
		if t.Rank() == 0 {
			took = Took{setup, step, (machine.ProcessorTime() - before).Seconds() / float64(steps)}
		}
		return err
	})
	return took
}
