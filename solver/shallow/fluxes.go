package shallow

import (
	"slices"
	"unsafe"

	"carina/solver"
	"carina/solver/processor"
	"carina/solver/shallow/scheme"
	"carina/solver/stencil"
)

// line is values of cells side by side, and of two more on either side.
type line[T float32 | float64] [solver.BlockCells + solver.GroupCells + 4 + stencil.LaneBytes/4]T

// lines are the values of cells, or of sides of them.
type lines[T float32 | float64] [scheme.CellValues]line[T]

// fluxes is a stage with fluxes on a processor, of lines of cells side by side. What passes
// through the faces above a line is kept for the line above it, so that mostly each face is
// computed once.
type fluxes[T float32 | float64] struct {
	cells, sides, face, inflow, last *stencil.Part[T]
	windows                          *solver.Windows
	runs                             [][2]int32
	begin                            []int32 // of a block's runs, and where the last ones end
	bottom                           []T
	rates                            [values][]T
	edges                            *[4][]T
	factors                          [sides]T // of inflows
	accesses                         []access[T]
	rooms                            []fluxRoom[T]
	after                            bool // the water after a step by rates
	owns                             int  // what is read of each cell at the end: nothing, water, rates
	// stage numbers the times that the stage is worked on: what is kept is of one.
	stage int64
}

// access is what is read and written in a step of the cycle.
type access[T float32 | float64] struct{ water, to [values][]T }

// fluxRoom is a worker's.
type fluxRoom[T float32 | float64] struct {
	rows [5]lines[T] // cells of lines, from two below to two above
	// low and high are sides of cells, face what passes between them, along one axis.
	low, high, face lines[T]
	source          line[T] // what the ground bears
	upper           line[T] // what discharge along the line gets from the faces above
	fastest         [stencil.LaneBytes / 4]T
	edge, gets      T // of an inflow
	at              [24]unsafe.Pointer
	kept            faceCache[T]
	_               [64]byte
}

// newFluxes prepares a stage.
func newFluxes[T float32 | float64](w *Water, b *solver.Binding, s *stage, phase int) (*fluxes[T], error) {
	f := &fluxes[T]{windows: b.Windows(offsets), after: len(s.cells.update.Reads) > scheme.CellValues, owns: s.owns()}
	for _, p := range []struct {
		from part
		to   **stencil.Part[T]
	}{{s.cells, &f.cells}, {s.sides, &f.sides}, {s.face, &f.face}, {s.inflow, &f.inflow}, {s.last, &f.last}} {
		var err error
		if *p.to, err = stencil.NewPart[T](p.from.update, p.from.functions); err != nil {
			return nil, err
		}
	}
	d := b.Device.(*processor.Device)
	arrays := func(field int) (list [values][]T) {
		memory, stride := processor.Values[T](d, b.Array(field))
		for v := range list {
			list[v] = memory[v*stride:][:stride]
		}
		return list
	}
	f.bottom, _ = processor.Values[T](d, b.Array(scheme.Bottom))
	f.rates = arrays(scheme.RatesOfChange)
	if w.Edge != nil {
		memory, stride := processor.Values[T](d, b.Array(w.edges()))
		f.edges = new([4][]T)
		for side := range f.edges {
			f.edges[side] = memory[side*stride:][:stride]
		}
	}
	for n := range int64(cycle) {
		of := w.fieldsAt(phase, n)
		a := access[T]{water: arrays(of[scheme.Water]), to: f.rates}
		if f.owns > 0 {
			a.to = arrays(of[scheme.Next])
		}
		f.accesses = append(f.accesses, a)
	}
	for _, block := range slices.Concat(b.Blocks, b.Outer) {
		f.begin = append(f.begin, int32(len(f.runs)))
		eachLine(f.windows, block.First, block.End, func(from, to int32) { f.runs = append(f.runs, [2]int32{from, to}) })
	}
	f.begin = append(f.begin, int32(len(f.runs)))
	f.rooms = make([]fluxRoom[T], d.Workers())
	places := f.places()
	for i := range f.rooms {
		for v := range f.rooms[i].kept.values {
			f.rooms[i].kept.values[v] = make([]T, places+mostLine)
		}
	}
	return f, nil
}

// mostLine is how many cells a line has at most.
const mostLine = solver.BlockCells + solver.GroupCells

// places is of how many cells something is kept: of two rows, unless they are very long.
func (f *fluxes[T]) places() int32 {
	const most = 1 << 14
	far := int32(mostLine)
	for _, r := range f.runs {
		if up := f.windows.Neighbour(beyond[North], r[0]); up >= 0 {
			far = max(far, min(up-r[0], most))
		}
	}
	return 2 * far
}

// prepare takes over parameters.
func (f *fluxes[T]) prepare(c *clock) {
	for _, p := range [...]*stencil.Part[T]{f.cells, f.sides, f.face, f.inflow, f.last} {
		c.set(p.Set)
		p.Prepare()
	}
	for side := range sides {
		f.factors[side] = T(c.inflow(side, c.time))
	}
}

// call computes n cells of a part, whose inputs and outputs lie where at tells.
func (r *fluxRoom[T]) call(p *stencil.Part[T], n int32) { p.Run(&r.at[0], int(n)) }

// point lets at, from a number on, be the values of lines from a place on, and returns the
// number behind.
func (r *fluxRoom[T]) point(at int, l *lines[T], place int32, order *[scheme.CellValues]int) int {
	for i, v := range order {
		r.at[at+i] = unsafe.Pointer(&l[v][place])
	}
	return at + len(order)
}

// Values of cells along x and y: of their velocities the one along comes first.
var alongX, alongY = [...]int{0, 1, 2, 3}, [...]int{0, 1, 3, 2}

// rowOffsets are the numbers of the offsets of rows.
var rowOffsets = [5]int{4, 5, -1, 6, 7}

// beside is the place of the first cell of a line in its values.
const beside = 2

// load computes n cells into a line, from a place on.
func (f *fluxes[T]) load(r *fluxRoom[T], a *access[T], cell, n int32, to *lines[T], place int32) {
	at := 0
	add := func(v []T) {
		r.at[at] = unsafe.Pointer(&v[cell])
		at++
	}
	for v := range a.water {
		add(a.water[v])
	}
	add(f.bottom)
	if f.after {
		for v := range f.rates {
			add(f.rates[v])
		}
	}
	r.point(at, to, place, &alongX)
	r.call(f.cells, n)
}

// row computes the cells of a row, as far as there are any.
func (f *fluxes[T]) row(r *fluxRoom[T], a *access[T], row int, from, to int32) (all bool) {
	all = true
	f.windows.Each(rowOffsets[row], from, to, func(cell, n, other int32) {
		if other < 0 {
			all = false
		} else {
			f.load(r, a, other, n, &r.rows[row], beside+cell-from)
		}
	})
	return all
}

// edge is what lies beyond a side of a cell.
func (f *fluxes[T]) edge(cell int32, side Side) T {
	if f.edges == nil {
		return 0
	}
	e := f.edges[side][cell]
	if e < 0 {
		return e
	}
	return e * f.factors[side]
}

// mirror lets a cell in a line be the image of another one at the side of a cell.
func (f *fluxes[T]) mirror(to *lines[T], place int32, of *lines[T], from int32, cell int32, side Side) {
	for v := range to {
		to[v][place] = of[v][from]
	}
	if along := &to[2+side/2][place]; f.edge(cell, side) == 0 {
		*along = 0 - *along
	}
}

// nearer lets cells of the row next to a line, on one side, be images where there are none.
func (f *fluxes[T]) nearer(r *fluxRoom[T], from, to int32, side Side) {
	f.windows.Each(beyond[side], from, to, func(cell, n, other int32) {
		for c := cell; c < cell+n && other < 0; c++ {
			at := beside + c - from
			f.mirror(&r.rows[1+2*(side-South)], at, &r.rows[2], at, c, side)
		}
	})
}

// further does so with the row behind it.
func (f *fluxes[T]) further(r *fluxRoom[T], from, to int32, side Side) {
	near, far, opposite := 1+2*(side-South), 4*(side-South), 3-2*(side-South)
	f.windows.Each(rowOffsets[far], from, to, func(cell, n, other int32) {
		for c := cell; c < cell+n && other < 0; c++ {
			if next := f.windows.Neighbour(beyond[side], c); next >= 0 {
				f.mirror(&r.rows[far], beside+c-from, &r.rows[near], beside+c-from, next, side)
			}
		}
	})
	f.windows.Each(beyond[side], from, to, func(cell, n, other int32) {
		for c := cell; c < cell+n && other < 0; c++ {
			f.mirror(&r.rows[far], beside+c-from, &r.rows[opposite], beside+c-from, c, side)
		}
	})
}

// line computes the cells of a line, and up to two on either side.
func (f *fluxes[T]) line(r *fluxRoom[T], a *access[T], from, to int32) (west, east bool) {
	q, n := &r.rows[2], to-from
	end := beside + n
	next := [...]int32{f.windows.Neighbour(0, from), f.windows.Neighbour(1, from), f.windows.Neighbour(2, to-1), f.windows.Neighbour(3, to-1)}
	low, high := from, to
	if next[0] >= 0 && next[0] == from-2 && next[1] == from-1 {
		low = from - 2
	}
	if next[2] == to && next[3] == to+1 {
		high = to + 2
	}
	f.load(r, a, low, high-low, q, beside+low-from)
	if low == from {
		f.one(r, a, next[1], q, 1, beside, from, West)
	}
	if high == to {
		f.one(r, a, next[2], q, end, end-1, to-1, East)
	}
	west, east = next[1] < 0, next[2] < 0
	switch {
	case west:
		f.mirror(q, 0, q, beside+1, from, West)
	case low == from:
		f.one(r, a, next[0], q, 0, 1, next[1], West)
	}
	switch {
	case east:
		f.mirror(q, end+1, q, end-2, to-1, East)
	case high == to:
		f.one(r, a, next[3], q, end+1, end, next[2], East)
	}
	return west, east
}

// one computes a cell beside a line or, where there is none, lets it be the image of that at
// a place, which has a number.
func (f *fluxes[T]) one(r *fluxRoom[T], a *access[T], cell int32, q *lines[T], place, from, number int32, side Side) {
	if cell >= 0 {
		f.load(r, a, cell, 1, q, place)
	} else {
		f.mirror(q, place, q, from, number, side)
	}
}

// pointers are those of the values of lines from a place on, by an order.
func pointers[T float32 | float64](l *lines[T], place int32, order *[scheme.CellValues]int) (list [scheme.CellValues]unsafe.Pointer) {
	for i, v := range order {
		list[i] = unsafe.Pointer(&l[v][place])
	}
	return list
}

// side computes the sides of n cells of a row, from a place on, into low, and high and what
// the ground bears wherever these are.
func (f *fluxes[T]) side(r *fluxRoom[T], before, q, after *lines[T], shift, place, n int32, order *[scheme.CellValues]int, high [scheme.CellValues]unsafe.Pointer, bears unsafe.Pointer) {
	at := r.point(0, before, place-shift, order)
	at = r.point(at, q, place, order)
	at = r.point(at, after, place+shift, order)
	at = r.point(at, &r.low, place, &alongX)
	at += copy(r.at[at:], high[:])
	r.at[at] = bears
	r.call(f.sides, n)
}

// faces computes n faces between high sides and the low ones from a place on.
func (f *fluxes[T]) faces(r *fluxRoom[T], high [scheme.CellValues]unsafe.Pointer, place, n int32, into [scheme.FaceValues]unsafe.Pointer) {
	at := copy(r.at[:], high[:])
	at = r.point(at, &r.low, place, &alongX)
	at += copy(r.at[at:], into[:])
	r.at[at] = unsafe.Pointer(&r.fastest)
	r.call(f.face, n)
}

// enter lets a face, its values so many behind, be one through which water comes in if that is so at a
// side of a cell, where it is so deep.
func (f *fluxes[T]) enter(r *fluxRoom[T], cell int32, side Side, depth *T, face [scheme.FaceValues]unsafe.Pointer, behind int32) {
	edge := f.edge(cell, side)
	if !(edge > 0) {
		return
	}
	r.edge = edge
	copy(r.at[:], []unsafe.Pointer{unsafe.Pointer(&r.edge), unsafe.Pointer(depth), unsafe.Pointer(&r.gets), unsafe.Pointer(&r.fastest)})
	r.call(f.inflow, 1)
	if side == East || side == North {
		edge = 0 - edge
	}
	for i, v := range [scheme.FaceValues]T{edge, 0, r.gets, r.gets} {
		*(*T)(unsafe.Add(face[i], uintptr(behind)*unsafe.Sizeof(v))) = v
	}
}

// enterAll does so with the faces on one side of a line.
func (f *fluxes[T]) enterAll(r *fluxRoom[T], from, to int32, side Side, depths unsafe.Pointer, face [scheme.FaceValues]unsafe.Pointer) {
	if f.edges == nil {
		return
	}
	f.windows.Each(beyond[side], from, to, func(cell, n, other int32) {
		for c := cell; c < cell+n && other < 0; c++ {
			f.enter(r, c, side, (*T)(unsafe.Add(depths, uintptr(c-from)*unsafe.Sizeof(T(0)))), face, c-from)
		}
	})
}

// part computes some cells of a run.
func (f *fluxes[T]) part(n, worker int, from, to int32) {
	const least = 32
	r := &f.rooms[worker]
	if r.kept.stage != f.stage {
		r.kept.stage, r.kept.list, r.kept.next = f.stage, r.kept.list[:0], 0
	}
	for from < to {
		into := r.kept.room(to - from)
		place, found := r.kept.find(from, to)
		end := from + found
		if found < min(least, to-from) {
			place, end = -1, to
		}
		r.kept.next = into + end - from
		f.some(r, &f.accesses[n], from, end, place, into)
		from = end
	}
}

// some computes cells that lie side by side, of which what is below is kept from a place on,
// unless that is −1; what is above goes from another on.
func (f *fluxes[T]) some(r *fluxRoom[T], a *access[T], from, to, place, into int32) {
	n, q, k := to-from, &r.rows[2], &r.kept
	west, east := f.line(r, a, from, to)
	up, up2 := f.row(r, a, 3, from, to), f.row(r, a, 4, from, to)
	down, down2 := true, true
	if place < 0 || !up {
		down = f.row(r, a, 1, from, to)
	}
	if place < 0 {
		down2 = f.row(r, a, 0, from, to)
	}
	if !up {
		f.nearer(r, from, to, North)
	}
	if !down {
		f.nearer(r, from, to, South)
	}
	if !up || !up2 {
		f.further(r, from, to, North)
	}
	if place < 0 && (!down || !down2) {
		f.further(r, from, to, South)
	}
	unasked := unsafe.Pointer(&r.upper[0])
	if place < 0 {
		place = k.room(n)
		at := k.pointers(place)
		high := pointers(&r.high, beside, &alongX)
		f.side(r, &r.rows[0], &r.rows[1], q, 0, beside, n, &alongY, high, unasked)
		f.side(r, &r.rows[1], q, &r.rows[3], 0, beside, n, &alongY, [4]unsafe.Pointer(at[keptHigh:keptSource]), at[keptSource])
		lower := [...]unsafe.Pointer{at[0], at[1], unasked, at[2]}
		f.faces(r, high, beside, n, lower)
		if !down {
			f.enterAll(r, from, to, South, unsafe.Pointer(&r.low[0][beside]), lower)
		}
	}
	below, above := k.pointers(place), k.pointers(into)
	f.side(r, q, &r.rows[3], &r.rows[4], 0, beside, n, &alongY, [4]unsafe.Pointer(above[keptHigh:keptSource]), above[keptSource])
	upper := [...]unsafe.Pointer{above[0], above[1], unsafe.Pointer(&r.upper[0]), above[2]}
	f.faces(r, [4]unsafe.Pointer(below[keptHigh:keptSource]), beside, n, upper)
	if !up {
		f.enterAll(r, from, to, North, below[keptHigh], upper)
	}
	k.add(f.windows, from, to, into)

	f.side(r, q, q, q, 1, 1, n+2, &alongX, pointers(&r.high, 1, &alongX), unsafe.Pointer(&r.source[1]))
	face := pointers(&r.face, 0, &alongX)
	f.faces(r, pointers(&r.high, 1, &alongX), beside, n+1, face)
	if west {
		f.enter(r, from, West, &r.low[0][beside], face, 0)
	}
	if east {
		f.enter(r, to-1, East, &r.high[0][1+n], face, n)
	}
	next := pointers(&r.face, 1, &alongX)
	at := copy(r.at[:], []unsafe.Pointer{face[0], face[1], face[3], next[0], next[1], next[2], unsafe.Pointer(&r.source[beside]),
		below[0], below[1], below[2], above[0], above[1], upper[2], below[keptSource]})
	for i, list := range [...]*[values][]T{&a.water, &f.rates, &a.to} {
		for v := 0; v < len(list) && (i < f.owns || list == &a.to); v++ {
			r.at[at] = unsafe.Pointer(&list[v][from])
			at++
		}
	}
	r.call(f.last, n)
}

// Part is work on some cells of a run.
func (f *fluxes[T]) Part(n int) func(worker int, from, to int32) {
	return func(worker int, from, to int32) { f.part(n, worker, from, to) }
}

// Work is that of a step of the cycle on blocks.
func (f *fluxes[T]) Work(n int) solver.BlockWork {
	return func(b *solver.Block, worker int) {
		for _, run := range f.runs[f.begin[b.Number]:f.begin[b.Number+1]] {
			f.part(n, worker, run[0], run[1])
		}
	}
}

// TakeMaximum returns the fastest wave since the last time.
func (f *fluxes[T]) TakeMaximum() (fastest T) {
	for i := range f.rooms {
		for _, v := range f.rooms[i].fastest {
			fastest = max(fastest, v)
		}
		clear(f.rooms[i].fastest[:])
	}
	return fastest
}

// Bytes is the memory beside that of fields.
func (f *fluxes[T]) Bytes() int64 {
	const runBytes, beginBytes = 8, 4
	return runBytes*int64(cap(f.runs)) + beginBytes*int64(cap(f.begin))
}
