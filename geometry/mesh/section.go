package mesh

import (
	"cmp"
	"math"
	"slices"

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

// passages are how a plane cuts triangles, in their order, and in that of the edges
// at which they begin.
type passages struct {
	list   []passage
	sorted []edgeStart
	used   []bool
}

// edgeStart is an edge and which passage begins there.
type edgeStart struct {
	edge    uint64
	passage int32
}

func (e EdgeKey) number() uint64 { return uint64(e.a)<<32 | uint64(uint32(e.b)) }

// passages lists how the plane cuts the given triangles.
func (p *Plane) passages(s *Mesh, triangles []int32) *passages {
	found := &passages{list: make([]passage, 0, len(triangles)/2)}
	for _, t := range triangles {
		v := s.Triangles[t].V
		var up [3]bool
		for i := range v {
			up[i] = p.Height(s.Vertices[v[i]]) >= 0
		}
		if up[0] == up[1] && up[1] == up[2] {
			continue
		}
		c := passage{triangle: t}
		for i := range v {
			j := (i + 1) % 3
			switch {
			case up[i] && !up[j]:
				c.to = NewEdgeKey(v[i], v[j])
			case !up[i] && up[j]:
				c.from = NewEdgeKey(v[i], v[j])
			}
		}
		found.list = append(found.list, c)
	}
	found.sorted, found.used = make([]edgeStart, len(found.list)), make([]bool, len(found.list))
	for i := range found.list {
		found.sorted[i] = edgeStart{found.list[i].from.number(), int32(i)}
	}
	slices.SortFunc(found.sorted, func(a, b edgeStart) int {
		return cmp.Or(cmp.Compare(a.edge, b.edge), cmp.Compare(b.passage, a.passage))
	})
	return found
}

// from returns the last passage that begins at an edge, or -1.
func (f *passages) from(e EdgeKey) int32 {
	i, ok := slices.BinarySearchFunc(f.sorted, e.number(), func(s edgeStart, edge uint64) int { return cmp.Compare(s.edge, edge) })
	if !ok {
		return -1
	}
	return f.sorted[i].passage
}

// loopFrom follows the passages from one on, which may lead back to it.
func (f *passages) loopFrom(start int32, loop []int32) (_ []int32, closed bool) {
	loop = loop[:0]
	for at := start; at >= 0 && !f.used[at]; at = f.from(f.list[at].to) {
		f.used[at] = true
		loop = append(loop, at)
		closed = f.list[at].to == f.list[start].from
	}
	return loop, closed
}

// SectionAround returns the smallest closed section by the plane that winds
// around its point, among triangles within reach of it, or nil.
func (h *Hierarchy) SectionAround(p Plane, reach float64) *Section {
	passages := p.passages(h.Mesh, h.cutBy(&p, reach))
	e1, e2 := Perpendicular(p.Normal)
	var best []int32
	var corners, bestCorners []r3.Vec
	var loop []int32
	area := math.Inf(1)
	for i := range passages.list {
		if passages.used[i] {
			continue
		}
		var closed bool
		if loop, closed = passages.loopFrom(passages.from(passages.list[i].from), loop); !closed {
			continue
		}
		corners = corners[:0]
		for _, at := range loop {
			corners = append(corners, p.cutEdge(h.Mesh, passages.list[at].from))
		}
		flat := planar(corners, p.At, e1, e2)
		if own := math.Abs(polygonArea(flat)); own < area && polygonContains(flat, [2]float64{}) {
			area, best, loop = own, loop, best
			bestCorners, corners = corners, bestCorners
		}
	}
	if best == nil {
		return nil
	}
	s := &Section{Area: area, Corners: bestCorners, Triangles: make([]int32, len(best)), edges: make([]EdgeKey, len(best))}
	for i, at := range best {
		s.Triangles[i], s.edges[i] = passages.list[at].triangle, passages.list[at].from
	}
	return s
}

// cutBy lists the triangles in leaves whose boxes a plane cuts within a distance
// of its point, ascending within each leaf.
func (h *Hierarchy) cutBy(p *Plane, distance float64) []int32 {
	if len(h.nodes) == 0 {
		return nil
	}
	var out []int32
	stack := []int32{0}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &h.nodes[i]
		if n.distance(p.At) > distance || n.apartFrom(p) {
			continue
		}
		if n.second != 0 {
			stack = append(stack, n.second, i+1)
			continue
		}
		out = append(out, h.order[n.from:n.to]...)
	}
	return out
}

// apartFrom reports whether a plane passes by the node's box, for certain.
func (n *node) apartFrom(p *Plane) bool {
	const rounding = 1e-9
	middle, half := r3.Scale(0.5, r3.Add(n.low, n.high)), r3.Scale(0.5, r3.Sub(n.high, n.low))
	off := r3.Sub(middle, p.At)
	far := math.Abs(p.Normal.X)*half.X + math.Abs(p.Normal.Y)*half.Y + math.Abs(p.Normal.Z)*half.Z
	return math.Abs(r3.Dot(p.Normal, off)) > far+rounding*(math.Abs(off.X)+math.Abs(off.Y)+math.Abs(off.Z)+far)
}

// distance returns how far a point is from the node's box.
func (n *node) distance(p r3.Vec) float64 {
	gap := func(x, low, high float64) float64 { return max(low-x, x-high, 0) }
	return r3.Norm(r3.Vec{X: gap(p.X, n.low.X, n.high.X), Y: gap(p.Y, n.low.Y, n.high.Y), Z: gap(p.Z, n.low.Z, n.high.Z)})
}
