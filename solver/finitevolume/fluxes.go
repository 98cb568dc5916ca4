package finitevolume

import (
	"slices"
	"unsafe"

	"carina/solver"
	"carina/solver/processor"
	"carina/solver/stencil"
)

// margin is the place in a line of the first cell, mostLanes how many numbers a register has at
// most.
const margin, mostLanes = 8, stencil.LaneBytes / 4

// lines are values of cells side by side, or of sides of them, a line after the other.
type lines[T float32 | float64] []T

// at is the place of a value of lines.
func (l lines[T]) at(value int, place int32) *T {
	return &l[stencil.LineValues*value+margin+int(place)]
}

// fluxes is a stage with fluxes on a processor. It goes upwards through tiles, row by row, so that
// each face is computed once, but for those between tiles, and all that is kept of rows stays in
// the first-level cache.
type fluxes[T float32 | float64] struct {
	*onProcessor[T]
	cells, sides, face, inflow, last *stencil.Part[T]
	cellValues, faceValues           int
	factors                          [Sides]T // of inflows
	accesses                         []access[T]
	rooms                            []room[T]
}

// access is where things lie in a step of the cycle: what is read of cells at the beginning and at
// the end, and what is written; of which of what is read cells may be zero, and of what is written.
type access[T float32 | float64] struct {
	reads, owns, to [][]T
	from            []*active[T]
	into            *active[T]
}

// room is a worker's.
type room[T float32 | float64] struct {
	rows    [4]lines[T]            // cells of a row, of those next to it and of one behind
	low     lines[T]               // sides of cells, along one axis
	along   crossed[T]             // along x
	below   [2]crossed[T]          // along y, of an even row, and of an odd one
	spans   [1 + tileRows + 1]span // what is computed of rows, from that below on
	all     span                   // what holds these
	reads   [tileRows + 2*beside]span
	fastest [mostLanes]T
	edge    T // of an inflow
	gets    T
	further int64        // is the next row, in bytes
	of      [4]arguments // of rows, by number
	at      [mostArguments]unsafe.Pointer
	_       [64]byte
}

const mostArguments = 32

// arguments are where the inputs and outputs of parts lie, for the first cells of a row of a
// tile: of sides along y and the faces below them, of sides along x, from the cell before on, and
// faces, and of the balance, which goes on with the fields. The last ones are the same for all cells.
type arguments struct{ across, below, along, faces, balance []unsafe.Pointer }

// crossed is what is kept along an axis of the faces below cells, of the high sides of cells and,
// in the last line, what their ground gives. They lie behind each other, as parts take them.
type crossed[T float32 | float64] struct{ face, high lines[T] }

// newFluxes prepares a stage.
func newFluxes[T float32 | float64](k *onProcessor[T], s *Stage, workers int) (*fluxes[T], error) {
	f := &fluxes[T]{onProcessor: k, cellValues: len(s.Cells.Writes), faceValues: s.values() + 1, rooms: make([]room[T], workers)}
	for u, to := range map[*stencil.Update]**stencil.Part[T]{s.Cells: &f.cells, s.Sides: &f.sides, s.Face: &f.face, s.Inflow: &f.inflow, s.Last: &f.last} {
		var err error
		if *to, err = stencil.NewPart[T](u, k.scheme.Functions[u.Name]); err != nil {
			return nil, err
		}
	}
	for i := range f.rooms {
		f.rooms[i].prepare(f.cellValues, f.faceValues)
	}
	for n := range cycle {
		field := k.scheme.Fields[n]
		a := access[T]{reads: slices.Concat(k.fields[field[State]], k.fields[field[Ground]]), to: k.fields[field[s.to()]],
			from: []*active[T]{k.active[field[State]]}, into: k.active[field[s.to()]]}
		if s.After {
			a.reads, a.from = append(a.reads, k.fields[field[Rates]]...), append(a.from, k.active[field[Rates]])
		}
		for _, of := range []int{State, Rates}[:s.owns()] {
			a.owns = append(a.owns, k.fields[field[of]]...)
		}
		f.accesses = append(f.accesses, a)
	}
	return f, nil
}

// prepare takes over parameters.
func (f *fluxes[T]) prepare(list []Parameter, inflow [Sides]float64) {
	for _, p := range [...]*stencil.Part[T]{f.cells, f.sides, f.face, f.inflow, f.last} {
		for _, of := range list {
			p.Set(of.Name, of.Value)
		}
		p.Prepare()
	}
	for side := range inflow {
		f.factors[side] = T(inflow[side])
	}
}

// work is that of a step of the cycle.
func (f *fluxes[T]) work(n int) processor.PartWork {
	var tiles []tile
	do := func(i, worker int) { f.tile(&f.rooms[worker], &f.accesses[n], &tiles[i]) }
	enters := func(cell int32, side Side) bool { return f.edges != nil && f.edges[side][cell] > 0 }
	cut := func(blocks []solver.Block) ([]tile, error) { return cutTiles(f.windows, blocks, f.own, enters), nil }
	return func(blocks []solver.Block) (int, func(part, worker int)) {
		tiles, _ = f.tiles.Of(blocks, cut)
		return len(tiles), do
	}
}

// rowOffsets are the numbers of the offsets of rows, from two below to two above.
var rowOffsets = [2*beside + 1]int{4, 5, -1, 6, 7}

// at adds the places of values to a list.
func at[T float32 | float64](list []unsafe.Pointer, values ...*T) []unsafe.Pointer {
	for _, v := range values {
		list = append(list, unsafe.Pointer(v))
	}
	return list
}

// prepare makes room for so many values of cells and of faces, and finds the arguments. Along y the
// vector has its part along it second.
func (r *room[T]) prepare(cellValues, faceValues int) {
	memory := make([]T, stencil.LineValues*(5*cellValues+3*(faceValues+cellValues+1)))
	take := func(n int) (l lines[T]) {
		l, memory = memory[:n*stencil.LineValues], memory[n*stencil.LineValues:]
		return l
	}
	for i := range r.rows {
		r.rows[i] = take(cellValues)
	}
	r.low = take(cellValues)
	for _, c := range [...]*crossed[T]{&r.along, &r.below[0], &r.below[1]} {
		c.face, c.high = take(faceValues), take(cellValues+1)
	}
	along, across, low, x := cellValues-2, cellValues-1, r.low, &r.along
	for i := range r.of {
		row := int32(i)
		before, below, above := r.kept(row-1), r.kept(row), r.kept(row+1)
		q := r.row(row)
		r.of[i] = arguments{
			across: at(nil, r.row(row-1).at(0, 0), q.at(0, 0), r.row(row+1).at(0, 0), low.at(0, 0), below.high.at(0, 0), nil),
			below: at(nil, before.high.at(0, 0), before.high.at(across, 0), before.high.at(along, 0),
				low.at(0, 0), low.at(across, 0), low.at(along, 0), below.face.at(0, 0), &r.fastest[0]),
			along: at(nil, q.at(0, -2), q.at(0, -1), q.at(0, 0), low.at(0, -1), x.high.at(0, -1), nil),
			faces: at(nil, x.high.at(0, -1), x.high.at(along, -1), x.high.at(across, -1),
				low.at(0, 0), low.at(along, 0), low.at(across, 0), x.face.at(0, 0), &r.fastest[0]),
			balance: at(make([]unsafe.Pointer, 0, mostArguments), x.face.at(0, 0), x.face.at(0, 1), below.face.at(0, 0), above.face.at(0, 0)),
		}
	}
}

// run computes n cells of a part from one on, whose arguments are given for the first cell, but for
// the last one.
func (r *room[T]) run(p *stencil.Part[T], list []unsafe.Pointer, from, n int32) {
	if from != 0 {
		last := len(list) - 1
		for i, at := range list[:last] {
			r.at[i] = unsafe.Add(at, int(from)*int(unsafe.Sizeof(T(0))))
		}
		r.at[last] = list[last]
		list = r.at[:]
	}
	p.Run(&list[0], int(n))
}

// next is how many cells further the next row is.
func (r *room[T]) next(cells int32) unsafe.Pointer {
	r.further = int64(cells) * int64(unsafe.Sizeof(T(0)))
	return unsafe.Pointer(&r.further)
}

// row is the place of a row among those at hand.
func (r *room[T]) row(row int32) lines[T] { return r.rows[row&3] }

// kept is what is kept of the faces below a row.
func (r *room[T]) kept(row int32) *crossed[T] { return &r.below[row&1] }

// tile computes what is not still of a tile.
func (f *fluxes[T]) tile(r *room[T], a *access[T], t *tile) {
	f.find(r, a, t)
	known, loaded := span{}, int32(-beside-1) // of the high sides of a row; the last row at hand
	for row := int32(-1); int(row) < len(t.rows); row++ {
		s := r.spans[row+1].with(r.spans[row+2])
		if !s.empty() {
			f.bring(r, a, t, row, &loaded)
			f.across(r, row, span{s.from, min(known.from, s.to)})
			f.across(r, row, span{max(known.to, s.from), s.to})
			f.across(r, row+1, s)
			r.run(f.face, r.of[(row+1)&3].below, s.from, s.to-s.from)
			f.enterRow(r, t, row)
		}
		if known = s; row >= 0 {
			f.finish(r, a, t, row)
		}
	}
}

// find finds what of a tile is to be computed.
func (f *fluxes[T]) find(r *room[T], a *access[T], t *tile) {
	own, rows := span{0, t.count}, r.spans[1:1+len(t.rows)]
	r.all, r.spans[1+len(rows)] = span{}, span{}
	if whole := a.into == nil || t.outer; !whole {
		a.find(r, t, rows, f.own)
	} else {
		for row := range rows {
			rows[row] = own
		}
	}
	for row := range rows {
		rows[row] = rows[row].within(own)
		r.all = r.all.with(rows[row])
	}
	r.all = r.all.grown(beside)
}

// bring lets a row, the one below, and two above be at hand.
func (f *fluxes[T]) bring(r *room[T], a *access[T], t *tile, row int32, loaded *int32) {
	first := max(*loaded+1, row-1)
	for *loaded = first - 1; *loaded < row+beside; {
		*loaded++
		f.load(r, a, t, *loaded)
	}
	// The row below may have images of that behind the next one.
	for _, next := range [...]int32{row, row + 1, row + beside, row - 1} {
		if next >= first {
			f.mirror(r, t, next)
		}
	}
}

// load computes the cells of a row.
func (f *fluxes[T]) load(r *room[T], a *access[T], t *tile, row int32) {
	further := r.next(t.further(row))
	for _, p := range t.piecesOf(row) {
		s := span{p.place, p.place + p.n}.within(r.all)
		if s.empty() {
			continue
		}
		cell := p.cell + s.from - p.place
		list := r.at[:0]
		for _, v := range a.reads {
			list = append(list, unsafe.Pointer(&v[cell]))
		}
		r.run(f.cells, append(at(list, r.row(row).at(0, s.from)), further), 0, s.to-s.from)
	}
}

// mirror lets places of a row without a cell have images.
func (f *fluxes[T]) mirror(r *room[T], t *tile, row int32) {
	to := r.row(row)
	for _, m := range t.imagesOf(row) {
		of := r.row(m.ofRow)
		for v := range f.cellValues {
			*to.at(v, m.place) = *of.at(v, m.ofPlace)
		}
		if along := to.at(f.cellValues-2+int(m.side/2), m.place); f.edge(m.cell, m.side) == 0 {
			*along = 0 - *along
		}
	}
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

// across computes the sides along y of the cells of a row in a span.
func (f *fluxes[T]) across(r *room[T], row int32, s span) {
	if !s.empty() {
		r.run(f.sides, r.of[row&3].across, s.from, s.to-s.from)
	}
}

// enterRow lets what comes in do so through the faces above a row, below the lowest or above the
// highest one of a tile.
func (f *fluxes[T]) enterRow(r *room[T], t *tile, row int32) {
	above := r.kept(row + 1)
	for i := range t.inlets {
		in := &t.inlets[i]
		switch {
		case in.side == South && row == -1:
			f.enter(r, in, r.low.at(0, in.place), above.face, in.place)
		case in.side == North && row == in.row:
			f.enter(r, in, r.kept(row).high.at(0, in.place), above.face, in.place)
		}
	}
}

// enter lets a face at a place be one through which something comes in, where there is so much of
// the first value.
func (f *fluxes[T]) enter(r *room[T], in *inlet, first *T, face lines[T], place int32) {
	edge := f.edge(in.cell, in.side)
	if !(edge > 0) {
		return
	}
	r.edge = edge
	r.run(f.inflow, at(r.at[:0], &r.edge, first, &r.gets, &r.fastest[0]), 0, 1)
	if in.side == East || in.side == North {
		edge = 0 - edge
	}
	*face.at(0, place) = edge
	for v := 1; v < f.faceValues; v++ {
		*face.at(v, place) = 0
	}
	*face.at(f.faceValues-2, place), *face.at(f.faceValues-1, place) = r.gets, r.gets
}

// finish computes what is left of a row: the faces along it, and what becomes of the cells.
func (f *fluxes[T]) finish(r *room[T], a *access[T], t *tile, row int32) {
	s, first := r.spans[row+1], t.rows[row]
	if !s.empty() {
		f.along(r, t, row, s)
		f.balance(r, a, t, row, s)
	}
	if a.into != nil && first+t.count <= f.own {
		a.into.left(span{first, first + t.count}, s.moved(first))
	}
}

// along computes the faces between the cells of a row in a span, and on either side.
func (f *fluxes[T]) along(r *room[T], t *tile, row int32, s span) {
	list, n := &r.of[row&3], s.to-s.from
	r.run(f.sides, list.along, s.from, n+2)
	r.run(f.face, list.faces, s.from, n+1)
	for i := range t.inlets {
		if in := &t.inlets[i]; in.row == row && in.side <= East {
			first, place := r.low.at(0, in.place), in.place
			if in.side == East {
				first, place = r.along.high.at(0, in.place), in.place+1
			}
			f.enter(r, in, first, r.along.face, place)
		}
	}
}

// balance computes what becomes of the cells of a row in a span.
func (f *fluxes[T]) balance(r *room[T], a *access[T], t *tile, row int32, s span) {
	cell, list := t.rows[row], r.of[row&3].balance
	for _, fields := range [...][][]T{a.owns, a.to} {
		for _, v := range fields {
			list = append(list, unsafe.Pointer(&v[cell]))
		}
	}
	r.run(f.last, append(list, r.next(t.further(row))), s.from, s.to-s.from)
}
