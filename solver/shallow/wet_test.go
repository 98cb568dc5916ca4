package shallow

import (
	"fmt"
	"math"
	"testing"

	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// shore is water that runs up a slope and back, and comes in, far from which all is dry.
func shore(w Water, periodic bool) *enginetest.Case {
	g := generate.Grid([3]int32{120, 24, 1}, func(x, y, _ int32) bool { return (x-45)*(x-45)+(y-12)*(y-12) > 20 })
	g.Spacing, g.Origin = 1, r3.Vec{}
	return &enginetest.Case{Grid: g, Periodic: [3]bool{periodic, periodic, false}, Steps: 21, Physics: func(*solver.Domain) (solver.Together, error) {
		w := w
		w.Gravity, w.Manning, w.Wet = 9.81, 0.02, 0.01
		w.Bottom = func(p r3.Vec) float64 { return math.Abs(p.X-32)*0.05 + 0.2*math.Sin(p.Y) }
		w.Initial = func(p r3.Vec) (float64, [2]float64) {
			if math.Hypot(p.X-27, p.Y-11) > 6 {
				// What flows without depth is nothing.
				return 0, [2]float64{math.Max(0, p.X-119), 0}
			}
			return 2, [2]float64{1, 0.5}
		}
		if !periodic {
			w.Edge = func(p r3.Vec, side Side) float64 {
				if side == South && math.Abs(p.X-90) < 3 {
					return 0.2
				}
				return Outflow
			}
		}
		return solver.Together{&w}, nil
	}}
}

// Leaving out what is dry changes no bit, on any ranks, while cells move, nor after loading.
func TestDryCellsAreLeftOut(t *testing.T) {
	for i, w := range []Water{{}, {Single: true}, {Euler: true}, {Euler: true, Single: true}} {
		for _, periodic := range []bool{false, true} {
			if race.Enabled && (i > 0 || periodic) {
				continue
			}
			all := w
			all.Dry = true
			want, got := shore(all, periodic).Hashes(t), shore(w, periodic).Hashes(t)
			for n := range want {
				if got[n] != want[n] {
					t.Fatalf("%+v, periodic %v: other bits after %d steps", w, periodic, n)
				}
			}
			if i == 0 && !periodic {
				t.Run(fmt.Sprint(i, periodic), func(t *testing.T) { shore(w, periodic).Accept(t) })
			}
		}
	}
}

// Of a dam break that wets a part of the ground, little more than that part is computed.
func TestLittleMoreThanWetCellsAreComputed(t *testing.T) {
	race.SkipArithmetic(t)
	for _, euler := range []bool{false, true} {
		g := generate.FullGrid([3]int32{300, 300, 1})
		g.Spacing, g.Origin = 1, r3.Vec{}
		w := &Water{Gravity: gravity, Euler: euler, Initial: func(p r3.Vec) (float64, [2]float64) {
			if math.Hypot(p.X-150, p.Y-150) < 40 {
				return 1, [2]float64{}
			}
			return 0, [2]float64{}
		}}
		var device *processor.Device
		c := &enginetest.Case{Grid: g, Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{w}, nil },
			Device: func(_ int, tr transport.Transport) (solver.Device, error) {
				device = processor.New(1, tr)
				return device, nil
			}}
		enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
			r, err := c.New(solver.WholeDomain(g), 1, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			for range 60 {
				if err := r.Step(); err != nil {
					return err
				}
			}
			k := r.Kernel(0).(Kernel)
			wet := 0
			for c := range int32(g.Cells()) {
				if h, _ := k.At(c); h > 0 {
					wet++
				}
			}
			// What is left out keeps a number that nothing gives.
			const left = 7.25
			arrays := []int32{w.Value(61, StateDepth)}
			if !euler {
				arrays = append(arrays, StateBottom+1) // rates
			}
			depths := func(array int32) []float64 {
				memory, _ := processor.Values[float64](device, array)
				return memory[:g.Cells()]
			}
			for _, a := range arrays {
				for c := range depths(a) {
					depths(a)[c] = left
				}
			}
			if err := r.Step(); err != nil {
				return err
			}
			for i, a := range arrays {
				computed := 0
				for _, v := range depths(a) {
					if v != left {
						computed++
					}
				}
				if float64(computed) > (1.15-0.05*float64(i))*float64(wet) || computed < wet || wet < 10000 || wet > 50000 {
					t.Errorf("%d cells are wet, array %d is computed of %d", wet, a, computed)
				}
			}
			return nil
		})
	}
}
