package mesh

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"gonum.org/v1/gonum/spatial/r3"
)

// EdgeKey names an undirected edge by its vertices, the lower one first.
type EdgeKey struct{ a, b int32 }

// NewEdgeKey names the edge between two vertices.
func NewEdgeKey(a, b int32) EdgeKey { return EdgeKey{min(a, b), max(a, b)} }

// Plane is the set of points p with normal·(p−at) = 0. Points with zero or
// more belong to its upper side.
type Plane struct{ At, Normal r3.Vec }

// Height returns how far a point lies above the plane.
func (p *Plane) Height(v r3.Vec) float64 { return r3.Dot(p.Normal, r3.Sub(v, p.At)) }

// Section is one closed line in which a plane cuts a surface: the triangles
// that it passes and, between them, the edges, each of which the plane cuts in
// the corner of the same number.
type Section struct {
	Triangles []int32
	edges     []EdgeKey
	Corners   []r3.Vec
	Area      float64
}

// cutEdge returns where the plane cuts an edge, computed alike from both of
// its triangles.
func (p *Plane) cutEdge(s *Mesh, e EdgeKey) r3.Vec {
	a, b := s.Vertices[e.a], s.Vertices[e.b]
	da, db := p.Height(a), p.Height(b)
	return r3.Add(a, r3.Scale(da/(da-db), r3.Sub(b, a)))
}

// passage is a triangle's part of a section: the plane's upper side is on the
// right, seen from outside, on the way from the first edge to the second.
type passage struct {
	triangle int32
	from, to EdgeKey
}

// tracer follows the lines in which a plane cuts triangles. Its memory is used again.
type tracer struct {
	stack, cut []int32   // of the search for the triangles
	list       []passage // in the order of the triangles
	used       []bool
	begin      []int32 // hash table of the edges at which passages begin, from 1
	shift      int     // of the hash
	loop, best []int32
	// What the plane cuts along a loop and along the best, and the loop in the plane.
	corners, bestCorners []r3.Vec
	flat                 [][2]float64
}

var tracers = sync.Pool{New: func() any { return new(tracer) }}

func (t *tracer) slot(e EdgeKey) int {
	return int((uint64(e.a)<<32 | uint64(uint32(e.b))) * 0x9e3779b97f4a7c15 >> t.shift)
}

// passagesOf lists how the plane cuts the triangles that were found.
func (t *tracer) passagesOf(p *Plane, s *Mesh) {
	t.list = t.list[:0]
	for _, i := range t.cut {
		v := s.Triangles[i].V
		up := [3]bool{p.Height(s.Vertices[v[0]]) >= 0, p.Height(s.Vertices[v[1]]) >= 0, p.Height(s.Vertices[v[2]]) >= 0}
		if up[0] == up[1] && up[1] == up[2] {
			continue
		}
		c := passage{triangle: i}
		for i := range v {
			j := (i + 1) % 3
			switch {
			case up[i] && !up[j]:
				c.to = NewEdgeKey(v[i], v[j])
			case !up[i] && up[j]:
				c.from = NewEdgeKey(v[i], v[j])
			}
		}
		t.list = append(t.list, c)
	}
	t.used = slices.Grow(t.used[:0], len(t.list))[:len(t.list)]
	clear(t.used)
	width := bits.Len(uint(2 * len(t.list)))
	t.begin = slices.Grow(t.begin[:0], 1<<width)[:1<<width]
	clear(t.begin)
	t.shift = 64 - width
	for i := range t.list {
		// Of those that begin at the same edge the last stays.
		*t.from(t.list[i].from) = int32(i + 1)
	}
}

// from returns where the table has the last passage that begins at an edge, counted
// from 1, or 0.
func (t *tracer) from(e EdgeKey) *int32 {
	at := t.slot(e)
	for t.begin[at] != 0 && t.list[t.begin[at]-1].from != e {
		at = (at + 1) & (len(t.begin) - 1)
	}
	return &t.begin[at]
}

// follow makes the loop of the passages from one on, which may lead back to it.
func (t *tracer) follow(start int32) (closed bool) {
	t.loop = t.loop[:0]
	for at := start; at >= 0 && !t.used[at]; at = *t.from(t.list[at].to) - 1 {
		t.used[at] = true
		t.loop = append(t.loop, at)
		closed = t.list[at].to == t.list[start].from
	}
	return closed
}

// SectionAround returns the smallest closed section by the plane that winds
// around its point, among triangles within reach of it, or nil.
func (h *Hierarchy) SectionAround(p Plane, reach float64) *Section {
	t := tracers.Get().(*tracer)
	defer tracers.Put(t)
	h.cutBy(&p, reach, t)
	t.passagesOf(&p, h.Mesh)
	e1, e2 := Perpendicular(p.Normal)
	t.best = t.best[:0]
	area := math.Inf(1)
	for i := range t.list {
		if t.used[i] || !t.follow(*t.from(t.list[i].from)-1) {
			continue
		}
		t.corners = t.corners[:0]
		for _, at := range t.loop {
			t.corners = append(t.corners, p.cutEdge(h.Mesh, t.list[at].from))
		}
		t.flat = appendPlanar(t.flat[:0], t.corners, p.At, e1, e2)
		if own := math.Abs(polygonArea(t.flat)); own < area && polygonContains(t.flat, [2]float64{}) {
			area = own
			t.best, t.loop = t.loop, t.best
			t.bestCorners, t.corners = t.corners, t.bestCorners
		}
	}
	if len(t.best) == 0 {
		return nil
	}
	s := &Section{Area: area, Corners: slices.Clone(t.bestCorners), Triangles: make([]int32, len(t.best)), edges: make([]EdgeKey, len(t.best))}
	for i, at := range t.best {
		s.Triangles[i], s.edges[i] = t.list[at].triangle, t.list[at].from
	}
	return s
}

// cutBy lists the triangles in leaves whose boxes a plane cuts within a distance
// of its point, ascending within each leaf.
func (h *Hierarchy) cutBy(p *Plane, distance float64, t *tracer) {
	t.cut = t.cut[:0]
	if len(h.nodes) == 0 {
		return
	}
	t.stack = append(t.stack[:0], 0)
	for len(t.stack) > 0 {
		i := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		n := &h.nodes[i]
		if n.apartFrom(p) || n.fartherFrom(p.At, distance) {
			continue
		}
		if n.second != 0 {
			t.stack = append(t.stack, n.second, i+1)
			continue
		}
		t.cut = append(t.cut, h.order[n.from:n.to]...)
	}
}

// apartFrom reports whether a plane passes by the node's box, for certain.
func (n *node) apartFrom(p *Plane) bool {
	const rounding = 1e-9
	middle, half := r3.Scale(0.5, r3.Add(n.low, n.high)), r3.Scale(0.5, r3.Sub(n.high, n.low))
	off := r3.Sub(middle, p.At)
	far := math.Abs(p.Normal.X)*half.X + math.Abs(p.Normal.Y)*half.Y + math.Abs(p.Normal.Z)*half.Z
	return math.Abs(r3.Dot(p.Normal, off)) > far+rounding*(math.Abs(off.X)+math.Abs(off.Y)+math.Abs(off.Z)+far)
}

// fartherFrom reports whether a point is farther than a distance from the node's box.
func (n *node) fartherFrom(p r3.Vec, distance float64) bool {
	return Longer(r3.Vec{X: gap(p.X, n.low.X, n.high.X), Y: gap(p.Y, n.low.Y, n.high.Y), Z: gap(p.Z, n.low.Z, n.high.Z)}, distance)
}

// gap returns how far a number is from a range.
func gap(x, low, high float64) float64 { return max(low-x, x-high, 0) }

// Longer reports whether a vector is longer than a limit. Its length is computed
// where the squares leave that open by rounding.
func Longer(v r3.Vec, limit float64) bool {
	const rounding = 1e-12
	switch square, most := r3.Norm2(v), limit*limit; {
	case square < (1-rounding)*most:
		return false
	case square > (1+rounding)*most:
		return true
	}
	return r3.Norm(v) > limit
}
