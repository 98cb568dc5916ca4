package solver_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"
)

// clock has three values a cell, which tell the cell, the value and the step, and
// asks for some of other ranks'.
type clock struct {
	bound  func(k *clockKernel)
	silent bool
}

const clockValues = 3

// at is a value of a cell before a step.
func at(cell int64, value int32, step int64) float64 {
	return float64(cell) + 1e4*float64(value) + 1e6*float64(step)
}

func (clock) Fields() []solver.Field {
	return []solver.Field{{Name: "clock", Values: clockValues, Kind: solver.Float64}}
}

func (clock) Program() (p solver.Program) {
	var state []solver.Slot
	for v := range clockValues {
		state = append(state, solver.Slot{Value: v})
	}
	return solver.Program{Steps: [][]solver.Phase{{{Name: "tick", Asks: true}}}, State: [][]solver.Slot{state}}
}

type clockKernel struct {
	values  [clockValues][]float64
	global  []int64
	step    int64
	asks    []solver.Ask
	answers []float64
}

func (c clock) Bind(b *solver.Binding) (solver.Kernel, error) {
	k := &clockKernel{global: make([]int64, b.Cells)}
	memory, stride := processor.Values[float64](b.Device.(*processor.Device), b.Array(0))
	for v := range k.values {
		k.values[v] = memory[v*stride:][:stride]
	}
	own := map[int64]bool{}
	for i := range b.Pieces {
		p := &b.Pieces[i]
		for cell := range p.Cells() {
			k.global[p.Local+cell] = p.Global + int64(cell)
			own[p.Global+int64(cell)] = true
			for v := range k.values {
				k.values[v][p.Local+cell] = at(p.Global+int64(cell), int32(v), 0)
			}
		}
	}
	random := rand.New(rand.NewPCG(uint64(b.Rank), 5))
	all := b.Domain.Grid.Cells()
	for range 200 {
		if cell := random.Int64N(all); !own[cell] {
			k.asks = append(k.asks, solver.Ask{Cell: cell, Value: random.Int32N(clockValues)})
		}
	}
	k.answers = make([]float64, len(k.asks))
	if c.silent {
		return k, nil
	}
	b.Ask(0, 0, k.asks, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(k.answers))), 8*len(k.answers)))
	c.bound(k)
	return k, nil
}

func (k *clockKernel) Work(int, int) solver.Work {
	return solver.BlockWork(func(b *solver.Block, _ int) {
		for c := b.First; c < b.End; c++ {
			for v := range k.values {
				k.values[v][c] = at(k.global[c], int32(v), k.step+1)
			}
		}
	})
}

func (k *clockKernel) Begin(step int64) error { k.step = step; return nil }

func (k *clockKernel) Check(*solver.Block, int) (float64, int64) { return 0, solver.NoCell }

// Answers are the values asked for, of other ranks' cells, before the next step,
// in the order of the asks.
func TestAnswers(t *testing.T) {
	g := generate.NoiseGrid([3]int32{12, 9, 7}, 0.7, 5)
	for _, ranks := range []int{2, 5} {
		d := enginetest.Scattered(g, 3, ranks, uint64(ranks), [3]bool{})
		enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
			var k *clockKernel
			physics := clock{bound: func(made *clockKernel) { k = made }}
			r, err := solver.NewRank(d, solver.Together{physics}, processor.New(1, tr), tr, solver.Options{})
			if err != nil {
				return err
			}
			defer r.Close()
			if len(k.asks) < 50 {
				return fmt.Errorf("%d asks", len(k.asks))
			}
			for step := int64(1); step < 5; step++ {
				if err := r.Step(); err != nil {
					return err
				}
				for i, ask := range k.asks {
					if want := at(ask.Cell, ask.Value, step); k.answers[i] != want {
						return fmt.Errorf("rank %d of %d, step %d: value %d of cell %d is %g, want %g", tr.Rank(), ranks, step, ask.Value, ask.Cell, k.answers[i], want)
					}
				}
			}
			return nil
		})
	}
}

// A rank's own cells and cells that are not there cannot be asked for, whichever
// rank asks.
func TestWrongAsks(t *testing.T) {
	g := generate.FullGrid([3]int32{4, 4, 4})
	for _, c := range []wrongAsk{{cell: -1}, {cell: 0}, {cell: 63}, {ranks: 2, cell: -1}, {ranks: 2, cell: 64}, {ranks: 2, rank: 1, cell: -1}, {ranks: 2, rank: 1, cell: 64}} {
		ranks := max(c.ranks, 1)
		d := enginetest.Scattered(g, 2, ranks, 1, [3]bool{})
		failures := make([]error, ranks)
		var all sync.WaitGroup
		for i, tr := range transport.NewLocal(ranks) {
			all.Go(func() {
				_, failures[i] = solver.NewRank(d, solver.Together{c}, processor.New(1, tr), tr, solver.Options{})
			})
		}
		all.Wait()
		for i, err := range failures {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("cell %d was asked for", c.cell)) {
				t.Errorf("%+v: rank %d: %v", c, i, err)
			}
		}
	}
}

// wrongAsk asks for one cell on one rank.
type wrongAsk struct {
	clock
	ranks int
	rank  int32
	cell  int64
}

func (w wrongAsk) Bind(b *solver.Binding) (solver.Kernel, error) {
	w.silent = true
	k, err := w.clock.Bind(b)
	var asks []solver.Ask
	if b.Rank == w.rank {
		asks = append(asks, solver.Ask{Cell: w.cell})
	}
	b.Ask(0, 0, asks, make([]byte, 8))
	return k, err
}

// refused is a clock with something that cannot be done.
type refused struct {
	clock
	asks   int // how often
	reduce *solver.Reduction
}

func (w refused) Program() solver.Program {
	p := w.clock.Program()
	p.Steps[0][0].Reduce = w.reduce
	return p
}

func (w refused) Bind(b *solver.Binding) (solver.Kernel, error) {
	w.bound = func(*clockKernel) {}
	k, err := w.clock.Bind(b)
	for range w.asks - 1 {
		b.Ask(0, 0, nil, nil)
	}
	return k, err
}

// What would be lost in silence is refused.
func TestRefusedPhysics(t *testing.T) {
	g := generate.FullGrid([3]int32{4, 4, 4})
	for want, list := range map[string]solver.Together{
		"no physics":                     nil,
		"asks twice":                     {refused{asks: 2}},
		"is no Reducer":                  {refused{reduce: &solver.Reduction{Values: 1, Every: 1}}},
		"cycles of the same length":      {refused{}, &twoSteps{}},
		"computes one physics alone":     {refused{}, keeping{}},
		"this device computes one":       {keeping{}, refused{}},
		"reduces 1 values every 0 steps": {reducingNever{}},
	} {
		tr := transport.NewLocal(1)[0]
		if _, err := solver.NewRank(solver.WholeDomain(g), list, processor.New(1, tr), tr, solver.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q and got %v", want, err)
		}
	}
}

// twoSteps is a clock with a cycle of two steps.
type twoSteps struct{ refused }

func (w twoSteps) Program() solver.Program {
	p := w.clock.Program()
	p.Steps = append(p.Steps, p.Steps[0])
	return p
}

// keeping has a kernel that keeps its values in an order of its own.
type keeping struct{ refused }

func (w keeping) Bind(b *solver.Binding) (solver.Kernel, error) {
	k, err := w.refused.Bind(b)
	return struct {
		solver.Kernel
		solver.RecordKernel
	}{k, nil}, err
}

// reducingNever has a reduction that is never due.
type reducingNever struct{ refused }

func (w reducingNever) Program() solver.Program {
	p := w.clock.Program()
	p.Steps[0][0].Reduce = &solver.Reduction{Values: 1}
	return p
}

func (w reducingNever) Bind(b *solver.Binding) (solver.Kernel, error) {
	k, err := w.refused.Bind(b)
	return struct {
		solver.Kernel
		solver.Reducer
	}{k, nil}, err
}

// ghostly is a clock that claims to compute ghosts.
type ghostly struct{ refused }

func (w ghostly) Program() solver.Program {
	p := w.clock.Program()
	p.OnGhosts = true
	return p
}

// Physics that must exchange in every step say so when asked for fewer exchanges.
func TestRefusesFewerExchanges(t *testing.T) {
	g := generate.FullGrid([3]int32{4, 4, 4})
	for want, p := range map[string]solver.Physics{
		"does not compute ghosts": refused{},
		"asks for values":         ghostly{},
	} {
		tr := transport.NewLocal(1)[0]
		_, err := solver.NewRank(solver.WholeDomain(g), solver.Together{p}, processor.New(1, tr), tr, solver.Options{ExchangeEvery: 2})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q and got %v", want, err)
		}
	}
}
