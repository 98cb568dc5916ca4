package stencil_test

import (
	"math"
	"testing"
	"unsafe"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/expression"
	"carina/solver/processor"
	"carina/solver/stencil"
	"carina/solver/transport"
)

// interpreted computes an update without generated code.
func interpreted(u *stencil.Update) stencil.Functions {
	return stencil.Functions{"": {Double: func(at *unsafe.Pointer, n int, _ unsafe.Pointer) {
		p := unsafe.Slice(at, len(u.Reads)+len(u.Writes))
		value := func(i, j int) *float64 { return (*float64)(unsafe.Add(p[i], 8*j)) }
		for j := range n {
			in := make([]float64, len(u.Reads))
			for i := range in {
				in[i] = *value(i, j)
			}
			for i, v := range expression.EvaluateIn(u.Program, in, nil) {
				if u.Writes[i].Into == stencil.IntoMaximum {
					*value(len(in)+i, 0) = max(v, *value(len(in)+i, 0))
				} else {
					*value(len(in)+i, j) = v
				}
			}
		}
	}}}
}

var right, below = geometry.Offset{X: 1}, geometry.Offset{Y: -1}

// mixture reads what there is of neighbours, at walls nothing or its own, tells whether
// there is a neighbour, and writes to itself and to a neighbour.
func mixture() *stencil.Update {
	u := stencil.New("mixture")
	own := u.Read(solver.Slot{})
	next := u.Read(solver.Slot{Offset: right, Wall: -1})
	low := u.Read(solver.Slot{Value: 1, Offset: below, Wall: 0})
	u.Write(solver.Slot{Field: 1}, u.Add(own, u.Multiply(u.Constant(10), next)))
	u.Write(solver.Slot{Field: 1, Value: 1, Offset: right, Wall: -1}, u.Add(low, u.Multiply(u.Constant(100), u.Present(right))))
	u.Sum(own, 10)
	u.Maximum(low)
	return u
}

// physics runs the mixture on fields whose values are those of first and second.
type physics struct {
	functions stencil.Functions
	stencil   *stencil.Stencil[float64]
}

func first(x, y int32) float64  { return float64(x) + 0.01*float64(y) + 0.07 }
func second(x, y int32) float64 { return float64(y) - 0.5*float64(x) }

func (p *physics) Fields() []solver.Field {
	return []solver.Field{{Name: "now", Values: 2, Kind: solver.Float64, Constant: true}, {Name: "next", Values: 2, Kind: solver.Float64}}
}
func (p *physics) Program() solver.Program {
	u := mixture()
	return solver.Program{Steps: [][]solver.Phase{{{Name: "mix", Reads: u.Neighbours(), Return: u.Returned(), Fetch: u.Neighbours()}}},
		State: [][]solver.Slot{append(solver.Own(0, 2), solver.Own(1, 2)...)}, OnGhosts: true}
}
func (p *physics) Work(int, int) solver.Work { return p.stencil.Work(0) }
func (p *physics) Begin(int64) error         { return nil }
func (p *physics) Bind(b *solver.Binding) (k solver.Kernel, err error) {
	if p.stencil, err = stencil.NewStencil[float64](b, mixture(), p.functions); err != nil {
		return nil, err
	}
	p.stencil.Prepare()
	return p, b.Fill(0, func(x, y, _ int32, v []float64) { v[0], v[1] = first(x, y), second(x, y) })
}

// Neighbours, walls and reductions are those that are found cell by cell, also where ranks
// compute ghosts.
func TestAgainstCells(t *testing.T) {
	againstCells(t, 1, 1)
	againstCells(t, 3, 1)
	againstCells(t, 3, 2)
}

func againstCells(t *testing.T, ranks, every int) {
	there := func(x, y int32) bool { return x >= 0 && x < 300 && y >= 0 && y < 11 && (x*x+7*y+x*y)%19 > 0 }
	g := generate.Grid([3]int32{300, 11, 1}, func(x, y, _ int32) bool { return there(x, y) })
	// low is what a cell reads from below.
	low := func(x, y int32) float64 {
		if there(x, y-1) {
			return second(x, y-1)
		}
		return first(x, y)
	}
	enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
		p := &physics{functions: interpreted(mixture())}
		r, err := solver.NewRank(enginetest.Scattered(g, 7, ranks, 3, [3]bool{}), solver.Together{p}, processor.New(2, tr), tr, solver.Options{ExchangeEvery: every})
		if err != nil {
			return err
		}
		defer r.Close()
		if err := r.Step(); err != nil {
			return err
		}
		var got [2][]float64
		for v := range got {
			if got[v], err = r.Values(1, v); err != nil {
				return err
			}
		}
		i := 0
		var total int64
		largest := 0.0
		r.Layout().EachCell(func(_, x, y, _ int32) {
			total += int64(math.RoundToEven(10 * first(x, y)))
			largest = max(largest, low(x, y))
			want := [2]float64{first(x, y), 0}
			if there(x+1, y) {
				want[0] += 10 * first(x+1, y)
			}
			if there(x-1, y) {
				want[1] = low(x-1, y) + 100
			}
			for v := range want {
				if got[v][i] != want[v] {
					t.Errorf("value %d at (%d, %d) is %g, want %g", v, x, y, got[v][i], want[v])
				}
			}
			i++
		})
		// The largest of all cells may be found at a ghost, too.
		most := p.stencil.TakeMaximum(0)
		found := []int64{int64(math.Float64bits(most)), int64(math.Float64bits(largest))}
		if err := tr.Reduce(transport.Max, found); err != nil {
			return err
		}
		if sum := p.stencil.TakeSum(0); sum != total || found[0] != found[1] || ranks*every == 1 && most != largest {
			t.Errorf("sum %d and maximum %x, want %d and %x", sum, found[0], total, found[1])
		}
		if sum, most := p.stencil.TakeSum(0), p.stencil.TakeMaximum(0); sum != 0 || most != 0 {
			t.Errorf("sum %d and maximum %g the second time", sum, most)
		}
		if bytes, cells := p.stencil.Bytes(), int64(r.Layout().Cells); ranks == 1 && bytes > 40*cells {
			t.Errorf("%d cells take %d bytes more", cells, bytes)
		}
		return nil
	})
}

// apart is a mixture that a cell keeps: the values of cells around it, what a cell has where there
// are none, and whether there are; far is the same where all are there.
func apart(far bool) *stencil.Update {
	u := stencil.New("apart")
	own, next := u.Read(solver.Slot{}), u.Read(solver.Slot{Offset: right, Wall: -1})
	low, there := u.Read(solver.Slot{Value: 1, Offset: below, Wall: 0}), u.Constant(1)
	if !far {
		there = u.Present(right)
	}
	u.Write(solver.Slot{Field: 1}, u.Add(own, u.Multiply(u.Constant(10), next)))
	u.Write(solver.Slot{Field: 1, Value: 1}, u.Add(low, u.Multiply(u.Constant(100), there)))
	return u
}

// keeping runs it, and the shorter one where all is there.
type keeping struct{ physics }

func (p *keeping) Program() solver.Program {
	program := p.physics.Program()
	program.Steps[0][0].Return = nil
	return program
}

func (p *keeping) Bind(b *solver.Binding) (k solver.Kernel, err error) {
	if p.stencil, err = stencil.NewStencil[float64](b, apart(false), interpreted(apart(false))); err != nil {
		return nil, err
	}
	p.stencil.Inside(interpreted(apart(true)), apart(true))
	p.stencil.OwnOutputs(1)
	p.stencil.Prepare()
	return p, b.Fill(0, func(x, y, _ int32, v []float64) { v[0], v[1] = first(x, y), second(x, y) })
}

// Cells that are computed together have the values of those around them, and so have lists of
// what is read.
func TestOwnOutputs(t *testing.T) {
	there := func(x, y int32) bool { return x >= 0 && x < 300 && y >= 0 && y < 11 && (x*x+7*y+x*y)%19 > 0 }
	g := generate.Grid([3]int32{300, 11, 1}, func(x, y, _ int32) bool { return there(x, y) })
	for _, ranks := range []int{1, 3} {
		enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
			p := &keeping{}
			r, err := solver.NewRank(enginetest.Scattered(g, 7, ranks, 3, [3]bool{}), solver.Together{p}, processor.New(2, tr), tr, solver.Options{})
			if err != nil {
				return err
			}
			defer r.Close()
			if err := r.Step(); err != nil {
				return err
			}
			read := map[int32]float64{}
			for i := range r.Layout().Blocks {
				p.stencil.EachInputs(0, 0, &r.Layout().Blocks[i], func(cell int32, n int, at []unsafe.Pointer) {
					for j, v := range unsafe.Slice((*float64)(at[1]), n) {
						read[cell+int32(j)] = v
					}
				})
			}
			var got [2][]float64
			for v := range got {
				if got[v], err = r.Values(1, v); err != nil {
					return err
				}
			}
			i := 0
			r.Layout().EachCell(func(cell, x, y, _ int32) {
				next, want := 0.0, [2]float64{first(x, y), first(x, y)}
				if there(x+1, y) {
					next = first(x+1, y)
					want[1] += 100
				}
				want[0] += 10 * next
				if there(x, y-1) {
					want[1] += second(x, y-1) - first(x, y)
				}
				for v := range want {
					if math.Abs(got[v][i]-want[v]) > 1e-9 {
						t.Errorf("value %d at (%d, %d) is %g, want %g", v, x, y, got[v][i], want[v])
					}
				}
				if read[cell] != next {
					t.Errorf("at (%d, %d) %g is read, want %g", x, y, read[cell], next)
				}
				i++
			})
			return nil
		})
	}
}

// What crosses to other cells is listed for the engine, and fields change places.
func TestAccess(t *testing.T) {
	u := mixture()
	if n, m := u.Neighbours(), u.Returned(); len(n) != 2 || n[0].Offset != right || n[1].Offset != below || len(m) != 1 || m[0].Value != 1 {
		t.Errorf("read are %v, written %v", n, m)
	}
	other := u.Of(1, 0)
	for i := range u.Reads {
		if other.Reads[i].Field != 1 || u.Reads[i].Field != 0 {
			t.Errorf("input %d is of field %d, before %d", i, other.Reads[i].Field, u.Reads[i].Field)
		}
	}
	if other.Writes[0].Field != 0 || other.Writes[0].Into != stencil.IntoSlot || other.Writes[3].Into != stencil.IntoMaximum {
		t.Errorf("outputs are %v", other.Writes)
	}
}

// The work on a block allocates nothing.
func TestAllocation(t *testing.T) {
	nothing := stencil.Functions{"": {Double: func(*unsafe.Pointer, int, unsafe.Pointer) {}}}
	tr, p := transport.NewLocal(1)[0], &physics{functions: nothing}
	r, err := solver.NewRank(solver.WholeDomain(generate.FullGrid([3]int32{40, 9, 1})), solver.Together{p}, processor.New(1, tr), tr, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	work, block := p.stencil.Work(0), &r.Layout().Blocks[0]
	if n := testing.AllocsPerRun(10, func() {
		p.stencil.Prepare()
		work(block, 0)
	}); n != 0 {
		t.Errorf("a block allocates %g times", n)
	}
}
