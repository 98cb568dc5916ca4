package solver_test

import (
	"slices"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"
)

// seldom counts steps in one phase and, every so many steps, adds the neighbour's count to
// a sum in another.
type seldom struct{ every int64 }

var before = []geometry.Offset{{X: -1}}

func (s seldom) Fields() []solver.Field {
	return []solver.Field{{Name: "count", Values: 1, Kind: solver.Float64}, {Name: "sum", Values: 1, Kind: solver.Float64}}
}

func (s seldom) Program() solver.Program {
	near := solver.Neighbours(0, 1, before)
	return solver.Program{OnGhosts: true, Steps: [][]solver.Phase{{{Name: "count", Fetch: near}, {Name: "sum", Every: s.every, Reads: near}}},
		State: [][]solver.Slot{append(solver.Own(0, 1), solver.Own(1, 1)...)}}
}

func (s seldom) Bind(b *solver.Binding) (solver.Kernel, error) {
	k := &seldomKernel{windows: b.Windows(before)}
	k.count, _ = processor.Values[float64](b.Device.(*processor.Device), b.Array(0))
	k.sum, _ = processor.Values[float64](b.Device.(*processor.Device), b.Array(1))
	return k, b.Fill(0, func(x, y, z int32, values []float64) { values[0] = float64(x + 10*y + 100*z) })
}

type seldomKernel struct {
	windows    *solver.Windows
	count, sum []float64
}

func (k *seldomKernel) Work(_, phase int) solver.Work {
	return solver.BlockWork(func(b *solver.Block, _ int) {
		for c := b.First; c < b.End; c++ {
			if phase == 0 {
				k.count[c]++
			} else if n := k.windows.Neighbour(0, c); n >= 0 {
				k.sum[c] += k.count[n]
			}
		}
	})
}

func (k *seldomKernel) Begin(int64) error { return nil }

// Phases are in every so many steps, on any ranks and after a state was loaded.
func TestPhasesEverySoManySteps(t *testing.T) {
	g := generate.BallsGrid([3]int32{14, 12, 10}, 5, 3)
	c := enginetest.Case{Grid: g, Steps: 10, Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{seldom{3}}, nil }}
	c.Accept(t)
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		r, err := c.New(solver.WholeDomain(g), 1, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		if got := r.Period(); got != 3 {
			t.Errorf("a period has %d steps, want 3", got)
		}
		for range 7 {
			if err := r.Step(); err != nil {
				return err
			}
		}
		var want []float64
		r.Layout().EachCell(func(_, x, y, z int32) {
			sum := 0.0
			if g.Contains(x-1, y, z) {
				sum = 2*float64(x-1+10*y+100*z) + 3 + 6
			}
			want = append(want, sum)
		})
		if got, err := r.Values(1, 0); err != nil || !slices.Equal(got, want) {
			t.Errorf("sums after steps 3 and 6 are others, %v", err)
		}
		_, err = solver.NewRank(solver.WholeDomain(g), solver.Together{seldom{3}, seldom{2}}, processor.New(1, tr), tr, solver.Options{})
		if err == nil || !strings.Contains(err.Error(), "every") {
			t.Errorf("the same phase in other steps: error %v", err)
		}
		return nil
	})
}
