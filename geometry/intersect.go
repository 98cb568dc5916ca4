package geometry

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// An edge passes through a plane where its ends lie on both sides, farther
// from it than this share of the edge: rounding leaves the corners of a flat
// wall nearer to its plane, and the edges within it pierce nothing.
const piercedDepth = 1e-9

// selfIntersections counts the triangles that an edge of another triangle
// pierces.
func (h *hierarchy) selfIntersections() int {
	count := 0
	for _, p := range h.pierced() {
		if p {
			count++
		}
	}
	return count
}

// pierced marks the triangles that an edge of another triangle, one they share
// no corner with, pierces.
func (h *hierarchy) pierced() []bool {
	pierced := make([]bool, len(h.surface.Triangles))
	for i := range h.surface.Triangles {
		v := h.surface.Triangles[i].V
		for k := range v {
			a, b := v[k], v[(k+1)%3]
			// Every edge once: from the triangle that walks it upwards.
			if a < b {
				h.pierce(a, b, pierced)
			}
		}
	}
	return pierced
}

// pierce marks the triangles that the edge between two vertices pierces.
func (h *hierarchy) pierce(a, b int32, pierced []bool) {
	from := h.surface.Vertices[a]
	direction := r3.Sub(h.surface.Vertices[b], from)
	inverse := r3.Vec{X: 1 / direction.X, Y: 1 / direction.Y, Z: 1 / direction.Z}
	var stack [64]int32
	for depth := 1; depth > 0; {
		depth--
		at := stack[depth]
		n := &h.nodes[at]
		if !n.meets(from, inverse, 1) {
			continue
		}
		if n.second != 0 {
			stack[depth], stack[depth+1] = n.second, at+1
			depth += 2
			continue
		}
		for _, t := range h.order[n.from:n.to] {
			v := h.surface.Triangles[t].V
			if v[0] == a || v[1] == a || v[2] == a || v[0] == b || v[1] == b || v[2] == b {
				continue
			}
			if d, ok := h.surface.rayTriangle(t, from, direction); ok && d < 1 && h.surface.parts(t, from, direction) {
				pierced[t] = true
			}
		}
	}
}

// parts reports whether the plane of triangle t parts the ends of an edge.
func (s *Mesh) parts(t int32, from, edge r3.Vec) bool {
	p := plane{s.Vertices[s.Triangles[t].V[0]], r3.Unit(s.areaVector(int(t)))}
	behind := p.height(from)
	before := behind + r3.Dot(p.normal, edge)
	return behind*before < 0 && min(math.Abs(behind), math.Abs(before)) > piercedDepth*r3.Norm(edge)
}
