package kernel

import (
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/simd"
	"carina/solver"
	"carina/solver/processor"
	"carina/solver/shallow/scheme"
	"carina/solver/stencil"
	"carina/solver/transport"
)

const gravity = 9.81

// water is the two stages as a physics of one rank, by cell: bottom, level and discharges
// at the start.
type water struct {
	bottom  func(x, y int32) float64 // of corners
	initial func(x, y int32) (level, u, v float64)
}

func (w *water) Fields() []solver.Field {
	return []solver.Field{{Name: "water", Values: 3, Kind: solver.Float64}, {Name: "bottom", Values: 1, Kind: solver.Float64},
		{Name: "rates", Values: 3, Kind: solver.Float64}, {Name: "next", Values: 3, Kind: solver.Float64}}
}

// fields are those of the n-th step of a cycle: water and next change places.
func fields(n int) []int {
	return [][]int{{scheme.Water, scheme.Bottom, scheme.RatesOfChange, scheme.Next}, {scheme.Next, scheme.Bottom, scheme.RatesOfChange, scheme.Water}}[n]
}

func (w *water) Program() (p solver.Program) {
	for n := range 2 {
		p.Steps = append(p.Steps, []solver.Phase{{Name: "rates", Reduce: &solver.Reduction{Operation: transport.Max, Values: 1, Every: 1}}, {Name: "heun"}})
		var state []solver.Slot
		for v := range 3 {
			state = append(state, solver.Slot{Field: fields(n)[scheme.Water], Value: v})
		}
		p.State = append(p.State, state)
	}
	return p
}

type kernel struct {
	rates, heun *stencil.Stencil[float64]
	time        float64
}

func (w *water) Bind(b *solver.Binding) (solver.Kernel, error) {
	k := &kernel{}
	rates, heun := scheme.Rates(), scheme.Heun()
	var err error
	if k.rates, err = stencil.NewStencil[float64](b, rates, RatesFunctions, rates.Of(fields(0)...), rates.Of(fields(1)...)); err != nil {
		return nil, err
	}
	if k.heun, err = stencil.NewStencil[float64](b, heun, HeunFunctions, heun.Of(fields(0)...), heun.Of(fields(1)...)); err != nil {
		return nil, err
	}
	for _, s := range []*stencil.Stencil[float64]{k.rates, k.heun} {
		s.Set(scheme.Gravity, gravity)
		s.Set(scheme.InverseSpacing, 1)
		s.Set(scheme.Depth4, 1e-16)
		s.Prepare()
	}
	if err := b.Fill(scheme.Bottom, func(x, y, _ int32, v []float64) { v[0] = w.bottom(x, y) }); err != nil {
		return nil, err
	}
	return k, b.Fill(scheme.Water, func(x, y, _ int32, v []float64) { v[0], v[1], v[2] = w.initial(x, y) })
}

func (k *kernel) Work(step, phase int) solver.Work {
	return []*stencil.Stencil[float64]{k.rates, k.heun}[phase].Work(step)
}
func (k *kernel) Begin(int64) error { return nil }

func (k *kernel) Collect(_ int, numbers []int64) error {
	numbers[0] = int64(math.Float64bits(k.rates.TakeMaximum(0)))
	return nil
}

// Apply takes a quarter of the time in which the fastest wave crosses a cell.
func (k *kernel) Apply(_ int, numbers []int64) {
	dt := 0.0
	if speed := math.Float64frombits(uint64(numbers[0])); speed > 0 {
		dt = 0.25 / speed
	}
	k.time += dt
	k.heun.Set(scheme.TimeStep, dt)
	k.heun.Prepare()
}

// run computes until a time and at least so many steps, and returns the water by value.
func (w *water) run(t *testing.T, g *geometry.Grid, steps int, until float64) (q [3][]float64, layout *solver.Layout, time float64) {
	t.Helper()
	tr := transport.NewLocal(1)[0]
	r, err := solver.NewRank(solver.WholeDomain(g), solver.Together{w}, processor.New(2, tr), tr, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	k := r.Kernel(0).(*kernel)
	for s := 0; s < steps || k.time < until; s++ {
		if err := r.Step(); err != nil {
			t.Fatal(err)
		}
	}
	for v := range q {
		if q[v], err = r.Values(fields(int(r.Steps() % 2))[scheme.Water], v); err != nil {
			t.Fatal(err)
		}
	}
	return q, r.Layout(), k.time
}

func hills(x, y int32) float64 { return math.Sin(0.3*float64(x)) * math.Cos(0.2*float64(y)) }

// holes is a grid with cells missing, single ones and edges.
func holes() *geometry.Grid {
	return generate.Grid([3]int32{37, 23, 1}, func(x, y, _ int32) bool { return (x*x+7*y+x*y)%19 > 0 })
}

// A lake over hills rests, whatever its shores.
func TestLakeRests(t *testing.T) {
	w := &water{bottom: hills, initial: func(_, _ int32) (float64, float64, float64) { return 2, 0, 0 }}
	q, _, _ := w.run(t, holes(), 200, 0)
	for c := range q[0] {
		if math.Abs(q[0][c]-2) > 1e-13 || math.Abs(q[1][c]) > 1e-12 || math.Abs(q[2][c]) > 1e-12 {
			t.Fatalf("cell %d has level %.17g and discharges %g and %g", c, q[0][c], q[1][c], q[2][c])
		}
	}
}

// Water that moves over hills between walls is the same water, and all instruction sets
// compute the same bits of it.
func TestWaterStays(t *testing.T) {
	initial := func(x, y int32) (float64, float64, float64) { return 2 + 0.3*math.Sin(float64(x+2*y)), 0.2, -0.1 }
	var want [3][]float64
	for _, machine := range append([]string{"none"}, simd.Machines()...) {
		t.Setenv("CARINA_SIMD", machine)
		q, layout, _ := (&water{hills, initial}).run(t, holes(), 50, 0)
		if want[0] == nil {
			want = q
		}
		var sum, before float64
		layout.EachCell(func(c, x, y, _ int32) {
			level, _, _ := initial(x, y)
			sum, before = sum+q[0][c], before+level
			for v := range q {
				if q[v][c] != want[v][c] {
					t.Fatalf("%s: value %d of cell %d is %g, in Go %g", machine, v, c, q[v][c], want[v][c])
				}
			}
		})
		if math.Abs(sum/before-1) > 1e-13 {
			t.Errorf("%s: %.17g of the water is left", machine, sum/before)
		}
	}
}

// A dam breaks as Stoker (1957) says, along both axes: 1 m of water and 0.1 m meet, a middle
// depth of 0.396175 m between a rarefaction and a shock that runs at 3.105134 m/s.
func TestDamBreaks(t *testing.T) {
	const cells, middle, shock, until = 400, 0.396175, 3.105134, 40.
	for axis := range 2 {
		size := [3]int32{3, 3, 1}
		size[axis] = cells
		along := func(x, y int32) int32 { return [2]int32{x, y}[axis] }
		w := &water{bottom: func(_, _ int32) float64 { return 0 }, initial: func(x, y int32) (float64, float64, float64) {
			if along(x, y) < cells/2 {
				return 1, 0, 0
			}
			return 0.1, 0, 0
		}}
		q, layout, time := w.run(t, generate.FullGrid(size), 0, until)
		var off, total float64
		layout.EachCell(func(c, x, y, _ int32) {
			// Where the cell lies in the fan.
			s := (float64(along(x, y)) + 0.5 - cells/2) / time
			c0, h := math.Sqrt(gravity), 0.1
			switch {
			case s < -c0:
				h = 1
			case s < 2*c0-3*math.Sqrt(gravity*middle):
				h = (2*c0 - s) * (2*c0 - s) / (9 * gravity)
			case s < shock:
				h = middle
			}
			off, total = off+math.Abs(q[0][c]-h), total+h
		})
		if off > 0.01*total {
			t.Errorf("axis %d: the depth is off by %.2g of the whole after %.3g s", axis, off/total, time)
		}
	}
}
