package mesh

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// Triangle is one triangle of a Mesh: three indices into Vertices,
// counter-clockwise when seen from outside, and an index into Solids.
type Triangle struct {
	V     [3]int32
	Solid int32
}

// Mesh is an indexed triangle mesh in metres.
type Mesh struct {
	Vertices  []r3.Vec
	Triangles []Triangle
	// Solids are the names of the file's solids.
	Solids []string
}

// Corners returns the corners of triangle t.
func (s *Mesh) Corners(t int) (a, b, c r3.Vec) {
	v := &s.Triangles[t].V
	return s.Vertices[v[0]], s.Vertices[v[1]], s.Vertices[v[2]]
}

// Bounds returns the lowest and highest corner of the bounding box of all
// vertices.
func (s *Mesh) Bounds() (low, high r3.Vec) {
	inf := math.Inf(1)
	low, high = r3.Vec{X: inf, Y: inf, Z: inf}, r3.Vec{X: -inf, Y: -inf, Z: -inf}
	for _, v := range s.Vertices {
		low = r3.Vec{X: min(low.X, v.X), Y: min(low.Y, v.Y), Z: min(low.Z, v.Z)}
		high = r3.Vec{X: max(high.X, v.X), Y: max(high.Y, v.Y), Z: max(high.Z, v.Z)}
	}
	return low, high
}

// AreaVector returns the vector area of triangle t: its normal, as long as
// its area.
func (s *Mesh) AreaVector(t int) r3.Vec {
	a, b, c := s.Corners(t)
	return r3.Scale(0.5, r3.Cross(r3.Sub(b, a), r3.Sub(c, a)))
}

// Area returns the sum of the triangles' areas in square metres.
func (s *Mesh) Area() float64 {
	var sum float64
	for t := range s.Triangles {
		sum += r3.Norm(s.AreaVector(t))
	}
	return sum
}

// Volume returns the signed volume that the surface encloses in cubic metres,
// by the divergence theorem: positive for a closed surface wound outwards.
func (s *Mesh) Volume() float64 {
	if len(s.Vertices) == 0 {
		return 0
	}
	// Relative to a point of the surface, so that nothing cancels far from
	// the coordinates' origin.
	o := s.Vertices[0]
	var sum float64
	for t := range s.Triangles {
		a, b, c := s.Corners(t)
		sum += r3.Dot(r3.Sub(a, o), r3.Cross(r3.Sub(b, o), r3.Sub(c, o)))
	}
	return sum / 6
}

// Sides returns the mean and the longest length of a triangle's sides.
func (s *Mesh) Sides(t int) (mean, longest float64) {
	v0, v1, v2 := s.Corners(t)
	a, b, c := r3.Norm(r3.Sub(v0, v1)), r3.Norm(r3.Sub(v1, v2)), r3.Norm(r3.Sub(v2, v0))
	return (a + b + c) / 3, max(a, b, c)
}

// Compact drops the vertices that no triangle uses.
func (s *Mesh) Compact() {
	number := make([]int32, len(s.Vertices))
	for i := range number {
		number[i] = -1
	}
	var kept []r3.Vec
	for i := range s.Triangles {
		for k, v := range s.Triangles[i].V {
			if number[v] < 0 {
				number[v] = int32(len(kept))
				kept = append(kept, s.Vertices[v])
			}
			s.Triangles[i].V[k] = number[v]
		}
	}
	s.Vertices = kept
}

// Without returns the surface less the listed triangles, and what the given
// values of its triangles are then.
func (s *Mesh) Without(triangles []int32, values []uint16) (*Mesh, []uint16) {
	drop := make([]bool, len(s.Triangles))
	for _, t := range triangles {
		drop[t] = true
	}
	out := *s
	out.Triangles = nil
	var kept []uint16
	for i, t := range s.Triangles {
		if !drop[i] {
			out.Triangles = append(out.Triangles, t)
			kept = append(kept, values[i])
		}
	}
	return &out, kept
}
