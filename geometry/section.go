package geometry

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// edgeKey names an undirected edge by its vertices, the lower one first.
type edgeKey struct{ a, b int32 }

func newEdgeKey(a, b int32) edgeKey { return edgeKey{min(a, b), max(a, b)} }

// plane is the set of points p with normal·(p−at) = 0. Points with zero or
// more belong to its upper side.
type plane struct{ at, normal r3.Vec }

func (p *plane) height(v r3.Vec) float64 { return r3.Dot(p.normal, r3.Sub(v, p.at)) }

// section is one closed line in which a plane cuts a surface: the triangles
// that it passes and, between them, the edges, each of which the plane cuts in
// the corner of the same number.
type section struct {
	triangles []int32
	edges     []edgeKey
	corners   []r3.Vec
	area      float64
}

// cutEdge returns where the plane cuts an edge, computed alike from both of
// its triangles.
func (p *plane) cutEdge(s *Mesh, e edgeKey) r3.Vec {
	a, b := s.Vertices[e.a], s.Vertices[e.b]
	da, db := p.height(a), p.height(b)
	return r3.Add(a, r3.Scale(da/(da-db), r3.Sub(b, a)))
}

// passage is a triangle's part of a section: the plane's upper side is on the
// right, seen from outside, on the way from the first edge to the second.
type passage struct {
	triangle int32
	from, to edgeKey
}

// passages lists how the plane cuts the given triangles, in their order, and
// finds the passages by the edge at which they begin.
func (p *plane) passages(s *Mesh, triangles []int32) (starts []edgeKey, found map[edgeKey]passage) {
	found = map[edgeKey]passage{}
	for _, t := range triangles {
		v := s.Triangles[t].V
		var up [3]bool
		for i := range v {
			up[i] = p.height(s.Vertices[v[i]]) >= 0
		}
		if up[0] == up[1] && up[1] == up[2] {
			continue
		}
		c := passage{triangle: t}
		for i := range v {
			j := (i + 1) % 3
			switch {
			case up[i] && !up[j]:
				c.to = newEdgeKey(v[i], v[j])
			case !up[i] && up[j]:
				c.from = newEdgeKey(v[i], v[j])
			}
		}
		found[c.from] = c
		starts = append(starts, c.from)
	}
	return starts, found
}

// sectionAround returns the smallest closed section by the plane that winds
// around its point, looking only at triangles within reach of it, or nil.
func (h *hierarchy) sectionAround(p plane, reach float64) *section {
	starts, passages := p.passages(h.surface, h.within(p.at, reach))
	e1, e2 := perpendicular(p.normal)
	var best *section
	used := map[edgeKey]bool{}
	for _, start := range starts {
		if used[start] {
			continue
		}
		s := &section{}
		at := start
		closed := false
		for !used[at] {
			c, ok := passages[at]
			if !ok {
				break
			}
			used[at] = true
			s.triangles = append(s.triangles, c.triangle)
			s.edges = append(s.edges, at)
			s.corners = append(s.corners, p.cutEdge(h.surface, at))
			at = c.to
			closed = at == start
		}
		if !closed {
			continue
		}
		flat := planar(s.corners, p.at, e1, e2)
		s.area = math.Abs(polygonArea(flat))
		if polygonContains(flat, [2]float64{}) && (best == nil || s.area < best.area) {
			best = s
		}
	}
	return best
}

// within lists the triangles whose boxes come within a distance of a point,
// ascending within each leaf.
func (h *hierarchy) within(at r3.Vec, distance float64) []int32 {
	var out []int32
	stack := []int32{0}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &h.nodes[i]
		if n.distance(at) > distance {
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

// distance returns how far a point is from the node's box.
func (n *node) distance(p r3.Vec) float64 {
	gap := func(x, low, high float64) float64 { return max(low-x, x-high, 0) }
	return r3.Norm(r3.Vec{X: gap(p.X, n.low.X, n.high.X), Y: gap(p.Y, n.low.Y, n.high.Y), Z: gap(p.Z, n.low.Z, n.high.Z)})
}
