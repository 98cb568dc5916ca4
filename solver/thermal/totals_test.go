package thermal_test

import (
	"math"
	"slices"
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/devicetest"
	"carina/solver/enginetest"
	"carina/solver/thermal"
	"carina/solver/thermal/arithmetic"
	"carina/solver/transport"
)

// lines are sums over columns and over rows after some steps on ranks, and added are those that
// come of the states of single cells.
func lines(t *testing.T, c *enginetest.Case, ranks int) (summed, added [2][]thermal.Line) {
	d := enginetest.Scattered(c.Grid, 5, ranks, 3, c.Periodic)
	enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
		r, err := c.New(d, 2, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		for range 3 {
			if err := r.Step(); err != nil {
				return err
			}
		}
		all, _ := c.Physics(d)
		gas, size := all[0].(*thermal.Gas), c.Grid.Size
		for axis := range summed {
			list, err := gas.Lines(r, axis)
			if err != nil {
				return err
			}
			if tr.Rank() == 0 {
				summed[axis], added[axis] = list, make([]thermal.Line, size[axis])
			}
		}
		if ranks > 1 {
			return nil
		}
		return gas.Each(r, func(global int64, s thermal.State) {
			x, y := global%int64(size[0]), global/int64(size[0])
			for axis, at := range [2]int64{x, y} {
				l, u := &added[axis][at], s.Velocity
				l.Mass += s.Density
				l.Energy += s.Energy()
				l.Kinetic += s.Density * (u[0]*u[0] + u[1]*u[1]) / 2
				l.Temperature += s.Temperature
				l.Pressure += s.Density * s.Temperature
				for i := range u {
					l.Momentum[i] += s.Density * u[i]
					l.Velocity[i] += u[i]
				}
			}
		})
	})
	return summed, added
}

// numbers are those of lines.
func numbers(list []thermal.Line) (all []float64) {
	for _, l := range list {
		all = append(all, l.Mass, l.Momentum[0], l.Momentum[1], l.Energy, l.Kinetic, l.Velocity[0], l.Velocity[1], l.Temperature, l.Pressure)
	}
	return all
}

// Sums over lines are those of the states of cells, and have the same bits on many ranks and on
// GPUs.
func TestLines(t *testing.T) {
	open := gasCase(generate.FullGrid([3]int32{40, 30, 1}), [3]bool{true, true, false}, arithmetic.Regularized)
	for _, c := range []*enginetest.Case{open, walled(arithmetic.Regularized), single(walled(arithmetic.Regularized))} {
		want, added := lines(t, c, 1)
		for axis := range want {
			sums, terms := numbers(want[axis]), numbers(added[axis])
			for i, v := range sums {
				if !(math.Abs(v-terms[i]) < 1e-11) {
					t.Fatalf("axis %d: %g is summed, want %g", axis, v, terms[i])
				}
			}
		}
		many, _ := lines(t, c, 3)
		c.Device = func(_ int, tr transport.Transport) (solver.Device, error) {
			return cuda.New(devicetest.Open(t, 1)[0], tr, cuda.Host), nil
		}
		gpu, _ := lines(t, c, 1)
		for axis := range want {
			if !slices.Equal(many[axis], want[axis]) || !slices.Equal(gpu[axis], want[axis]) {
				t.Errorf("axis %d: sums differ on ranks or on a GPU", axis)
			}
		}
	}
}
