package cuboid

import (
	"cmp"
	"context"
	"math"

	"carina/internal/heap"
)

// Splitting says when Split is done.
type Splitting struct {
	// Weight is what a cuboid costs. Boundary and Opening of the counts it is
	// given are 0, and Lanes for a cuboid.
	Weight func(Counts) int64
	// LanesPerCut is how many lanes more a row takes that is cut in two.
	LanesPerCut int64
	// Extra, if given, is what each cuboid costs besides, such as that of its
	// boundary cells; its pieces are taken to share it by their fluid cells.
	Extra []int64
	// Count is how many cuboids there must be at least.
	Count int
	// Limit is the largest weight a cuboid may have; 0 means no limit.
	Limit int64
	// Shrink says that the halves are shrunk to their fluid cells; without it
	// they keep the extent of the cuboid they come from.
	Shrink bool
}

// Split cuts the heaviest cuboid in two, again and again, until there are
// enough and none is too heavy or nothing can be cut any more. A cut runs along
// the axis and through the plane that leave the lighter worst half, where few
// fluid cells face each other across the plane. Both halves hold fluid and stand where the
// cuboid stood. The segments must be those that Label made of the cuboids, of
// which none may be empty; label the grid again afterwards.
func Split(ctx context.Context, cuboids []Cuboid, segments []Segment, opt Splitting) ([]Cuboid, error) {
	s := splitter{opt: opt, pieces: group(cuboids, segments)}
	s.order = heap.New(s.heavier)
	for i := range s.pieces {
		s.pieces[i].next = i + 1
		if opt.Extra != nil {
			s.pieces[i].extra = opt.Extra[i]
		}
		s.weigh(&s.pieces[i])
		s.order.Push(i)
	}
	for s.order.Len() > 0 {
		if len(s.pieces)%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		heaviest := s.order.Top()
		if len(s.pieces) >= opt.Count && (opt.Limit == 0 || s.pieces[heaviest].weight <= opt.Limit) {
			break
		}
		s.split(heaviest)
	}
	return ordered(s.pieces), nil
}

// ordered returns the boxes of the pieces so that those cut from one cuboid
// stand together.
func ordered(pieces []piece) []Cuboid {
	boxes := make([]Cuboid, 0, len(pieces))
	for i := 0; len(boxes) < len(pieces); i = pieces[i].next {
		boxes = append(boxes, pieces[i].box)
	}
	return boxes
}

// piece is a cuboid that may be cut, with its own copy of its segments.
type piece struct {
	box      Cuboid
	segments []Segment
	weight   int64
	extra    int64 // the part of the weight that its counts do not tell
	next     int   // the piece that follows in the decomposition's order
}

// group sorts the segments by cuboid.
func group(cuboids []Cuboid, segments []Segment) []piece {
	first := make([]int, len(cuboids)+1)
	for i := range segments {
		first[segments[i].Cuboid+1]++
	}
	for i := range cuboids {
		first[i+1] += first[i]
	}
	sorted := make([]Segment, len(segments))
	next := append([]int(nil), first...)
	for _, s := range segments {
		sorted[next[s.Cuboid]] = s
		next[s.Cuboid]++
	}
	list := make([]piece, len(cuboids))
	for i := range list {
		list[i] = piece{box: cuboids[i], segments: sorted[first[i]:first[i+1]]}
	}
	return list
}

// splitter has the heaviest of the pieces that may still be cut on top of its heap.
type splitter struct {
	opt    Splitting
	pieces []piece
	order  *heap.Heap[int]
}

func (s *splitter) heavier(a, b int) bool {
	return cmp.Or(cmp.Compare(s.pieces[b].weight, s.pieces[a].weight), cmp.Compare(a, b)) < 0
}

func (s *splitter) weigh(p *piece) {
	fluid := fluidOf(p.segments)
	p.weight = s.opt.Weight(Counts{Fluid: fluid, Empty: p.box.Cells() - fluid}) + p.extra
}

func fluidOf(segments []Segment) int64 {
	var n int64
	for i := range segments {
		n += int64(segments[i].X1 - segments[i].X0)
	}
	return n
}

// split cuts piece i, the top of the heap, or takes it off the heap if it
// cannot be cut.
func (s *splitter) split(i int) {
	p := &s.pieces[i]
	axis, plane, ok := s.bestCut(p)
	if !ok {
		s.order.Pop()
		return
	}
	low, high := cut(p, axis, plane)
	fluid := fluidOf(low.segments)
	low.extra = part(p.extra, fluid, fluid+fluidOf(high.segments))
	high.extra = p.extra - low.extra
	if s.opt.Shrink {
		low.box, high.box = extent(low.segments), extent(high.segments)
	}
	s.weigh(&low)
	s.weigh(&high)
	low.next, high.next = len(s.pieces), p.next
	s.pieces[i] = low
	s.pieces = append(s.pieces, high)
	s.order.Fix()
	s.order.Push(len(s.pieces) - 1)
}

// part returns the share of extra that so many of all cells have.
func part(extra, cells, all int64) int64 {
	return int64(float64(extra) * float64(cells) / float64(all))
}

func extent(segments []Segment) Cuboid {
	var box Cuboid
	for i := range segments {
		s := &segments[i]
		b := Cuboid{[3]int32{s.X0, s.Y, s.Z}, [3]int32{s.X1, s.Y + 1, s.Z + 1}}
		if i == 0 {
			box = b
		} else {
			box = box.Union(b)
		}
	}
	return box
}

// cut divides a piece at a plane.
func cut(p *piece, axis int, plane int32) (low, high piece) {
	low.box, high.box = p.box, p.box
	low.box.Max[axis], high.box.Min[axis] = plane, plane
	for _, g := range p.segments {
		from, to := [3]int32{g.X0, g.Y, g.Z}[axis], [3]int32{g.X1, g.Y + 1, g.Z + 1}[axis]
		switch {
		case to <= plane:
			low.segments = append(low.segments, g)
		case from >= plane:
			high.segments = append(high.segments, g)
		default: // only along x
			a, b := g, g
			a.X1, b.X0 = plane, plane
			low.segments, high.segments = append(low.segments, a), append(high.segments, b)
		}
	}
	return low, high
}

// facing is how many fluid cells' work a pair of fluid cells that face each
// other across a cut is taken to cost: five populations of 8 bytes each way
// against some 300 bytes for an update, and packing besides.
const facing = 1

// bestCut returns the plane with the lightest worst half.
func (s *splitter) bestCut(p *piece) (axis int, plane int32, ok bool) {
	best := int64(math.MaxInt64)
	for a := range 3 {
		f := profileOf(p, a)
		for i := 1; i < len(f.fluid); i++ {
			low, high := f.before[i], f.all-f.before[i]
			if low == 0 || high == 0 {
				continue
			}
			lowBox, highBox := p.box, p.box
			lowBox.Max[a], highBox.Min[a] = p.box.Min[a]+int32(i), p.box.Min[a]+int32(i)
			if s.opt.Shrink {
				lowBox, highBox = f.low[i-1], f.high[i]
			}
			worst := max(s.opt.Weight(Counts{Fluid: low, Empty: lowBox.Cells() - low})+part(p.extra, low, f.all),
				s.opt.Weight(Counts{Fluid: high, Empty: highBox.Cells() - high})+part(p.extra, high, f.all))
			apart := Counts{Fluid: facing * min(f.fluid[i-1], f.fluid[i])}
			if a == 0 { // every pair was in one row
				apart.Lanes = s.opt.LanesPerCut * min(f.fluid[i-1], f.fluid[i])
			}
			worst += s.opt.Weight(apart)
			if worst < best {
				best, axis, plane, ok = worst, a, p.box.Min[a]+int32(i), true
			}
		}
	}
	return axis, plane, ok
}

// profile describes a piece layer by layer along an axis.
type profile struct {
	fluid  []int64  // fluid cells of each layer
	before []int64  // fluid cells of the layers below
	all    int64    // all fluid cells
	low    []Cuboid // extent of the fluid of this layer and those below
	high   []Cuboid // extent of the fluid of this layer and those above
}

func profileOf(p *piece, axis int) profile {
	n := int(p.box.Max[axis] - p.box.Min[axis])
	f := profile{fluid: make([]int64, n+1), before: make([]int64, n+1), low: make([]Cuboid, n), high: make([]Cuboid, n)}
	for i := range p.segments {
		f.add(&p.segments[i], axis, p.box.Min[axis])
	}
	if axis == 0 { // the layers hold differences so far
		for i := 1; i < n; i++ {
			f.fluid[i] += f.fluid[i-1]
		}
	}
	f.fluid = f.fluid[:n]
	for i := range n {
		f.before[i] = f.all
		f.all += f.fluid[i]
	}
	for i := 1; i < n; i++ {
		f.low[i] = merge(f.low[i-1], f.low[i])
	}
	for i := n - 2; i >= 0; i-- {
		f.high[i] = merge(f.high[i], f.high[i+1])
	}
	f.clip(p.box, axis)
	return f
}

// add enters a segment. Along x it is entered where it begins for the extents
// below and where it ends for those above: clip does the rest.
func (f *profile) add(s *Segment, axis int, origin int32) {
	box := Cuboid{[3]int32{s.X0, s.Y, s.Z}, [3]int32{s.X1, s.Y + 1, s.Z + 1}}
	first, last := box.Min[axis]-origin, box.Max[axis]-1-origin
	if axis == 0 {
		f.fluid[first]++
		f.fluid[last+1]--
	} else {
		f.fluid[first] += int64(s.X1 - s.X0)
	}
	f.low[first] = merge(f.low[first], box)
	f.high[last] = merge(f.high[last], box)
}

// clip ends the extents at the layers they stand for.
func (f *profile) clip(box Cuboid, axis int) {
	for i := range f.low {
		f.low[i].Max[axis] = min(f.low[i].Max[axis], box.Min[axis]+int32(i)+1)
		f.high[i].Min[axis] = max(f.high[i].Min[axis], box.Min[axis]+int32(i))
	}
}

// merge is Union where a cuboid without cells stands for nothing.
func merge(a, b Cuboid) Cuboid {
	switch {
	case a.Max[0] == a.Min[0]:
		return b
	case b.Max[0] == b.Min[0]:
		return a
	}
	return a.Union(b)
}
