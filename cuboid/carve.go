package cuboid

import (
	"cmp"
	"context"

	"carina/internal/heap"
)

// Carving says where Carve may cut.
type Carving struct {
	// Gain is what a cut across an axis is worth, in any unit: saved is the
	// number of empty cells that no cuboid holds any more afterwards, facing
	// about how many fluid cells face each other across the cut.
	Gain func(axis int, saved, facing int64) float64
	// Count bounds the number of cuboids; 0 means no bound.
	Count int
}

// Carve cuts away empty space: it cuts a cuboid in two where shrinking both
// halves to their fluid gains most, and again, as long as a cut gains anything
// and the number of cuboids allows. The segments must be those that Label made
// of the cuboids, of which none may be empty; label the grid again afterwards.
func Carve(ctx context.Context, cuboids []Cuboid, segments []Segment, opt Carving) ([]Cuboid, error) {
	c := carver{opt: opt, pieces: group(cuboids, segments), cuts: heap.New(carvingCut.before)}
	for i := range c.pieces {
		c.pieces[i].next = i + 1
		c.pieces[i].box = extent(c.pieces[i].segments)
		c.consider(i)
	}
	for c.cuts.Len() > 0 && (opt.Count == 0 || len(c.pieces) < opt.Count) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		best := c.cuts.Pop()
		p := &c.pieces[best.piece]
		low, high := cut(p, best.axis, best.plane)
		low.box, high.box = extent(low.segments), extent(high.segments)
		low.next, high.next = len(c.pieces), p.next
		*p = low
		c.pieces = append(c.pieces, high)
		for _, i := range []int{best.piece, len(c.pieces) - 1} {
			c.consider(i)
		}
	}
	return ordered(c.pieces), nil
}

// carvingCut is the best cut of a piece.
type carvingCut struct {
	piece int
	axis  int
	plane int32
	gain  float64
}

// before puts cuts that gain more first.
func (c carvingCut) before(other carvingCut) bool {
	return cmp.Or(cmp.Compare(other.gain, c.gain), cmp.Compare(c.piece, other.piece)) < 0
}

// carver has the cut that gains most on top of its heap.
type carver struct {
	opt    Carving
	pieces []piece
	cuts   *heap.Heap[carvingCut]
}

// consider adds the best cut of a piece to the cuts if it gains anything.
func (c *carver) consider(i int) {
	p := &c.pieces[i]
	best := carvingCut{piece: i}
	all := p.box.Cells()
	for axis := range 3 {
		f := profileOf(p, axis)
		for at := 1; at < len(f.fluid); at++ {
			if f.before[at] == 0 || f.before[at] == f.all {
				continue
			}
			saved := all - f.low[at-1].Cells() - f.high[at].Cells()
			if gain := c.opt.Gain(axis, saved, min(f.fluid[at-1], f.fluid[at])); gain > best.gain {
				best.axis, best.plane, best.gain = axis, p.box.Min[axis]+int32(at), gain
			}
		}
	}
	if best.gain > 0 {
		c.cuts.Push(best)
	}
}
