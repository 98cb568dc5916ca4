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
	leaves     []int32   // whose boxes the plane cuts
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

// crossings are the sides of a triangle from which a section comes and to which it
// goes, by which of the corners are up: bit i for corner i. Side i begins at corner i.
var crossings = [8]struct{ from, to int }{
	1: {2, 0}, 2: {0, 1}, 3: {2, 1}, 4: {1, 2}, 5: {1, 0}, 6: {0, 2},
}

// passagesOf lists how the plane cuts the triangles of the leaves that were found.
func (t *tracer) passagesOf(p *Plane, h *Hierarchy) {
	t.list = t.list[:0]
	at, normal, vertices := p.At, p.Normal, h.Mesh.Vertices
	above := func(v int32) bool { return r3.Dot(normal, r3.Sub(vertices[v], at)) >= 0 }
	for _, leaf := range t.leaves {
		n := &h.nodes[leaf]
		for _, i := range h.order[n.from:n.to] {
			v := &h.Mesh.Triangles[i].V
			up := 0
			if above(v[0]) {
				up = 1
			}
			if above(v[1]) {
				up |= 2
			}
			if above(v[2]) {
				up |= 4
			}
			if up != 0 && up != 7 {
				t.list = append(t.list, passage{i, edgeOf(v, crossings[up].from), edgeOf(v, crossings[up].to)})
			}
		}
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

// edgeOf names the edge of a side of a triangle.
func edgeOf(v *[3]int32, side int) EdgeKey { return NewEdgeKey(v[side], v[(side+1)%3]) }

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
	t.passagesOf(&p, h)
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

// cutBy lists the leaves whose boxes a plane cuts within a distance of its point.
func (h *Hierarchy) cutBy(p *Plane, distance float64, t *tracer) {
	t.leaves = t.leaves[:0]
	if len(h.nodes) == 0 {
		return
	}
	within := NewLimit(distance)
	var stack [64]int32
	for depth := 1; depth > 0; {
		depth--
		i := stack[depth]
		n := &h.nodes[i]
		if n.apartFrom(p) || n.fartherFrom(&p.At, &within) {
			continue
		}
		if n.second != 0 {
			stack[depth], stack[depth+1] = n.second, i+1
			depth += 2
			continue
		}
		t.leaves = append(t.leaves, i)
	}
}

// apartFrom reports whether no triangle in the node's box reaches both sides of a plane.
// Heights round alike: none is above that of the box's highest corner, none below that
// of the lowest.
func (n *node) apartFrom(p *Plane) bool {
	low, high := n.low, n.high
	if p.Normal.X < 0 {
		low.X, high.X = high.X, low.X
	}
	if p.Normal.Y < 0 {
		low.Y, high.Y = high.Y, low.Y
	}
	if p.Normal.Z < 0 {
		low.Z, high.Z = high.Z, low.Z
	}
	return p.Height(high) < 0 || p.Height(low) >= 0
}

// fartherFrom reports whether a point is farther than a length from the node's box.
func (n *node) fartherFrom(p *r3.Vec, length *Limit) bool {
	return length.ExceededBy(r3.Vec{X: gap(p.X, n.low.X, n.high.X), Y: gap(p.Y, n.low.Y, n.high.Y), Z: gap(p.Z, n.low.Z, n.high.Z)})
}

// gap returns how far a number is from a range.
func gap(x, low, high float64) float64 {
	if x < low {
		return low - x
	}
	if x > high {
		return x - high
	}
	return 0
}

// Limit is a length with which those of vectors are compared. A vector's own is computed
// where the squares leave that open by rounding.
type Limit struct{ shorter, longer, length float64 }

// NewLimit makes a limit of a length.
func NewLimit(length float64) Limit {
	const rounding = 1e-12
	return Limit{(1 - rounding) * (length * length), (1 + rounding) * (length * length), length}
}

// ExceededBy reports whether a vector is longer.
func (l *Limit) ExceededBy(v r3.Vec) bool {
	square := r3.Norm2(v)
	return square >= l.shorter && (square > l.longer || r3.Norm(v) > l.length)
}
