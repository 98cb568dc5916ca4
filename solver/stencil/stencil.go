package stencil

import (
	"math"
	"slices"
	"unsafe"

	"carina/geometry"
	"carina/internal/simd"
	"carina/solver"
	"carina/solver/expression"
	"carina/solver/processor"
)

// Function computes n cells that follow each other. Input or output number i of the first
// one, outputs after the inputs, is where at[i] points, of the next one behind it. Maxima
// are kept in as many lanes as LaneBytes hold. The table is a Spread one.
type Function func(at *unsafe.Pointer, n int, table unsafe.Pointer)

// LaneBytes are the largest register's.
const LaneBytes = 64

// EntryBytes are an entry's in the table of a Function: as many equal numbers as an operand of
// AVX2 has.
const EntryBytes = 32

// Spread is a table as Functions read it, in the memory of one of before, if any.
func Spread[T float32 | float64](before, table []T) []T {
	spread := before[:0]
	for _, v := range table {
		for range EntryBytes / unsafe.Sizeof(v) {
			spread = append(spread, v)
		}
	}
	return spread
}

// Functions are those that were generated of a program: by instruction set, the plain Go
// one by the empty name, in single and in double precision. With Past behind the instruction
// set its outputs, which begin with lines of the cache, go past the cache.
type Functions map[string]struct{ Single, Double Function }

// Best is the function on values of type T for this processor.
func Best[T float32 | float64](functions Functions) Function { return best[T](functions, "") }

// best is the function with such an end of its name, nil where there is none.
func best[T float32 | float64](functions Functions, end string) Function {
	chosen := functions[end]
	for _, machine := range slices.Backward(simd.Machines()) {
		if f, ok := functions[machine+end]; ok {
			chosen = f
		}
	}
	if unsafe.Sizeof(T(0)) == 4 {
		return chosen.Single
	}
	return chosen.Double
}

// First reads the entries of a Spread table.
func First[T float32 | float64](table []T, spread unsafe.Pointer) {
	for i := range table {
		table[i] = *(*T)(unsafe.Add(spread, i*EntryBytes))
	}
}

// Part is an update whose inputs and outputs lie where its caller says.
type Part[T float32 | float64] struct {
	*expression.Tabulator[T]
	function Function
	table    []T
}

// NewPart prepares an update with the functions that were generated of it.
func NewPart[T float32 | float64](u *Update, functions Functions) (*Part[T], error) {
	return &Part[T]{Tabulator: expression.NewTabulator[T](u.Program), function: Best[T](functions)}, simd.CheckMachines()
}

// Prepare takes over the parameters that were set.
func (p *Part[T]) Prepare() { p.table = Spread(p.table, p.Table()) }

// Run computes n cells, as a Function does.
func (p *Part[T]) Run(at *unsafe.Pointer, n int) {
	p.function(at, n, unsafe.Pointer(unsafe.SliceData(p.table)))
}

// RunOn computes what lists of one length hold: inputs and, behind them, outputs.
func (p *Part[T]) RunOn(lists [][]T) {
	at := make([]unsafe.Pointer, len(lists))
	for i := range lists {
		at[i] = unsafe.Pointer(&lists[i][0])
	}
	p.Run(&at[0], len(lists[0]))
}

// mostCells is how many cells a block has at most.
const mostCells = solver.BlockCells + solver.GroupCells

// Stencil runs an update on the blocks of a rank on a processor, on values of type T.
type Stencil[T float32 | float64] struct {
	update   *Update
	all      *compiled[T]
	inside   *compiled[T] // where all is there; nil where all cells are alike
	windows  *solver.Windows
	runs     []run
	begin    []int32 // of a block's runs, and where the last ones end
	accesses [][]place
	rooms    []room[T]
	cells    int32 // own
	sharing  int64 // ranks on this host
}

// run is cells that follow each other, and so do their neighbours at every offset but where
// they are scattered.
type run struct {
	first, end int32
	scattered  bool
}

// place is where an input or output lies.
type place struct {
	array, wall unsafe.Pointer // nil: nowhere
	offset      int            // number of the window's, −1 for the cell itself
	kind        placeKind
	read        bool
	number      int
	scale       float64
}

type placeKind uint8

const (
	inField placeKind = iota
	presence
	maximum
	sum
)

// room is a worker's: pointers, neighbours, the reductions so far, terms of sums and what
// is read and written nowhere.
type room[T float32 | float64] struct {
	at         []unsafe.Pointer
	neighbours []int32
	maxima     [][LaneBytes / unsafe.Sizeof(float32(0))]T
	sums       []int64
	terms      [][mostCells]T
	zeros      [mostCells]T
	ones       [mostCells]T
	nowhere    [mostCells]T
	pieces     pieces[T]
	_          [64]byte
}

// NewStencil prepares an update for a rank, with the functions that were generated of its
// program and as many accesses as steps differ in; none are the update's own. Fields
// are numbered as those of the physics, all of type T.
func NewStencil[T float32 | float64](b *solver.Binding, u *Update, functions Functions, accesses ...Access) (*Stencil[T], error) {
	if err := simd.CheckMachines(); err != nil {
		return nil, err
	}
	s := &Stencil[T]{update: u, all: compile[T](u, functions), cells: int32(b.Cells)}
	if len(accesses) == 0 {
		accesses = []Access{u.Access}
	}
	device := b.Device.(*processor.Device)
	var offsets []geometry.Offset
	for i := range accesses {
		s.accesses = append(s.accesses, places[T](b, device, &accesses[i], &offsets))
	}
	s.sharing = int64(device.Sharing())
	s.windows = b.Windows(offsets)
	s.findRuns(b)
	s.rooms = make([]room[T], device.Workers())
	for i := range s.rooms {
		r := &s.rooms[i]
		r.at, r.neighbours = make([]unsafe.Pointer, len(u.Reads)+len(u.Writes)+1), make([]int32, len(offsets))
		r.maxima, r.sums = make([][LaneBytes / 4]T, u.count(IntoMaximum)), make([]int64, u.count(IntoSum))
		r.terms = make([][mostCells]T, len(r.sums))
		for j := range r.ones {
			r.ones[j] = 1
		}
	}
	return s, nil
}

// Inside lets cells around which all is there that the update asks for be updated by
// another one, whose inputs and outputs are the first ones of the update: it does the same
// there, with less. Reductions are not among them.
func (s *Stencil[T]) Inside(functions Functions, u *Update) { s.inside = compile[T](u, functions) }

// Set gives a parameter its value.
func (s *Stencil[T]) Set(name string, value float64) {
	s.all.Set(name, value)
	if s.inside != nil {
		s.inside.Set(name, value)
	}
}

// places finds the arrays of an access and adds its offsets to those of others.
func places[T float32 | float64](b *solver.Binding, d *processor.Device, a *Access, offsets *[]geometry.Offset) (list []place) {
	array := func(field, value int) unsafe.Pointer {
		memory, stride := processor.Values[T](d, b.Array(field))
		return unsafe.Pointer(&memory[value*stride])
	}
	of := func(slot *solver.Slot, kind placeKind) place {
		p := place{kind: kind, offset: -1}
		if slot.Offset != (geometry.Offset{}) {
			if p.offset = slices.Index(*offsets, slot.Offset); p.offset < 0 {
				p.offset = len(*offsets)
				*offsets = append(*offsets, slot.Offset)
			}
		}
		if kind == inField {
			p.array = array(slot.Field, slot.Value)
			if slot.Wall >= 0 {
				p.wall = array(slot.Field, slot.Wall)
			}
		}
		return p
	}
	for i := range a.Reads {
		kind := inField
		if a.Reads[i].Present {
			kind = presence
		}
		p := of(&a.Reads[i].Slot, kind)
		p.read = true
		list = append(list, p)
	}
	var counts [IntoSum + 1]int
	for i := range a.Writes {
		w := &a.Writes[i]
		p := place{kind: maximum + placeKind(w.Into-IntoMaximum), number: counts[w.Into], scale: w.Scale}
		if w.Into == IntoSlot {
			p = of(&w.Slot, inField)
		}
		counts[w.Into]++
		list = append(list, p)
	}
	return list
}

// findRuns cuts the fluid cells of all blocks, and their ghosts, into runs.
func (s *Stencil[T]) findRuns(b *solver.Binding) {
	for _, block := range slices.Concat(b.Blocks, b.Outer) {
		var starts [mostCells + 1]bool
		for k := range s.windows.Offsets {
			s.windows.Each(k, block.First, block.End, func(cell, _, _ int32) { starts[cell-block.First] = true })
		}
		s.begin = append(s.begin, int32(len(s.runs)))
		own := len(s.runs)
		add := func(_ *solver.Piece, from, to int32) {
			for c := from; c < to; c++ {
				if last := len(s.runs) - 1; last >= own && s.runs[last].end == c && !starts[c-block.First] {
					s.runs[last].end = c + 1
				} else {
					s.runs = append(s.runs, run{first: c, end: c + 1})
				}
			}
		}
		b.EachPiece(block.First, block.End, add)
		if int(block.First) >= b.Cells {
			add(nil, block.First, block.End)
		}
	}
	s.begin, s.runs = append(s.begin, int32(len(s.runs))), slices.Clip(s.runs)
}

// Bytes is the memory beside that of fields.
func (s *Stencil[T]) Bytes() int64 {
	return s.windows.Bytes() + int64(len(s.runs))*int64(unsafe.Sizeof(run{})) + int64(len(s.begin))*4
}

// Prepare takes over the parameters that were set.
func (s *Stencil[T]) Prepare() {
	if s.all.prepare(); s.inside != nil {
		s.inside.prepare()
	}
}

// Work is that of an access on blocks.
func (s *Stencil[T]) Work(access int) solver.BlockWork {
	return func(b *solver.Block, worker int) {
		for _, run := range s.runs[s.begin[b.Number]:s.begin[b.Number+1]] {
			if run.scattered {
				s.together(s.accesses[access], &s.rooms[worker], run)
			} else {
				s.part(s.accesses[access], &s.rooms[worker], run.first, run.end)
			}
		}
		s.finish(&s.rooms[worker])
	}
}

// finish ends work on runs.
func (s *Stencil[T]) finish(r *room[T]) {
	if r.pieces.cells > 0 {
		r.pieces.flush()
	}
	if s.all.past != nil {
		fence()
	}
}

// Part is Work on some cells of a run alone, from ≤ cell < to. OwnOutputs was not called.
func (s *Stencil[T]) Part(access int) func(worker int, from, to int32) {
	places := s.accesses[access]
	return func(worker int, from, to int32) {
		s.part(places, &s.rooms[worker], from, to)
		s.finish(&s.rooms[worker])
	}
}

// EachRun calls f for the runs of a block, each from its first cell to the one behind its last.
// OwnOutputs was not called.
func (s *Stencil[T]) EachRun(b *solver.Block, f func(from, to int32)) {
	for _, r := range s.runs[s.begin[b.Number]:s.begin[b.Number+1]] {
		f(r.first, r.end)
	}
}

// EachInputs calls f for n cells of a block at a time that follow each other, with where what
// an access reads of them lies. That is the worker's until the next call.
func (s *Stencil[T]) EachInputs(access, worker int, b *solver.Block, f func(cell int32, n int, at []unsafe.Pointer)) {
	r, places := &s.rooms[worker], s.accesses[access][:len(s.update.Reads)]
	for _, run := range s.runs[s.begin[b.Number]:s.begin[b.Number+1]] {
		if run.scattered {
			s.gather(places, r, run)
			for i := range places {
				r.at[i] = unsafe.Pointer(&r.pieces.values[i*pieceCells])
			}
		} else {
			s.find(r, run.first)
			for i := range places {
				r.at[i] = s.at(&places[i], run.first, r)
			}
		}
		f(run.first, int(run.end-run.first), r.at[:len(places)])
	}
}

// find finds the neighbours of a cell.
func (s *Stencil[T]) find(r *room[T], cell int32) {
	for k := range r.neighbours {
		r.neighbours[k] = s.windows.Neighbour(k, cell)
	}
}

func (s *Stencil[T]) part(places []place, r *room[T], from, to int32) {
	s.find(r, from)
	n, inside := int(to-from), s.inside != nil
	for i := range places {
		r.at[i] = s.at(&places[i], from, r)
		inside = inside && (places[i].kind != presence || r.at[i] == unsafe.Pointer(&r.ones))
	}
	update := s.all
	if inside {
		update = s.inside
		copy(r.at[update.reads:], r.at[len(s.update.Reads):][:update.writes])
	}
	if update.past != nil {
		r.pieces.run(update, r.at, n)
	} else {
		update.run(r.at, n)
	}
	for i := range places {
		if p := &places[i]; p.kind == sum && from < s.cells {
			r.add(p, n)
		}
	}
}

// at is where the value of a run's first cell lies.
func (s *Stencil[T]) at(p *place, first int32, r *room[T]) unsafe.Pointer {
	cell := first
	if p.offset >= 0 {
		cell = r.neighbours[p.offset]
	}
	array := p.array
	switch {
	case p.kind == maximum:
		return unsafe.Pointer(&r.maxima[p.number])
	case p.kind == sum:
		return unsafe.Pointer(&r.terms[p.number])
	case p.kind == presence && cell >= 0:
		return unsafe.Pointer(&r.ones)
	case p.kind == presence, cell < 0 && p.wall == nil && p.read:
		return unsafe.Pointer(&r.zeros)
	case cell < 0 && p.wall == nil:
		return unsafe.Pointer(&r.nowhere)
	case cell < 0:
		array, cell = p.wall, first
	}
	return unsafe.Add(array, uintptr(cell)*unsafe.Sizeof(T(0)))
}

// add adds the terms of n cells to a sum.
func (r *room[T]) add(p *place, n int) {
	for _, v := range r.terms[p.number][:n] {
		r.sums[p.number] += int64(math.RoundToEven(float64(v) * p.scale))
	}
}

// TakeMaximum returns a maximum of all blocks since the last time.
func (s *Stencil[T]) TakeMaximum(number int) (largest T) {
	for i := range s.rooms {
		lanes := &s.rooms[i].maxima[number]
		for _, v := range lanes {
			largest = max(largest, v)
		}
		clear(lanes[:])
	}
	return largest
}

// TakeSum returns a sum of all blocks since the last time.
func (s *Stencil[T]) TakeSum(number int) (total int64) {
	for i := range s.rooms {
		total += s.rooms[i].sums[number]
		s.rooms[i].sums[number] = 0
	}
	return total
}
