package shallow

import (
	"math"
	"slices"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/internal/simd"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// pond is a lake with islands and bays.
func pond() *geometry.Grid {
	return generate.Grid([3]int32{60, 50, 1}, func(x, y, _ int32) bool {
		return (x*x+7*y+x*y)%11 > 0 && math.Hypot(float64(x)-40, float64(y)-20) > 6
	})
}

// dam is water of which a part stands higher, and a part of the ground is dry.
func dam(p r3.Vec) (float64, [2]float64) {
	switch {
	case p.X < 1.02:
		return 2, [2]float64{}
	case p.Y > -1.97:
		return 0, [2]float64{}
	}
	return 0.5, [2]float64{0.1, -0.05}
}

// hills are in m.
func hills(p r3.Vec) float64 { return 0.4 * math.Sin(7*p.X) * math.Cos(9*p.Y) }

// pondCase is water over hills, computed with Euler's method in single precision or with
// Heun's in double.
func pondCase(periodic, short bool) *enginetest.Case {
	return &enginetest.Case{Grid: pond(), Periodic: [3]bool{periodic, periodic, false}, Steps: 21,
		Physics: func(*solver.Domain) (solver.Together, error) {
			w := &Water{Gravity: 9.81, Bottom: hills, Initial: dam, Manning: 0.03, Euler: short, Single: short}
			if !periodic {
				w.Wet, w.Inflow = 0.05, func(side Side, time float64) float64 { return float64(side+1) * (1 + time) }
				w.Edge = func(p r3.Vec, side Side) float64 { return []float64{0.2, Outflow, 0, 0.1}[side] }
			}
			return solver.Together{w}, nil
		}}
}

func TestWaterOnRanks(t *testing.T) {
	for _, one := range []bool{false, true} {
		if race.Enabled && one {
			continue // Heun's method runs in TestDryCellsAreLeftOut
		}
		pondCase(one, !one).Accept(t)
	}
}

// All instruction sets compute the same bits.
func TestInstructionSets(t *testing.T) {
	race.SkipArithmetic(t)
	for i := range 4 {
		var want []uint64
		for _, machine := range append([]string{"none"}, simd.Machines()...) {
			t.Setenv("CARINA_SIMD", machine)
			got := pondCase(i%2 == 0, i < 2).Hashes(t)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: other bits than in Go", machine)
			}
		}
	}
}

// run computes water on one rank until a time and gives its kernel to f.
func run(t *testing.T, grid *geometry.Grid, w *Water, until float64, f func(l *solver.Layout, k Kernel)) {
	t.Helper()
	compute(t, &enginetest.Case{Grid: grid}, w, func(_ int, time float64) bool { return time >= until }, f)
}

// steps computes so many of them.
func steps(t *testing.T, grid *geometry.Grid, w *Water, n int, f func(l *solver.Layout, k Kernel)) {
	t.Helper()
	compute(t, &enginetest.Case{Grid: grid}, w, func(steps int, _ float64) bool { return steps == n }, f)
}

func compute(t *testing.T, c *enginetest.Case, w *Water, done func(steps int, time float64) bool, f func(l *solver.Layout, k Kernel)) {
	t.Helper()
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		c.Physics = func(*solver.Domain) (solver.Together, error) { return solver.Together{w}, nil }
		d := solver.WholeDomain(c.Grid)
		d.Periodic = c.Periodic
		r, err := c.New(d, 1, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		k := r.Kernel(0).(Kernel)
		for n := 0; !done(n, k.Time()); n++ {
			if err := r.Step(); err != nil {
				return err
			}
		}
		f(r.Layout(), k)
		return nil
	})
}

// What cannot be computed is refused in a sentence.
func TestRefuses(t *testing.T) {
	level := func(p r3.Vec) (float64, [2]float64) { return 1, [2]float64{} }
	flat, layers := generate.FullGrid([3]int32{3, 3, 1}), generate.FullGrid([3]int32{3, 3, 2})
	for _, bad := range []struct {
		grid  *geometry.Grid
		water Water
		says  string
	}{
		{layers, Water{Initial: level}, "one layer"},
		{flat, Water{Initial: level, Courant: 0.3}, "Courant"},
		{flat, Water{Initial: level, Courant: math.NaN()}, "Courant"},
		{flat, Water{Initial: level, Manning: -0.1}, "friction"},
		{flat, Water{Initial: level, Bottom: func(p r3.Vec) float64 { return math.Log(1 - p.X/flat.Center(2, 0, 0).X) }}, "ground"},
		{flat, Water{Initial: level, Edge: func(r3.Vec, Side) float64 { return -2 }}, "-2 m²/s"},
		{flat, Water{Initial: func(p r3.Vec) (float64, [2]float64) { return -1, [2]float64{} }}, "-1 m deep in column 0 of row 0"},
		{flat, Water{Initial: func(p r3.Vec) (float64, [2]float64) { return math.NaN(), [2]float64{} }}, "NaN m deep"},
	} {
		c := enginetest.Case{Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{&bad.water}, nil }}
		if _, err := c.New(solver.WholeDomain(bad.grid), 1, transport.NewLocal(1)[0]); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s: says %v", bad.says, err)
		}
	}
}

// Water across the ends of a periodic box is that of a longer one of copies of it, however
// narrow it is.
func TestNarrowPeriodicBoxes(t *testing.T) {
	for n := range int32(6) {
		w := &Water{Gravity: 9.81, Initial: func(p r3.Vec) (float64, [2]float64) {
			return 1 + 0.1*float64(int32(p.X)%(n+1)), [2]float64{0.1, 0.2}
		}}
		levels := func(columns int32) (list []float64, err error) {
			g := field([2]int32{columns, 3}, float64(columns))
			d := solver.WholeDomain(g)
			d.Periodic = [3]bool{true, false, false}
			c := enginetest.Case{Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{w}, nil }}
			r, err := c.New(d, 1, transport.NewLocal(1)[0])
			if err != nil {
				return nil, err
			}
			defer r.Close()
			for range 9 {
				if err := r.Step(); err != nil {
					return nil, err
				}
			}
			for c := range n + 1 {
				h, _ := r.Kernel(0).(Kernel).At(c)
				list = append(list, h)
			}
			return list, nil
		}
		got, err := levels(n + 1)
		if want, _ := levels(6 * (n + 1)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d columns: %v (%v), not %v", n+1, got, err, want)
		}
	}
}

// Two waters that reduce after the same phase have their own time each: each as long
// as it has alone.
func TestSeveralReductions(t *testing.T) {
	heavy, light := &Water{Gravity: 20, Initial: dam}, &Water{Gravity: 9.81, Initial: dam}
	times := func(list ...solver.Physics) (of []float64) {
		c := enginetest.Case{Grid: pond(), Physics: func(*solver.Domain) (solver.Together, error) { return list, nil }}
		enginetest.OnRanks(t, 3, func(tr transport.Transport) error {
			r, err := c.New(enginetest.Scattered(pond(), 7, 3, 4, [3]bool{}), 2, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			for range 5 {
				if err := r.Step(); err != nil {
					return err
				}
			}
			for i := range list {
				if time := r.Kernel(i).(Kernel).Time(); tr.Rank() == 0 {
					of = append(of, time)
				}
			}
			return nil
		})
		return of
	}
	want := append(times(heavy), times(light)...)
	if got := times(heavy, light); !slices.Equal(got, want) || want[0] >= want[1] || want[0] <= 0 {
		t.Errorf("together they are at %g s, alone at %g s", got, want)
	}
}
