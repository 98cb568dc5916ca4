package finitevolume

import (
	"math/bits"
	"sync/atomic"
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

// bitsOf are those of the cells of a span in a word.
func bitsOf(s span, word int32) uint32 {
	low, high := max(0, s.from-word*maskCells), min(maskCells, s.to-word*maskCells)
	if high <= low {
		return 0
	}
	return ^uint32(0) >> (maskCells - (high - low)) << low
}

// has tells whether the bit of a cell is set.
func (m cellMask) has(cell int32) bool {
	return atomic.LoadUint32(&m[cell/maskCells])>>(cell%maskCells)&1 != 0
}

// hull is the least part of a span that holds all its cells whose bits are set.
func (m cellMask) hull(s span) span {
	if s.empty() || m.has(s.from) && m.has(s.to-1) {
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

// active knows of a field which own cells may be other than zero, so that cells are left out in
// which nothing happens: all that they read is zero. It changes no bit: what is left out would
// become zero.
type active[T float32 | float64] struct {
	mask   cellMask
	values [][]T
}

func newActive[T float32 | float64](values [][]T, cells int) *active[T] {
	a := &active[T]{make(cellMask, (cells+maskCells-1)/maskCells), values}
	a.forget()
	return a
}

// forget lets nothing be known.
func (a *active[T]) forget() {
	for i := range a.mask {
		a.mask[i] = ^uint32(0)
	}
}

// some is the least part of a span of cells, of which so many are own, that holds all that are not
// zero.
func (a *active[T]) some(s span, own int32) span {
	if s.from < own {
		return a.mask.hull(span{s.from, min(s.to, own)}).with(a.holding(span{own, s.to}))
	}
	return a.holding(s)
}

// holding is some of cells by their values.
func (a *active[T]) holding(s span) span {
	zero := func(c int32) bool {
		for _, v := range a.values {
			if v[c] != 0 {
				return false
			}
		}
		return true
	}
	for s.from < s.to && zero(s.from) {
		s.from++
	}
	for s.from < s.to && zero(s.to-1) {
		s.to--
	}
	return s
}

// left notes what was computed of the cells of a row, and lets the others be zero.
func (a *active[T]) left(row, computed span) {
	before := a.mask.hull(row)
	for _, s := range [...]span{{before.from, min(computed.from, before.to)}, {max(before.from, computed.to), before.to}} {
		for _, v := range a.values {
			if !before.empty() && !s.empty() {
				clear(v[s.from:s.to])
			}
		}
	}
	a.mask.set(row, a.holding(computed))
}

// find finds what of the rows of a tile may be other than zero afterwards, and beyond.
func (a *access[T]) find(r *room[T], t *tile, rows []span, own int32) {
	reads := r.reads[:len(rows)+2*beside]
	for i := range reads {
		reads[i] = span{}
		for _, p := range t.piecesOf(int32(i) - beside) {
			for _, of := range a.from {
				if found := of.some(span{p.cell, p.cell + p.n}, own); !found.empty() {
					reads[i] = reads[i].with(found.moved(p.place - p.cell))
				}
			}
		}
	}
	for row := range rows {
		rows[row] = reads[row+beside].grown(beside)
		for _, away := range [...]int{0, 1, 3, 4} {
			rows[row] = rows[row].with(reads[row+away])
		}
	}
	for _, in := range t.inlets {
		rows[in.row] = rows[in.row].with(span{in.place, in.place + 1})
	}
}
