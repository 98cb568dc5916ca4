package shallow

import (
	"math/bits"
	"sync/atomic"

	"carina/solver/shallow/scheme"
)

// span is numbers from ≤ n < to, none where to ≤ from.
type span struct{ from, to int32 }

func (s span) empty() bool { return s.to <= s.from }

// with is the least span that holds both.
func (s span) with(o span) span {
	switch {
	case o.empty():
		return s
	case s.empty():
		return o
	}
	return span{min(s.from, o.from), max(s.to, o.to)}
}

// grown has so many more on either side, unless there are none.
func (s span) grown(by int32) span {
	if s.empty() {
		return s
	}
	return span{s.from - by, s.to + by}
}

// within is the part of a span that is in another.
func (s span) within(o span) span { return span{max(s.from, o.from), min(s.to, o.to)} }

// moved is a span so much further.
func (s span) moved(by int32) span { return span{s.from + by, s.to + by} }

// cellMask has a bit for each cell.
type cellMask []uint32

const maskCells = 32

func newCellMask(cells int) cellMask { return make(cellMask, (cells+maskCells-1)/maskCells) }

// bitsOf are those of the cells of a span in a word.
func bitsOf(s span, word int32) uint32 {
	low, high := max(0, s.from-word*maskCells), min(maskCells, s.to-word*maskCells)
	if high <= low {
		return 0
	}
	return ^uint32(0) >> (maskCells - (high - low)) << low
}

// hull is the least part of a span that holds all its cells whose bits are set.
func (m cellMask) hull(s span) span {
	if s.empty() {
		return s
	}
	first, last := s.from/maskCells, (s.to-1)/maskCells
	load := func(word int32) uint32 { return atomic.LoadUint32(&m[word]) & bitsOf(s, word) }
	low, high := load(first), load(last)
	for ; low == 0 && first < last; low = load(first) {
		first++
	}
	for ; high == 0 && last > first; high = load(last) {
		last--
	}
	if low == 0 {
		return span{}
	}
	return span{first*maskCells + int32(bits.TrailingZeros32(low)), (last+1)*maskCells - int32(bits.LeadingZeros32(high))}
}

// set lets, of a span, the bits of a part be set and the others not.
func (m cellMask) set(of, part span) {
	for word := of.from / maskCells; word*maskCells < of.to; word++ {
		in := bitsOf(of, word)
		if want := bitsOf(part, word) & in; atomic.LoadUint32(&m[word])&in != want {
			atomic.AndUint32(&m[word], ^in|want)
			atomic.OrUint32(&m[word], want)
		}
	}
}

// wet knows of fields which own cells may be other than zero, so that cells are left out in which
// nothing happens: those that are dry, as are all that they read. It changes no bit: what is left
// out would become what it is.
type wet[T float32 | float64] struct {
	cells int32 // own
	masks [scheme.Next + 1]cellMask
	q     *[scheme.Next + 1][values][]T
}

func newWet[T float32 | float64](k *onProcessor[T], cells int) *wet[T] {
	w := &wet[T]{cells: int32(cells), q: &k.q}
	for field := range w.q {
		if w.q[field][depth] != nil {
			w.masks[field] = newCellMask(cells)
		}
	}
	w.forget()
	return w
}

// forget lets nothing be known.
func (w *wet[T]) forget() {
	for _, m := range w.masks {
		for i := range m {
			m[i] = ^uint32(0)
		}
	}
}

// bytes is the memory held.
func (w *wet[T]) bytes() (total int64) {
	for _, m := range w.masks {
		total += 4 * int64(len(m))
	}
	return total
}

// some is the least part of a span of cells that holds all in which a field is not zero.
func (w *wet[T]) some(field int, s span) span {
	if s.from < w.cells {
		return w.masks[field].hull(span{s.from, min(s.to, w.cells)}).with(w.holding(field, span{w.cells, s.to}))
	}
	return w.holding(field, s)
}

// holding is some of cells by their values.
func (w *wet[T]) holding(field int, s span) span {
	q := &w.q[field]
	dry := func(c int32) bool { return q[depth][c] == 0 && q[dischargeX][c] == 0 && q[dischargeY][c] == 0 }
	for s.from < s.to && dry(s.from) {
		s.from++
	}
	for s.from < s.to && dry(s.to-1) {
		s.to--
	}
	return s
}

// find finds what of the rows of a tile may be other than dry afterwards, and beyond.
func (w *wet[T]) find(r *fluxRoom[T], a *access[T], t *tile, after bool) {
	rows := int32(len(t.rows))
	for row := int32(-beside); row < rows+beside; row++ {
		s := span{}
		for _, p := range t.piecesOf(row) {
			cells := span{p.cell, p.cell + p.n}
			found := w.some(a.from, cells)
			if after {
				found = found.with(w.some(scheme.RatesOfChange, cells))
			}
			if !found.empty() {
				s = s.with(found.moved(p.place - p.cell))
			}
		}
		r.reads[row+beside] = s
	}
	for row := range r.spans[:rows] {
		r.spans[row] = r.reads[row+beside].grown(beside)
		for _, away := range [...]int{0, 1, 3, 4} {
			r.spans[row] = r.spans[row].with(r.reads[row+away])
		}
	}
	for _, in := range t.inlets {
		r.spans[in.row] = r.spans[in.row].with(span{in.place, in.place + 1})
	}
}

// left notes what was computed of the cells of a row, and lets the others be zero.
func (w *wet[T]) left(a *access[T], row, computed span) {
	mask, before := w.masks[a.into], w.masks[a.into].hull(row)
	if !before.empty() {
		for _, s := range [...]span{{before.from, min(computed.from, before.to)}, {max(before.from, computed.to), before.to}} {
			for _, v := range &a.to {
				if !s.empty() {
					clear(v[s.from:s.to])
				}
			}
		}
	}
	mask.set(row, w.holding(a.into, computed))
}
