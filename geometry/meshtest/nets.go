package meshtest

import (
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// Nets returns the surface on which a field is zero, wound so that it encloses
// what is negative, as a net with one vertex in each cell of a lattice that the
// surface crosses (Gibson 1998).
func Nets(field func(r3.Vec) float64, low, high r3.Vec, spacing float64) *mesh.Mesh {
	size := r3.Sub(high, low)
	n := [3]int{int(size.X/spacing) + 3, int(size.Y/spacing) + 3, int(size.Z/spacing) + 3}
	at := func(x, y, z int) int { return (z*n[1]+y)*n[0] + x }
	place := func(x, y, z int) r3.Vec {
		return r3.Add(low, r3.Scale(spacing, r3.Vec{X: float64(x) - 0.9, Y: float64(y) - 0.9, Z: float64(z) - 0.9}))
	}
	value := make([]float64, n[0]*n[1]*n[2])
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				value[at(x, y, z)] = field(place(x, y, z))
			}
		}
	}
	s := &mesh.Mesh{Solids: []string{""}}
	number := map[int]int32{}
	corner := func(c [3]int) int32 {
		key := at(c[0], c[1], c[2])
		if v, ok := number[key]; ok {
			return v
		}
		var sum r3.Vec
		crossed := 0.0
		for k := range 8 {
			a := [3]int{c[0] + k&1, c[1] + k>>1&1, c[2] + k>>2}
			for axis := range 3 {
				if k>>axis&1 == 1 {
					continue
				}
				b := a
				b[axis]++
				u, v := value[at(a[0], a[1], a[2])], value[at(b[0], b[1], b[2])]
				if (u < 0) == (v < 0) {
					continue
				}
				p, q := place(a[0], a[1], a[2]), place(b[0], b[1], b[2])
				sum = r3.Add(sum, r3.Add(p, r3.Scale(u/(u-v), r3.Sub(q, p))))
				crossed++
			}
		}
		number[key] = int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, r3.Scale(1/crossed, sum))
		return number[key]
	}
	for z := 1; z < n[2]-1; z++ {
		for y := 1; y < n[1]-1; y++ {
			for x := 1; x < n[0]-1; x++ {
				for axis := range 3 {
					a := [3]int{x, y, z}
					b := a
					b[axis]++
					inside := value[at(a[0], a[1], a[2])] < 0
					if inside == (value[at(b[0], b[1], b[2])] < 0) {
						continue
					}
					u, w := (axis+1)%3, (axis+2)%3
					var quad [4]int32
					for k, step := range [4][2]int{{-1, -1}, {0, -1}, {0, 0}, {-1, 0}} {
						c := a
						c[u] += step[0]
						c[w] += step[1]
						quad[k] = corner(c)
					}
					if !inside {
						quad[1], quad[3] = quad[3], quad[1]
					}
					s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{quad[0], quad[1], quad[2]}}, mesh.Triangle{V: [3]int32{quad[0], quad[2], quad[3]}})
				}
			}
		}
	}
	return s
}

// Smooth moves every vertex so many times by a share of the way to the middle
// of its neighbours.
func Smooth(s *mesh.Mesh, rounds int, share float64) {
	near := make([]map[int32]bool, len(s.Vertices))
	for _, t := range s.Triangles {
		for k, v := range t.V {
			if near[v] == nil {
				near[v] = map[int32]bool{}
			}
			near[v][t.V[(k+1)%3]], near[v][t.V[(k+2)%3]] = true, true
		}
	}
	lists := make([][]int32, len(near))
	for v := range near {
		for o := range near[v] {
			lists[v] = append(lists[v], o)
		}
		slices.Sort(lists[v])
	}
	for range rounds {
		moved := slices.Clone(s.Vertices)
		for v, list := range lists {
			var sum r3.Vec
			for _, o := range list {
				sum = r3.Add(sum, s.Vertices[o])
			}
			if len(list) > 0 {
				middle := r3.Scale(1/float64(len(list)), sum)
				moved[v] = r3.Add(s.Vertices[v], r3.Scale(share, r3.Sub(middle, s.Vertices[v])))
			}
		}
		s.Vertices = moved
	}
}
