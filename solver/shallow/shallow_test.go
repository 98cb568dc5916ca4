package shallow

import (
	"math"
	"slices"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
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

func pondCase(periodic bool) *enginetest.Case {
	return &enginetest.Case{Grid: pond(), Periodic: [3]bool{periodic, periodic, false}, Steps: 21,
		Physics: func(*solver.Domain) (solver.Together, error) {
			return solver.Together{&Water{Gravity: 9.81, Initial: dam}}, nil
		}}
}

func TestWaterOnRanks(t *testing.T) {
	for _, periodic := range []bool{false, true} {
		pondCase(periodic).Accept(t)
	}
}

// run computes water on one rank until a time and gives its kernel to f.
func run(t *testing.T, grid *geometry.Grid, w *Water, until float64, f func(l *solver.Layout, k *Kernel)) {
	t.Helper()
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		c := enginetest.Case{Grid: grid, Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{w}, nil }}
		r, err := c.New(solver.WholeDomain(grid), 2, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		k := r.Kernel(0).(*Kernel)
		for k.Time() < until {
			if err := r.Step(); err != nil {
				return err
			}
		}
		f(r.Layout(), k)
		return nil
	})
}

// channel is a straight one along x, of so many cells and a metre long.
func channel(cells int32) *geometry.Grid {
	g := generate.FullGrid([3]int32{cells, 4, 1})
	g.Spacing, g.Origin = 1/float64(cells), r3.Vec{}
	return g
}

// A dam of 1 m breaks onto water of 0.25 m. Stoker (1957, Water Waves, 10.8) gives
// the depth between the waves, from the equality of what the rarefaction and the
// bore leave there; a scheme of first order comes nearer the finer the cells are.
func TestDamBreaks(t *testing.T) {
	const gravity, high, low, until = 9.81, 1., 0.25, 0.08
	middle := stoker(gravity, high, low)
	exact := func(x float64) float64 {
		c := math.Sqrt(gravity * high)
		cMiddle := math.Sqrt(gravity * middle)
		u := 2 * (c - cMiddle)
		bore := middle * u / (middle - low)
		switch at := (x - 0.5) / until; {
		case at < -c:
			return high
		case at < u-cMiddle:
			return math.Pow(2*c-at, 2) / (9 * gravity)
		case at < bore:
			return middle
		}
		return low
	}
	var before float64
	for i, cells := range []int32{100, 200, 400} {
		var wrong float64
		w := &Water{Gravity: gravity, Initial: func(p r3.Vec) (float64, [2]float64) {
			if p.X < 0.5 {
				return high, [2]float64{}
			}
			return low, [2]float64{}
		}}
		g := channel(cells)
		run(t, g, w, until, func(l *solver.Layout, k *Kernel) {
			l.EachCell(func(cell, x, y, z int32) {
				h, _ := k.At(cell)
				wrong += math.Abs(h-exact(g.Center(x, y, z).X)) / float64(l.Cells)
			})
		})
		t.Logf("%d cells: mean error %.5f m", cells, wrong)
		if i > 0 && wrong > 0.75*before {
			t.Errorf("%d cells: mean error %.5f m, with half as many %.5f", cells, wrong, before)
		}
		before = wrong
	}
	if before > 0.01 {
		t.Errorf("mean error %.5f m", before)
	}
}

// stoker is the depth between the waves, found by bisection.
func stoker(gravity, high, low float64) float64 {
	a, b := low, high
	for range 100 {
		h := (a + b) / 2
		rarefaction := 2 * (math.Sqrt(gravity*high) - math.Sqrt(gravity*h))
		bore := (h - low) * math.Sqrt(gravity/2*(1/h+1/low))
		if rarefaction > bore {
			a = h
		} else {
			b = h
		}
	}
	return a
}

// No water is lost, none moves by itself, and none is less than nothing.
func TestWaterIsConserved(t *testing.T) {
	g := pond()
	volume := func(l *solver.Layout, k *Kernel) (sum float64) {
		for cell := range int32(l.Cells) {
			h, _ := k.At(cell)
			if h < 0 {
				t.Errorf("a depth of %g m", h)
			}
			sum += h
		}
		return sum
	}
	var first float64
	w := &Water{Gravity: 9.81, Initial: dam}
	run(t, g, w, 0, func(l *solver.Layout, k *Kernel) { first = volume(l, k) })
	run(t, g, w, 0.02, func(l *solver.Layout, k *Kernel) {
		if last := volume(l, k); math.Abs(last-first) > 1e-12*first {
			t.Errorf("%g m of water became %g", first, last)
		}
	})
	still := &Water{Gravity: 9.81, Initial: func(r3.Vec) (float64, [2]float64) { return 1, [2]float64{} }}
	run(t, g, still, 0.01, func(l *solver.Layout, k *Kernel) {
		for cell := range int32(l.Cells) {
			if h, flow := k.At(cell); h != 1 || flow != [2]float64{} {
				t.Fatalf("still water is %g m deep and moves with %v m²/s", h, flow)
			}
		}
	})
}

func TestRefusesManyLayers(t *testing.T) {
	c := enginetest.Case{Physics: func(*solver.Domain) (solver.Together, error) {
		return solver.Together{&Water{Gravity: 9.81, Initial: dam}}, nil
	}}
	if _, err := c.New(solver.WholeDomain(generate.FullGrid([3]int32{3, 3, 2})), 1, transport.NewLocal(1)[0]); err == nil {
		t.Error("two layers of water are taken")
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
				if time := r.Kernel(i).(*Kernel).Time(); tr.Rank() == 0 {
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
