package finitevolume_test

import (
	"math"
	"os"
	"slices"
	"testing"
	"unsafe"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/physicstest"
	"carina/solver/enginetest"
	"carina/solver/expression"
	"carina/solver/finitevolume"
	"carina/solver/stencil"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// Of a system of two scalars and a vector, on ground with two values, cells have three scalars
// and a vector.
const values, cellValues, faceValues, grounds = 4, 5, values + 1, 2

var changes = []string{finitevolume.State: "state", finitevolume.Ground: "ground", finitevolume.Rates: "rates", finitevolume.Next: "next", finitevolume.Edges: "edges"}

// system is one of which only that counts that each value of each place matters.
type system struct {
	all     bool
	fastest float64 // of the last step
}

type value = expression.Value

func cells(name string, after bool) *stencil.Update {
	p := finitevolume.NewPart(name)
	q, g := p.Field(values, true), p.Field(grounds, true)
	if after {
		for v, rate := range p.Field(values, true) {
			q[v] = p.Add(q[v], p.Multiply(p.Constant(0.02), rate))
		}
	}
	// What there is none of has no other values.
	p.Out(q[0], p.Multiply(q[0], q[1]), p.Add(q[0], p.Multiply(g[0], g[1])), p.Multiply(q[0], q[2]), p.Multiply(q[0], q[3]))
	return p.Update
}

func rise(p finitevolume.Part, from, to []value) (list []value) {
	for v := range from {
		list = append(list, p.Multiply(p.Constant(0.3+0.05*float64(min(v, 3))), p.Subtract(to[v], from[v])))
	}
	return list
}

func between(p finitevolume.Part, back, q, forth []value) *stencil.Update {
	var low, high []value
	for v := range q {
		slope := p.Program.Minimum(back[v], forth[v])
		low, high = append(low, p.Subtract(q[v], slope)), append(high, p.Add(q[v], slope))
	}
	p.Out(low...)
	p.Out(append(high, p.Multiply(q[0], p.Add(low[2], high[2])))...)
	return p.Update
}

func threeCells(name string, of func(p finitevolume.Part, a, b, c []value) *stencil.Update) *stencil.Update {
	p := finitevolume.NewPart(name)
	return of(p, p.Cell(cellValues), p.Cell(cellValues), p.Cell(cellValues))
}

func face(name string, counts bool) *stencil.Update {
	p := finitevolume.NewPart(name)
	l, h := p.Side(cellValues), p.Side(cellValues)
	list := []value{p.Multiply(l[0], p.Add(l[3], l[2])), p.Add(p.Multiply(l[1], h[3]), h[0]), p.Subtract(l[4], p.Multiply(h[4], l[0])), p.Multiply(h[3], h[2]), p.Add(l[3], h[1])}
	p.Out(list...)
	if counts {
		p.Maximum(p.Add(p.Absolute(l[3]), h[0]))
	}
	return p.Update
}

func inflow() *stencil.Update {
	p := finitevolume.NewPart("inflow")
	edge, first := p.In(0)[0], p.In(0)[0]
	p.Out(p.Multiply(edge, p.Add(edge, first)))
	p.Maximum(p.Multiply(p.Parameter("speed"), edge))
	return p.Update
}

// last adds rates, and what was there and the rates before.
func last(name string, whole bool) *stencil.Update {
	p := finitevolume.NewPart(name)
	rates := p.Rates(values, cellValues, p.Parameter("inverse"))
	if whole {
		state, before := p.Field(values, false), p.Field(values, false)
		for v := range rates {
			rates[v] = p.Add(state[v], p.Multiply(p.Constant(0.01), p.Add(rates[v], before[v])))
		}
	}
	return p.Leave(rates...)
}

func (s *system) scheme() *finitevolume.Scheme {
	p := finitevolume.NewPart("rise")
	p.Out(rise(p, p.Cell(cellValues), p.Cell(cellValues))...)
	first := finitevolume.Stage{Name: "rates", Cells: cells("cells", false), Rise: p.Update, Between: threeCells("between", between),
		Sides: threeCells("sides", func(p finitevolume.Part, a, b, c []value) *stencil.Update {
			return between(p, rise(p, a, b), b, rise(p, b, c))
		}),
		Face: face("face", true), Inflow: inflow(), Last: last("last", false)}
	second := first
	second.Name, second.After, second.Cells, second.Face, second.Last = "advance", true, cells("after", true), face("drains", false), last("whole", true)
	functions := map[string]stencil.Functions{}
	for _, stage := range []finitevolume.Stage{first, second} {
		for _, u := range []*stencil.Update{stage.Cells, stage.Sides, stage.Face, stage.Inflow, stage.Last} {
			functions[u.Name] = interpreted(u)
		}
	}
	return &finitevolume.Scheme{Fields: [2][]int{{0, 1, 2, 3, 4}, {3, 1, 2, 0, 4}}, Stages: []finitevolume.Stage{first, second}, Functions: functions, All: s.all}
}

var parameters = []finitevolume.Parameter{{Name: "inverse", Value: 0.5}, {Name: "speed", Value: 3}}

// interpreted computes an update without generated code.
func interpreted(u *stencil.Update) stencil.Functions {
	return stencil.Functions{"": {Double: func(at *unsafe.Pointer, n int, _ unsafe.Pointer) {
		pointers := unsafe.Slice(at, u.Pointers())
		place := func(i, j int) *float64 {
			pointer, line := u.Place(i)
			return (*float64)(unsafe.Add(pointers[pointer], 8*(line*stencil.LineValues+j)))
		}
		in := make([]float64, len(u.Reads))
		for j := range n {
			for i := range in {
				in[i] = *place(i, j)
			}
			for i, v := range evaluate(u, in) {
				if u.Writes[i].Into == stencil.IntoMaximum {
					*place(len(in)+i, 0) = max(v, *place(len(in)+i, 0))
				} else {
					*place(len(in)+i, j) = v
				}
			}
		}
	}}}
}

func evaluate(u *stencil.Update, in ...[]float64) []float64 {
	return expression.EvaluateIn(u.Program, slices.Concat(in...), map[string]float64{"inverse": 0.5, "speed": 3})
}

func (s *system) Fields() (list []solver.Field) {
	for of, name := range changes {
		list = append(list, solver.Field{Name: name, Values: map[int]int{finitevolume.Ground: grounds}[of], Kind: solver.Float64, Constant: of == finitevolume.Ground || of == finitevolume.Edges})
		if of != finitevolume.Ground {
			list[of].Values = values
		}
	}
	return list
}

func (s *system) Program() solver.Program {
	state := func(of int) []solver.Slot {
		return slices.Concat(solver.Own(of, values), solver.Own(finitevolume.Ground, grounds), solver.Own(finitevolume.Edges, int(finitevolume.Sides)))
	}
	return solver.Program{Steps: s.scheme().Steps(), State: [][]solver.Slot{state(finitevolume.State), state(finitevolume.Next)}, OnGhosts: true}
}

// start is what a cell has at the beginning: there is nothing far from the middle.
func start(field int, p r3.Vec) [4]float64 {
	wave := func(a, b float64) float64 { return math.Sin(a*p.X + b*p.Y) }
	switch {
	case field == finitevolume.Ground:
		return [4]float64{wave(2, 1), wave(1, 3)}
	case field == finitevolume.Edges:
		return [4]float64{0, finitevolume.Outflow, max(0, math.Round(wave(1, 2))), 0.3}
	case math.Hypot(p.X-20, p.Y-12) > 9:
		return [4]float64{}
	}
	return [4]float64{1 + 0.5*wave(1, 1), wave(3, 1), wave(0, 2), wave(5, 0)}
}

// kernel is that of a rank.
type kernel struct {
	finitevolume.Rank
	system *system
}

func (k *kernel) Apply(_ int, numbers []int64) {
	k.system.fastest = math.Float64frombits(uint64(numbers[0]))
}
func (k *kernel) Resume(int64) { k.Forget() }

var factors = [finitevolume.Sides]float64{1, 1, 0.5, 2}

func (s *system) Bind(b *solver.Binding) (solver.Kernel, error) {
	r, err := finitevolume.New[float64](b, s.scheme())
	if err != nil {
		return nil, err
	}
	for phase := range 2 {
		r.Prepare(phase, parameters, factors)
	}
	for _, field := range []int{finitevolume.State, finitevolume.Ground, finitevolume.Edges} {
		if err := b.Fill(field, func(x, y, z int32, values []float64) {
			of := start(field, b.Domain.Grid.Center(x, y, z))
			copy(values, of[:])
		}); err != nil {
			return nil, err
		}
	}
	return &kernel{r, s}, nil
}

// pond has holes.
func pond() *geometry.Grid {
	g := generate.Grid([3]int32{140, 40, 1}, func(x, y, _ int32) bool { return (x*x+7*y+x*y)%13 > 0 && (x != 20 || y > 12) })
	g.Spacing, g.Origin = 1, r3.Vec{}
	return g
}

// naive computes steps cell by cell.
type naive struct {
	grid    *geometry.Grid
	scheme  *finitevolume.Scheme
	fields  [5]map[[2]int32][]float64
	stage   *finitevolume.Stage
	fastest float64
}

func newNaive(g *geometry.Grid, s *finitevolume.Scheme) *naive {
	n := &naive{grid: g, scheme: s}
	for field := range n.fields {
		n.fields[field] = map[[2]int32][]float64{}
		for _, r := range g.Runs {
			for x := r.X0; x < r.X1; x++ {
				of := start(field, g.Center(x, r.Y, 0))
				n.fields[field][[2]int32{x, r.Y}] = of[:]
			}
		}
	}
	return n
}

func (n *naive) there(at [2]int32) bool { return n.fields[0][at] != nil }

// cell has the values of a cell, with x for y along axis 1.
func (n *naive) cell(at [2]int32, axis int) []float64 {
	in := [][]float64{n.fields[finitevolume.State][at], n.fields[finitevolume.Ground][at][:grounds]}
	if n.stage.After {
		in = append(in, n.fields[finitevolume.Rates][at])
	}
	q := evaluate(n.stage.Cells, in...)
	if axis == 1 {
		q[3], q[4] = q[4], q[3]
	}
	return q
}

// edge is what lies beyond the side of a cell, up along an axis or down.
func (n *naive) edge(at [2]int32, axis, up int) float64 {
	side := 2*axis + (up+1)/2
	if e := n.fields[finitevolume.Edges][at][side]; e > 0 {
		return e * factors[side]
	} else {
		return e
	}
}

// line has what lies along an axis, from two cells down to two up.
func (n *naive) line(at [2]int32, axis int) (q [5][]float64) {
	along := func(by int) (other [2]int32) {
		other = at
		other[axis] += int32(by)
		return other
	}
	image := func(of []float64, edge float64) []float64 {
		of = slices.Clone(of)
		if edge == 0 {
			of[3] = -of[3]
		}
		return of
	}
	q[2] = n.cell(at, axis)
	for _, up := range []int{-1, 1} {
		if near := along(up); n.there(near) {
			q[2+up] = n.cell(near, axis)
		} else {
			q[2+up] = image(q[2], n.edge(at, axis, up))
		}
	}
	for _, up := range []int{-1, 1} {
		switch near, far := along(up), along(2*up); {
		case !n.there(near):
			q[2+2*up] = image(q[2-up], n.edge(at, axis, up))
		case !n.there(far):
			q[2+2*up] = image(q[2+up], n.edge(near, axis, up))
		default:
			q[2+2*up] = n.cell(far, axis)
		}
	}
	return q
}

// face is that on one side of a cell, of what lies below and above it.
func (n *naive) face(at [2]int32, axis, up int, low, high []float64) (of []float64) {
	next := at
	next[axis] += int32(up)
	of = evaluate(n.stage.Face, low, high)
	if !n.stage.After {
		n.fastest = max(n.fastest, of[faceValues])
	}
	own := high
	if up > 0 {
		own = low
	}
	if edge := n.edge(at, axis, up); !n.there(next) && edge > 0 {
		in := evaluate(n.stage.Inflow, []float64{edge, own[0]})
		if of = []float64{-float64(up) * edge, 0, 0, in[0], in[0]}; !n.stage.After {
			n.fastest = max(n.fastest, in[1])
		}
	}
	return of[:faceValues]
}

// step computes one.
func (n *naive) step() {
	n.fastest = 0
	for i, to := range []int{finitevolume.Rates, finitevolume.Next} {
		n.stage = &n.scheme.Stages[i]
		next := map[[2]int32][]float64{}
		for at, state := range n.fields[finitevolume.State] {
			var in [][]float64
			for axis := range 2 {
				q := n.line(at, axis)
				sides := func(k int) []float64 { return evaluate(n.stage.Sides, q[k-1], q[k], q[k+1]) }
				below, here, above := sides(1), sides(2), sides(3)
				low := n.face(at, axis, -1, below[cellValues:2*cellValues], here[:cellValues])
				high := n.face(at, axis, 1, here[cellValues:2*cellValues], above[:cellValues])
				in = append(in, low[:values-1], low[values:], high[:values], here[2*cellValues:])
			}
			if n.stage.After {
				in = append(in, state, n.fields[finitevolume.Rates][at])
			}
			next[at] = evaluate(n.stage.Last, in...)
		}
		n.fields[to] = next
	}
	n.fields[finitevolume.State] = n.fields[finitevolume.Next]
}

// Tiles give what cells give one by one, with images beyond walls and where things flow out, and
// with what comes in.
func TestAgainstCells(t *testing.T) {
	g, s := pond(), &system{}
	want := newNaive(g, s.scheme())
	c := enginetest.Case{Grid: g, Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{s}, nil }}
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		r, err := c.New(solver.WholeDomain(g), 2, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		for range 2 {
			want.step()
			if err := r.Step(); err != nil {
				return err
			}
			if s.fastest != want.fastest {
				t.Errorf("the fastest wave is %g, not %g", s.fastest, want.fastest)
			}
		}
		for v := range values {
			got, err := r.Values(finitevolume.State, v)
			if err != nil {
				return err
			}
			i := 0
			r.Layout().EachCell(func(_, x, y, _ int32) {
				if want := want.fields[finitevolume.State][[2]int32{x, y}][v]; math.Abs(got[i]-want) > 0 {
					t.Errorf("value %d at (%d, %d) is %g, not %g", v, x, y, got[i], want)
				}
				i++
			})
		}
		return nil
	})
}

// cut is a system that tells how many of its cells lie in columns with a pitch.
type cut struct {
	system
	pitched int64
}

func (c *cut) Bind(b *solver.Binding) (_ solver.Kernel, err error) {
	if c.pitched, err = finitevolume.Pitched(b); err != nil {
		return nil, err
	}
	return c.system.Bind(b)
}

// On GPUs all cells but two along walls lie in columns with a pitch, which cost least.
func TestMostCellsHaveAPitch(t *testing.T) {
	const width, height = 124, 67
	g, s := generate.FullGrid([3]int32{width, height, 1}), &cut{}
	c := enginetest.Case{Grid: g, Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{s}, nil }}
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		r, err := c.New(solver.WholeDomain(g), 1, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		if want := int64((width - 4) * (height - 4)); s.pitched != want {
			t.Errorf("%d cells have a pitch, want %d", s.pitched, want)
		}
		return nil
	})
}

// All is the same on GPUs, and where nothing is left out.
func TestSameOnGPU(t *testing.T) {
	of := func(s system) *enginetest.Case {
		return &enginetest.Case{Grid: pond(), Steps: 3, Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{&s}, nil }}
	}
	want := of(system{}).Hashes(t)
	if got := of(system{all: true}).Hashes(t); !slices.Equal(got, want) {
		t.Errorf("%x where nothing is left out, %x else", got, want)
	}
	physicstest.Same(t, *of(system{}))
}

// Steps are as long as a speed allows, no longer than the end lets them be, and those that were
// expected to be right are told when they are not.
func TestClock(t *testing.T) {
	c := finitevolume.Clock{Courant: 0.5, Spacing: 2, Slowest: 1, End: 1.6}
	if !c.TooLong(4) || c.Step != 0.25 {
		t.Errorf("the first step is %g, not 0.25", c.Step)
	}
	c.Pass()
	if c.Expect(4); c.Step != 0.245 || c.TooLong(4) || !c.TooLong(5) || c.Step != 0.2 {
		t.Errorf("a step is %g, not 0.2", c.Step)
	}
	c.Pass()
	if c.Choose(0.5); c.Step != 1 {
		t.Errorf("a step is %g, not 1: no wave is slower than 1", c.Step)
	}
	c.Pass()
	if c.Choose(1); c.Step != c.End-c.Time {
		t.Errorf("a step is %g, not what is left", c.Step)
	}
	if c.Pass(); c.Time != c.End {
		t.Errorf("the end is at %g, not at %g", c.Time, c.End)
	}
}
