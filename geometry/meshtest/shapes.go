package meshtest

import (
	"math"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// Box returns the box between two corners, wound outwards.
func Box(low, high r3.Vec) *mesh.Mesh {
	s := &mesh.Mesh{Solids: []string{""}}
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
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{q[0], q[1], q[2]}}, mesh.Triangle{V: [3]int32{q[0], q[2], q[3]}})
	}
	return s
}

// Sphere returns a sphere of latitudes and longitudes, wound outwards.
func Sphere(center r3.Vec, radius float64, n int) *mesh.Mesh {
	s := &mesh.Mesh{Solids: []string{""}}
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
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{0, ring(1, j), ring(1, j+1)}}, mesh.Triangle{V: [3]int32{1, ring(n-1, j+1), ring(n-1, j)}})
		for i := 1; i < n-1; i++ {
			s.Triangles = append(s.Triangles,
				mesh.Triangle{V: [3]int32{ring(i, j), ring(i+1, j), ring(i+1, j+1)}},
				mesh.Triangle{V: [3]int32{ring(i, j), ring(i+1, j+1), ring(i, j+1)}})
		}
	}
	return s
}

// Tube returns a straight tube with n sides from a to b. Its ends are
// fans, left out where open.
func Tube(a, b r3.Vec, radius float64, n, rings int, open bool) *mesh.Mesh {
	s := &mesh.Mesh{Solids: []string{""}}
	axis := r3.Unit(r3.Sub(b, a))
	e1, e2 := mesh.Perpendicular(axis)
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
				mesh.Triangle{V: [3]int32{at(k, j), at(k, j+1), at(k+1, j+1)}},
				mesh.Triangle{V: [3]int32{at(k, j), at(k+1, j+1), at(k+1, j)}})
		}
	}
	if open {
		return s
	}
	c0, c1 := int32(len(s.Vertices)), int32(len(s.Vertices)+1)
	s.Vertices = append(s.Vertices, a, b)
	for j := 0; j < n; j++ {
		s.Triangles = append(s.Triangles,
			mesh.Triangle{V: [3]int32{c0, at(0, j+1), at(0, j)}},
			mesh.Triangle{V: [3]int32{c1, at(rings, j), at(rings, j+1)}})
	}
	return s
}

// Cubes returns the surface of the full cells of a box of the given size.
func Cubes(n [3]int, full map[[3]int]bool) *mesh.Mesh {
	s := &mesh.Mesh{Solids: []string{""}}
	number := map[[3]int]int32{}
	vertex := func(p [3]int) int32 {
		if _, ok := number[p]; !ok {
			number[p] = int32(len(s.Vertices))
			s.Vertices = append(s.Vertices, r3.Vec{X: float64(p[0]), Y: float64(p[1]), Z: float64(p[2])})
		}
		return number[p]
	}
	for x := range n[0] {
		for y := range n[1] {
			for z := range n[2] {
				c := [3]int{x, y, z}
				for axis := 0; axis < 3 && full[c]; axis++ {
					for side := range 2 {
						next := c
						next[axis] += 2*side - 1
						if full[next] {
							continue
						}
						u, w := (axis+1)%3, (axis+2)%3
						at := c
						at[axis] += side
						q := [4][3]int{at, at, at, at}
						q[1][u]++
						q[2][u]++
						q[2][w]++
						q[3][w]++
						a, b, d, e := vertex(q[0]), vertex(q[1]), vertex(q[2]), vertex(q[3])
						if side == 0 {
							b, e = e, b
						}
						s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{a, b, d}}, mesh.Triangle{V: [3]int32{a, d, e}})
					}
				}
			}
		}
	}
	return s
}

// Divided cuts every triangle into four; torn leaves every tenth whole, so
// that its neighbours' corners lie on its sides.
func Divided(s *mesh.Mesh, torn bool) *mesh.Mesh {
	out := &mesh.Mesh{Vertices: append([]r3.Vec(nil), s.Vertices...), Solids: s.Solids}
	middle := map[mesh.EdgeKey]int32{}
	for i, t := range s.Triangles {
		if torn && i%10 == 0 {
			out.Triangles = append(out.Triangles, t)
			continue
		}
		var m [3]int32
		for k := range m {
			a, b := t.V[k], t.V[(k+1)%3]
			key := mesh.NewEdgeKey(a, b)
			if _, ok := middle[key]; !ok {
				middle[key] = int32(len(out.Vertices))
				out.Vertices = append(out.Vertices, r3.Scale(0.5, r3.Add(s.Vertices[a], s.Vertices[b])))
			}
			m[k] = middle[key]
		}
		for _, v := range [][3]int32{{t.V[0], m[0], m[2]}, {m[0], t.V[1], m[1]}, {m[2], m[1], t.V[2]}, {m[0], m[1], m[2]}} {
			out.Triangles = append(out.Triangles, mesh.Triangle{V: v, Solid: t.Solid})
		}
	}
	return out
}
