package mesh

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// An edge passes through a plane where its ends lie on both sides, farther
// from it than this share of the edge: rounding leaves the corners of a flat
// wall nearer to its plane, and the edges within it pierce nothing.
const piercedDepth = 1e-9

// SelfIntersections counts the triangles that an edge of another triangle
// pierces.
func (h *Hierarchy) SelfIntersections() int {
	count := 0
	for _, p := range h.Pierced() {
		if p {
			count++
		}
	}
	return count
}

// Pierced marks the triangles that an edge of another triangle, one they share
// no corner with, pierces.
func (h *Hierarchy) Pierced() []bool {
	pierced := make([]bool, len(h.Mesh.Triangles))
	var near []int32
	for i := range h.nodes {
		n := &h.nodes[i]
		if n.second != 0 {
			continue
		}
		near = h.leavesNear(n, near[:0])
		for _, t := range h.order[n.from:n.to] {
			v := &h.Mesh.Triangles[t].V
			for k := range v {
				a, b := v[k], v[(k+1)%3]
				// Every edge once: from the triangle that walks it upwards.
				if a < b {
					h.pierce(a, b, near, pierced)
				}
			}
		}
	}
	return pierced
}

// leavesNear appends the leaves whose boxes touch that of a node.
func (h *Hierarchy) leavesNear(n *node, leaves []int32) []int32 {
	var stack [64]int32
	for depth := 1; depth > 0; {
		depth--
		at := stack[depth]
		o := &h.nodes[at]
		switch {
		case !o.meets(n):
		case o.second != 0:
			stack[depth], stack[depth+1] = o.second, at+1
			depth += 2
		default:
			leaves = append(leaves, at)
		}
	}
	return leaves
}

// meets reports whether the boxes of two nodes touch.
func (n *node) meets(o *node) bool {
	return o.low.X <= n.high.X && o.high.X >= n.low.X && o.low.Y <= n.high.Y && o.high.Y >= n.low.Y && o.low.Z <= n.high.Z && o.high.Z >= n.low.Z
}

// pierce marks the triangles of leaves that the edge between two vertices
// pierces.
func (h *Hierarchy) pierce(a, b int32, leaves []int32, pierced []bool) {
	from := h.Mesh.Vertices[a]
	direction := r3.Sub(h.Mesh.Vertices[b], from)
	inverse := inverseOf(direction)
	edge := node{low: MinVec(from, h.Mesh.Vertices[b]), high: MaxVec(from, h.Mesh.Vertices[b])}
	for _, at := range leaves {
		n := &h.nodes[at]
		if !n.meets(&edge) {
			continue
		}
		if _, crossed := n.enter(&from, &inverse, 1); !crossed {
			continue
		}
		for _, t := range h.order[n.from:n.to] {
			v := &h.Mesh.Triangles[t].V
			if v[0] == a || v[1] == a || v[2] == a || v[0] == b || v[1] == b || v[2] == b {
				continue
			}
			if d, ok := h.Mesh.rayTriangle(t, from, direction); ok && d < 1 && h.Mesh.parts(t, from, direction) {
				pierced[t] = true
			}
		}
	}
}

// parts reports whether the plane of triangle t parts the ends of an edge.
func (s *Mesh) parts(t int32, from, edge r3.Vec) bool {
	p := Plane{s.Vertices[s.Triangles[t].V[0]], r3.Unit(s.AreaVector(int(t)))}
	behind := p.Height(from)
	before := behind + r3.Dot(p.Normal, edge)
	return behind*before < 0 && min(math.Abs(behind), math.Abs(before)) > piercedDepth*r3.Norm(edge)
}
