package mesh

import (
	"math"

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

// passages lists how the plane cuts the given triangles, in their order, and
// finds the passages by the edge at which they begin.
func (p *Plane) passages(s *Mesh, triangles []int32) (starts []EdgeKey, found map[EdgeKey]passage) {
	found = map[EdgeKey]passage{}
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
		found[c.from] = c
		starts = append(starts, c.from)
	}
	return starts, found
}

// SectionAround returns the smallest closed section by the plane that winds
// around its point, among triangles within reach of it, or nil.
func (h *Hierarchy) SectionAround(p Plane, reach float64) *Section {
	starts, passages := p.passages(h.Mesh, h.cutBy(&p, reach))
	e1, e2 := Perpendicular(p.Normal)
	var best *Section
	used := map[EdgeKey]bool{}
	for _, start := range starts {
		if used[start] {
			continue
		}
		s := &Section{}
		at := start
		closed := false
		for !used[at] {
			c, ok := passages[at]
			if !ok {
				break
			}
			used[at] = true
			s.Triangles = append(s.Triangles, c.triangle)
			s.edges = append(s.edges, at)
			s.Corners = append(s.Corners, p.cutEdge(h.Mesh, at))
			at = c.to
			closed = at == start
		}
		if !closed {
			continue
		}
		flat := planar(s.Corners, p.At, e1, e2)
		s.Area = math.Abs(polygonArea(flat))
		if polygonContains(flat, [2]float64{}) && (best == nil || s.Area < best.Area) {
			best = s
		}
	}
	return best
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
