package shallow

import (
	"unsafe"

	"carina/solver"
	"carina/solver/processor"
	"carina/solver/shallow/scheme"
	"carina/solver/stencil"
)

// margin is the place in a line of the first cell, mostLanes how many numbers a register has at
// most.
const margin, mostLanes = 8, stencil.LaneBytes / 4

// line is values of cells side by side, and beside them.
type line[T float32 | float64] [stencil.LineValues]T

// lines are the values of cells, or of sides of them.
type lines[T float32 | float64] [scheme.CellValues]line[T]

// fluxes is a stage with fluxes on a processor. It goes upwards through tiles, row by row, so that
// each face is computed once, but for those between tiles, and all that is kept of rows stays in
// the first-level cache.
type fluxes[T float32 | float64] struct {
	cells, sides, face, inflow, last *stencil.Part[T]
	windows                          *solver.Windows
	own                              int32 // cells
	bottom                           []T
	rates                            [values][]T
	edges                            *[sides][]T // nil: all are walls
	factors                          [sides]T    // of inflows
	accesses                         []access[T]
	tiles                            *solver.Cuts[[]tile]
	rooms                            []fluxRoom[T]
	wet                              *wet[T] // nil where all is computed
	after                            bool    // the water after a step by rates
	owns                             int     // what is read of each cell at the end: nothing, water, rates
}

// access is what is read and written in a step of the cycle, and the numbers of these fields.
type access[T float32 | float64] struct {
	water, to  [values][]T
	from, into int
}

// fluxRoom is a worker's.
type fluxRoom[T float32 | float64] struct {
	rows    [4]lines[T]    // cells of a row, of those next to it and of one behind
	low     lines[T]       // sides of cells, along one axis
	along   crossed[T]     // along x
	below   [2]crossed[T]  // along y, of an even row, and of an odd one
	spans   [tileRows]span // what is computed of rows
	all     span           // what holds these
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

// crossed is what is kept along an axis of the faces below cells: what passes, discharge across,
// and what that along the axis gets below and above; of the high sides of cells; and what the
// ground bears. They lie as parts take them.
type crossed[T float32 | float64] struct {
	face, high lines[T]
	_          line[T] // what the ground bears
}

// newFluxes prepares a stage.
func newFluxes[T float32 | float64](k *onProcessor[T], b *solver.Binding, s *stage, phase int) (*fluxes[T], error) {
	f := &fluxes[T]{windows: k.windows, own: int32(b.Cells), tiles: &k.tiles, wet: k.wet, after: len(s.cells.update.Reads) > scheme.CellValues, owns: s.owns()}
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
	f.bottom, _ = processor.Values[T](d, b.Array(scheme.Bottom))
	f.rates = k.q[scheme.RatesOfChange]
	if k.water.Edge != nil {
		f.edges = &k.edges
	}
	for n := range int64(cycle) {
		of := k.water.fieldsAt(phase, n)
		a := access[T]{from: of[scheme.Water], into: scheme.RatesOfChange}
		if f.owns > 0 {
			a.into = of[scheme.Next]
		}
		a.water, a.to = k.q[a.from], k.q[a.into]
		f.accesses = append(f.accesses, a)
	}
	f.rooms = make([]fluxRoom[T], d.Workers())
	for i := range f.rooms {
		f.rooms[i].prepare()
	}
	return f, nil
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

// at is the place of a value of lines.
func (l *lines[T]) at(value int, place int32) *T { return &l[value][margin+place] }

// prepare finds the arguments. Along y the velocity along it is the second one.
func (r *fluxRoom[T]) prepare() {
	const along, across = 2, 3
	low, x := &r.low, &r.along
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
func (r *fluxRoom[T]) run(p *stencil.Part[T], list []unsafe.Pointer, from, n int32) {
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
func (r *fluxRoom[T]) next(cells int32) unsafe.Pointer {
	r.further = int64(cells) * int64(unsafe.Sizeof(T(0)))
	return unsafe.Pointer(&r.further)
}

// row is the place of a row among those at hand.
func (r *fluxRoom[T]) row(row int32) *lines[T] { return &r.rows[row&3] }

// kept is what is kept of the faces below a row.
func (r *fluxRoom[T]) kept(row int32) *crossed[T] { return &r.below[row&1] }

// span is what is computed of a row of a tile.
func (r *fluxRoom[T]) span(t *tile, row int32) span {
	if row < 0 || int(row) >= len(t.rows) {
		return span{}
	}
	return r.spans[row]
}

// tile computes what is not dry of a tile.
func (f *fluxes[T]) tile(r *fluxRoom[T], a *access[T], t *tile) {
	f.find(r, a, t)
	known, loaded := span{}, int32(-beside-1) // of the high sides of a row; the last row at hand
	for row := int32(-1); int(row) < len(t.rows); row++ {
		s := r.span(t, row).with(r.span(t, row+1))
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
func (f *fluxes[T]) find(r *fluxRoom[T], a *access[T], t *tile) {
	own := span{0, t.count}
	r.all = span{}
	if f.wet != nil && !t.outer {
		f.wet.find(r, a, t, f.after)
	}
	for row := range t.rows {
		if f.wet == nil || t.outer {
			r.spans[row] = own
		}
		r.spans[row] = r.spans[row].within(own)
		r.all = r.all.with(r.spans[row])
	}
	r.all = r.all.grown(beside)
}

// bring lets a row, the one below, and two above be at hand.
func (f *fluxes[T]) bring(r *fluxRoom[T], a *access[T], t *tile, row int32, loaded *int32) {
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
func (f *fluxes[T]) load(r *fluxRoom[T], a *access[T], t *tile, row int32) {
	further := r.next(t.further(row))
	for _, p := range t.piecesOf(row) {
		s := span{p.place, p.place + p.n}.within(r.all)
		if s.empty() {
			continue
		}
		cell := p.cell + s.from - p.place
		list := r.at[:0]
		for v := range a.water {
			list = append(list, unsafe.Pointer(&a.water[v][cell]))
		}
		list = append(list, unsafe.Pointer(&f.bottom[cell]))
		for v := 0; v < len(f.rates) && f.after; v++ {
			list = append(list, unsafe.Pointer(&f.rates[v][cell]))
		}
		r.run(f.cells, append(at(list, r.row(row).at(0, s.from)), further), 0, s.to-s.from)
	}
}

// mirror lets places of a row without a cell have images.
func (f *fluxes[T]) mirror(r *fluxRoom[T], t *tile, row int32) {
	to := r.row(row)
	for _, m := range t.imagesOf(row) {
		of := r.row(m.ofRow)
		for v := range to {
			to[v][margin+m.place] = of[v][margin+m.ofPlace]
		}
		if along := &to[2+m.side/2][margin+m.place]; f.edge(m.cell, m.side) == 0 {
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
func (f *fluxes[T]) across(r *fluxRoom[T], row int32, s span) {
	if !s.empty() {
		r.run(f.sides, r.of[row&3].across, s.from, s.to-s.from)
	}
}

// enterRow lets water come in through the faces above a row, below the lowest or above the
// highest one of a tile.
func (f *fluxes[T]) enterRow(r *fluxRoom[T], t *tile, row int32) {
	above := r.kept(row + 1)
	for i := range t.inlets {
		in := &t.inlets[i]
		switch {
		case in.side == South && row == -1:
			f.enter(r, in, r.low.at(0, in.place), &above.face, in.place)
		case in.side == North && row == in.row:
			f.enter(r, in, r.kept(row).high.at(0, in.place), &above.face, in.place)
		}
	}
}

// enter lets a face at a place be one through which water comes in, where it is so deep.
func (f *fluxes[T]) enter(r *fluxRoom[T], in *inlet, depth *T, face *lines[T], place int32) {
	edge := f.edge(in.cell, in.side)
	if !(edge > 0) {
		return
	}
	r.edge = edge
	r.run(f.inflow, at(r.at[:0], &r.edge, depth, &r.gets, &r.fastest[0]), 0, 1)
	gets := r.gets
	if in.side == East || in.side == North {
		edge = 0 - edge
	}
	for v, value := range [scheme.FaceValues]T{edge, 0, gets, gets} {
		*face.at(v, place) = value
	}
}

// finish computes what is left of a row: the faces along it, and what becomes of the cells.
func (f *fluxes[T]) finish(r *fluxRoom[T], a *access[T], t *tile, row int32) {
	s, first := r.spans[row], t.rows[row]
	if !s.empty() {
		f.along(r, t, row, s)
		f.balance(r, a, t, row, s)
	}
	if f.wet != nil && first+t.count <= f.own {
		f.wet.left(a, span{first, first + t.count}, s.moved(first))
	}
}

// along computes the faces between the cells of a row in a span, and on either side.
func (f *fluxes[T]) along(r *fluxRoom[T], t *tile, row int32, s span) {
	list, n := &r.of[row&3], s.to-s.from
	r.run(f.sides, list.along, s.from, n+2)
	r.run(f.face, list.faces, s.from, n+1)
	for i := range t.inlets {
		if in := &t.inlets[i]; in.row == row && in.side <= East {
			depth, place := r.low.at(0, in.place), in.place
			if in.side == East {
				depth, place = r.along.high.at(0, in.place), in.place+1
			}
			f.enter(r, in, depth, &r.along.face, place)
		}
	}
}

// balance computes what becomes of the cells of a row in a span.
func (f *fluxes[T]) balance(r *fluxRoom[T], a *access[T], t *tile, row int32, s span) {
	cell, list := t.rows[row], r.of[row&3].balance
	for i, fields := range [...]*[values][]T{&a.water, &f.rates, &a.to} {
		for v := 0; v < len(fields) && (i < f.owns || fields == &a.to); v++ {
			list = append(list, unsafe.Pointer(&fields[v][cell]))
		}
	}
	r.run(f.last, append(list, r.next(t.further(row))), s.from, s.to-s.from)
}

// takeMaximum returns the fastest wave since the last time.
func (f *fluxes[T]) takeMaximum() (fastest T) {
	for i := range f.rooms {
		for _, v := range f.rooms[i].fastest {
			fastest = max(fastest, v)
		}
		clear(f.rooms[i].fastest[:])
	}
	return fastest
}
