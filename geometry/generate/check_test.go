package generate_test

import (
	"math"
	"testing"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// checkClosedManifold fails unless s is one closed surface of genus zero,
// wound outwards: every directed edge belongs to one triangle and its reverse
// to another, the triangles around every vertex form one fan, all triangles
// hang together, and vertices − edges + faces = 2.
func checkClosedManifold(t *testing.T, s *geometry.Surface) {
	t.Helper()
	next := make(map[[2]int32]int, 3*len(s.Triangles)) // directed edge → triangle
	for i, tri := range s.Triangles {
		for k := range 3 {
			e := [2]int32{tri.V[k], tri.V[(k+1)%3]}
			if e[0] == e[1] {
				t.Fatalf("triangle %d uses vertex %d twice", i, e[0])
			}
			if other, ok := next[e]; ok {
				t.Fatalf("triangles %d and %d both have the edge %v", other, i, e)
			}
			next[e] = i
		}
	}
	fans := make([]int, len(s.Vertices)) // triangles around each vertex
	reached := make([]bool, len(s.Triangles))
	stack, count := []int{0}, 1
	reached[0] = true
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for k := range 3 {
			a, b := s.Triangles[i].V[k], s.Triangles[i].V[(k+1)%3]
			fans[a]++
			j, ok := next[[2]int32{b, a}]
			if !ok {
				t.Fatalf("the edge %d–%d of triangle %d has no neighbour", a, b, i)
			}
			if !reached[j] {
				reached[j] = true
				count++
				stack = append(stack, j)
			}
		}
	}
	if count != len(s.Triangles) {
		t.Fatalf("%d of %d triangles hang together", count, len(s.Triangles))
	}
	for e, start := range next {
		if n := fanLength(s, next, e, start); n != fans[e[0]] {
			t.Fatalf("vertex %d has %d triangles, but a fan of %d", e[0], fans[e[0]], n)
		}
	}
	if euler := len(s.Vertices) - len(next)/2 + len(s.Triangles); euler != 2 {
		t.Fatalf("Euler characteristic %d, want 2", euler)
	}
	if v := s.Volume(); v <= 0 {
		t.Fatalf("enclosed volume %g, want a positive one: wound inwards", v)
	}
}

// fanLength counts the triangles met on a way around the first vertex of
// edge e, which belongs to triangle start.
func fanLength(s *geometry.Surface, next map[[2]int32]int, e [2]int32, start int) int {
	n, i := 0, start
	for {
		n++
		// The edge of triangle i that ends in the vertex, seen from its neighbour.
		for k := range 3 {
			if s.Triangles[i].V[k] == e[0] {
				i = next[[2]int32{e[0], s.Triangles[i].V[(k+2)%3]}]
				break
			}
		}
		if i == start {
			return n
		}
	}
}

// checkOpenings fails unless the triangles of each opening's solid form a
// flat patch with the opening's centre, normal and area whose rim is a circle.
func checkOpenings(t *testing.T, s *geometry.Surface, openings []geometry.Opening) {
	t.Helper()
	solid := make(map[string]int32)
	for i, name := range s.Solids {
		solid[name] = int32(i)
	}
	patches := make(map[int32][]int)
	for i, tri := range s.Triangles {
		patches[tri.Solid] = append(patches[tri.Solid], i)
	}
	for i, o := range openings {
		if o.Number != i+1 {
			t.Fatalf("opening %d has number %d", i+1, o.Number)
		}
		role := geometry.Outlet
		if i == 0 {
			role = geometry.Inlet
		}
		if o.Role != role {
			t.Fatalf("opening %d has role %q, want %q", o.Number, o.Role, role)
		}
		if i > 1 && o.Area > openings[i-1].Area {
			t.Fatalf("outlet %d is larger than the one before", o.Number)
		}
		var sum, moment r3.Vec
		radius := math.Sqrt(o.Area / math.Pi)
		patch := patches[solid[o.Name]]
		if len(patch) < 12 {
			t.Fatalf("opening %q has %d triangles", o.Name, len(patch))
		}
		for _, k := range patch {
			a, b, c := s.Corners(k)
			n := r3.Scale(0.5, r3.Cross(r3.Sub(b, a), r3.Sub(c, a)))
			sum = r3.Add(sum, n)
			moment = r3.Add(moment, r3.Scale(r3.Norm(n)/3, r3.Add(a, r3.Add(b, c))))
			for _, p := range [3]r3.Vec{a, b, c} {
				from := r3.Sub(p, o.Center)
				if out := math.Abs(r3.Dot(from, o.Normal)); out > 1e-12 {
					t.Fatalf("opening %q: a vertex lies %g m off its plane", o.Name, out)
				}
				if d := r3.Norm(from); d > 1e-12 && math.Abs(d-radius) > 0.015*radius {
					t.Fatalf("opening %q: a vertex at distance %g of a circle of radius %g", o.Name, d, radius)
				}
			}
		}
		if area := r3.Dot(sum, o.Normal); math.Abs(area-o.Area) > 1e-9*o.Area {
			t.Fatalf("opening %q: area %g, want %g", o.Name, area, o.Area)
		}
		if d := r3.Norm(r3.Sub(r3.Scale(1/o.Area, moment), o.Center)); d > 1e-9 {
			t.Fatalf("opening %q: centroid %g m off its centre", o.Name, d)
		}
	}
}

// countCrossings counts the edges of s that pierce a triangle they share no
// vertex with. Candidates come from a grid; the test itself is four signed
// volumes. Edges that lie in a triangle's plane are not counted.
func countCrossings(s *geometry.Surface) int {
	var total float64
	for i := range s.Triangles {
		a, b, c := s.Corners(i)
		total += math.Sqrt(r3.Norm(r3.Cross(r3.Sub(b, a), r3.Sub(c, a))))
	}
	side := 2 * total / float64(len(s.Triangles))
	grid := make(map[[3]int32][]int32)
	for i := range s.Triangles {
		a, b, c := s.Corners(i)
		eachCube(side, func(k [3]int32) { grid[k] = append(grid[k], int32(i)) }, a, b, c)
	}
	crossings := 0
	for i := range s.Triangles {
		for k := range 3 {
			from, to := s.Triangles[i].V[k], s.Triangles[i].V[(k+1)%3]
			if from > to {
				continue
			}
			p, q := s.Vertices[from], s.Vertices[to]
			met := make(map[int32]bool)
			eachCube(side, func(k [3]int32) {
				for _, o := range grid[k] {
					v := s.Triangles[o].V
					if met[o] || v[0] == from || v[1] == from || v[2] == from || v[0] == to || v[1] == to || v[2] == to {
						continue
					}
					met[o] = true
					if pierces(p, q, s.Vertices[v[0]], s.Vertices[v[1]], s.Vertices[v[2]]) {
						crossings++
					}
				}
			}, p, q)
		}
	}
	return crossings
}

// eachCube visits the cubes of a grid that the points' bounding box meets.
func eachCube(side float64, visit func([3]int32), points ...r3.Vec) {
	low, high := points[0], points[0]
	for _, p := range points {
		low = r3.Vec{X: min(low.X, p.X), Y: min(low.Y, p.Y), Z: min(low.Z, p.Z)}
		high = r3.Vec{X: max(high.X, p.X), Y: max(high.Y, p.Y), Z: max(high.Z, p.Z)}
	}
	index := func(x float64) int32 { return int32(math.Floor(x / side)) }
	for z := index(low.Z); z <= index(high.Z); z++ {
		for y := index(low.Y); y <= index(high.Y); y++ {
			for x := index(low.X); x <= index(high.X); x++ {
				visit([3]int32{x, y, z})
			}
		}
	}
}

// pierces reports whether the segment pq passes through the triangle abc.
func pierces(p, q, a, b, c r3.Vec) bool {
	volume := func(a, b, c, d r3.Vec) float64 {
		return r3.Dot(r3.Sub(b, a), r3.Cross(r3.Sub(c, a), r3.Sub(d, a)))
	}
	flat := 1e-9 * math.Pow(r3.Norm2(r3.Sub(b, a)), 1.5)
	above, below := volume(a, b, c, p), volume(a, b, c, q)
	if math.Abs(above) < flat || math.Abs(below) < flat || (above > 0) == (below > 0) {
		return false
	}
	first := volume(p, q, a, b) > 0
	return first == (volume(p, q, b, c) > 0) && first == (volume(p, q, c, a) > 0)
}

// within fails unless got is want to the given fraction.
func within(t *testing.T, what string, got, want, fraction float64) {
	t.Helper()
	if math.Abs(got-want) > fraction*math.Abs(want) {
		t.Errorf("%s: got %g, want %g within %g %%", what, got, want, 100*fraction)
	}
}
