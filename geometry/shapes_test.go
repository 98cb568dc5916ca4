package geometry

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// boxSurface returns the box between two corners, wound outwards.
func boxSurface(low, high r3.Vec) *Surface {
	s := &Surface{Mesh: Mesh{Solids: []string{""}}}
	for i := 0; i < 8; i++ {
		pick := func(bit int, a, b float64) float64 {
			if i>>bit&1 == 1 {
				return b
			}
			return a
		}
		s.Vertices = append(s.Vertices, r3.Vec{X: pick(0, low.X, high.X), Y: pick(1, low.Y, high.Y), Z: pick(2, low.Z, high.Z)})
	}
	for _, q := range [][4]int32{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		s.Triangles = append(s.Triangles, Triangle{V: [3]int32{q[0], q[1], q[2]}}, Triangle{V: [3]int32{q[0], q[2], q[3]}})
	}
	return s
}

// sphereSurface returns a sphere of latitudes and longitudes, wound outwards.
func sphereSurface(center r3.Vec, radius float64, n int) *Surface {
	s := &Surface{Mesh: Mesh{Solids: []string{""}}}
	at := func(theta, phi float64) r3.Vec {
		return r3.Add(center, r3.Scale(radius, r3.Vec{X: math.Sin(theta) * math.Cos(phi), Y: math.Sin(theta) * math.Sin(phi), Z: math.Cos(theta)}))
	}
	s.Vertices = append(s.Vertices, at(0, 0), at(math.Pi, 0))
	ring := func(i, j int) int32 { return int32(2 + (i-1)*2*n + j%(2*n)) }
	for i := 1; i < n; i++ {
		for j := 0; j < 2*n; j++ {
			s.Vertices = append(s.Vertices, at(math.Pi*float64(i)/float64(n), math.Pi*float64(j)/float64(n)))
		}
	}
	for j := 0; j < 2*n; j++ {
		s.Triangles = append(s.Triangles, Triangle{V: [3]int32{0, ring(1, j), ring(1, j+1)}}, Triangle{V: [3]int32{1, ring(n-1, j+1), ring(n-1, j)}})
		for i := 1; i < n-1; i++ {
			s.Triangles = append(s.Triangles,
				Triangle{V: [3]int32{ring(i, j), ring(i+1, j), ring(i+1, j+1)}},
				Triangle{V: [3]int32{ring(i, j), ring(i+1, j+1), ring(i, j+1)}})
		}
	}
	return s
}

// tubeSurface returns a straight tube with n sides from a to b. Its ends are
// fans, left out where open.
func tubeSurface(a, b r3.Vec, radius float64, n, rings int, open bool) *Surface {
	s := &Surface{Mesh: Mesh{Solids: []string{""}}}
	axis := r3.Unit(r3.Sub(b, a))
	e1, e2 := perpendicular(axis)
	for k := 0; k <= rings; k++ {
		c := r3.Add(a, r3.Scale(float64(k)/float64(rings), r3.Sub(b, a)))
		for j := 0; j < n; j++ {
			phi := 2 * math.Pi * float64(j) / float64(n)
			s.Vertices = append(s.Vertices, r3.Add(c, r3.Add(r3.Scale(radius*math.Cos(phi), e1), r3.Scale(radius*math.Sin(phi), e2))))
		}
	}
	at := func(k, j int) int32 { return int32(k*n + j%n) }
	for k := 0; k < rings; k++ {
		for j := 0; j < n; j++ {
			s.Triangles = append(s.Triangles,
				Triangle{V: [3]int32{at(k, j), at(k, j+1), at(k+1, j+1)}},
				Triangle{V: [3]int32{at(k, j), at(k+1, j+1), at(k+1, j)}})
		}
	}
	if open {
		return s
	}
	c0, c1 := int32(len(s.Vertices)), int32(len(s.Vertices)+1)
	s.Vertices = append(s.Vertices, a, b)
	for j := 0; j < n; j++ {
		s.Triangles = append(s.Triangles,
			Triangle{V: [3]int32{c0, at(0, j+1), at(0, j)}},
			Triangle{V: [3]int32{c1, at(rings, j), at(rings, j+1)}})
	}
	return s
}
