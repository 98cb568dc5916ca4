package wallshear

import (
	"math"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// side is the longest side of a triangle, in cells, that is not divided.
const side = 4.0

// Wall is the part of a surface that is no opening, in triangles of some cells at most.
type Wall struct {
	Points    []r3.Vec
	Triangles [][3]int32
	// Normal is the unit normal of each triangle, out of the lumen, Area in square
	// metres, Center its middle.
	Normal []r3.Vec
	Area   []float64
	Center []r3.Vec
}

// NewWall takes the wall of a prepared surface for cells of a spacing.
func NewWall(p *geometry.Prepared, spacing float64) *Wall {
	w := &Wall{}
	s := p.Surface
	number := make([]int32, len(s.Vertices))
	vertex := func(v int32) int32 {
		if number[v] == 0 {
			w.Points = append(w.Points, s.Vertices[v])
			number[v] = int32(len(w.Points))
		}
		return number[v] - 1
	}
	for t := range s.Triangles {
		if p.Opening[t] > 0 || s.AreaVector(t) == (r3.Vec{}) {
			continue
		}
		a, b, c := s.Corners(t)
		longest := max(r3.Norm(r3.Sub(b, a)), r3.Norm(r3.Sub(c, a)), r3.Norm(r3.Sub(c, b)))
		if n := int(math.Ceil(longest / (side * spacing))); n > 1 {
			w.divide(a, b, c, n)
			continue
		}
		v := s.Triangles[t].V
		w.add(vertex(v[0]), vertex(v[1]), vertex(v[2]))
	}
	return w
}

// divide adds a triangle in n² equal parts.
func (w *Wall) divide(a, b, c r3.Vec, n int) {
	first := int32(len(w.Points))
	u, v := r3.Scale(1/float64(n), r3.Sub(b, a)), r3.Scale(1/float64(n), r3.Sub(c, a))
	for i := range n + 1 {
		for j := range n + 1 - i {
			w.Points = append(w.Points, r3.Add(a, r3.Add(r3.Scale(float64(i), u), r3.Scale(float64(j), v))))
		}
	}
	// at is the number of point (i, j); row i has n+1−i points.
	at := func(i, j int) int32 { return first + int32(i*(n+1)-i*(i-1)/2+j) }
	for i := range n {
		for j := range n - i {
			w.add(at(i, j), at(i+1, j), at(i, j+1))
			if i+j+1 < n {
				w.add(at(i+1, j), at(i+1, j+1), at(i, j+1))
			}
		}
	}
}

func (w *Wall) add(a, b, c int32) {
	p, q, r := w.Points[a], w.Points[b], w.Points[c]
	vector := r3.Scale(0.5, r3.Cross(r3.Sub(q, p), r3.Sub(r, p)))
	area := r3.Norm(vector)
	if area == 0 {
		return
	}
	w.Triangles = append(w.Triangles, [3]int32{a, b, c})
	w.Normal = append(w.Normal, r3.Scale(1/area, vector))
	w.Area = append(w.Area, area)
	w.Center = append(w.Center, r3.Scale(1./3, r3.Add(p, r3.Add(q, r))))
}
