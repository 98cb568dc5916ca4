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
	around := newCorners(s)
	reached := make([]bool, len(s.Triangles))
	stack, count := []int32{0}, 1
	reached[0] = true
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for k := range 3 {
			a, b := s.Triangles[i].V[k], s.Triangles[i].V[(k+1)%3]
			if a == b {
				t.Fatalf("triangle %d uses vertex %d twice", i, a)
			}
			if _, n := around.withEdge(s, a, b); n != 1 {
				t.Fatalf("%d triangles have the edge %d→%d", n, a, b)
			}
			j, n := around.withEdge(s, b, a)
			if n != 1 {
				t.Fatalf("the edge %d→%d of triangle %d has %d neighbours", a, b, i, n)
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
	for v := range s.Vertices {
		if fan, want := around.fan(s, int32(v)), len(around.at(int32(v))); fan != want {
			t.Fatalf("vertex %d has %d triangles, but a fan of %d", v, want, fan)
		}
	}
	if euler := len(s.Vertices) - 3*len(s.Triangles)/2 + len(s.Triangles); euler != 2 {
		t.Fatalf("Euler characteristic %d, want 2", euler)
	}
	if v := s.Volume(); v <= 0 {
		t.Fatalf("enclosed volume %g, want a positive one: wound inwards", v)
	}
}

// corners lists the triangles around every vertex.
type corners struct{ first, triangle []int32 }

func newCorners(s *geometry.Surface) corners {
	c := corners{make([]int32, len(s.Vertices)+1), make([]int32, 3*len(s.Triangles))}
	for _, tri := range s.Triangles {
		for _, v := range tri.V {
			c.first[v+1]++
		}
	}
	for v := range s.Vertices {
		c.first[v+1] += c.first[v]
	}
	next := append([]int32{}, c.first...)
	for i, tri := range s.Triangles {
		for _, v := range tri.V {
			c.triangle[next[v]] = int32(i)
			next[v]++
		}
	}
	return c
}

// at returns the triangles around vertex v.
func (c corners) at(v int32) []int32 { return c.triangle[c.first[v]:c.first[v+1]] }

// withEdge returns a triangle that has the directed edge from a to b, and how
// many have it.
func (c corners) withEdge(s *geometry.Surface, a, b int32) (triangle int32, n int) {
	for _, i := range c.at(a) {
		v := s.Triangles[i].V
		if v[0] == a && v[1] == b || v[1] == a && v[2] == b || v[2] == a && v[0] == b {
			triangle = i
			n++
		}
	}
	return triangle, n
}

// fan counts the triangles met on one way around vertex v.
func (c corners) fan(s *geometry.Surface, v int32) int {
	if len(c.at(v)) == 0 {
		return -1 // a vertex that nothing uses
	}
	start := c.at(v)[0]
	for i, n := start, 1; ; n++ {
		for k := range 3 {
			if s.Triangles[i].V[k] == v {
				i, _ = c.withEdge(s, v, s.Triangles[i].V[(k+2)%3])
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
		if len(patch) < 8 {
			t.Fatalf("opening %q has %d triangles", o.Name, len(patch))
		}
		// The corners of the regular polygon of the same area.
		step := 2 * math.Pi / float64(len(patch))
		corner := radius * math.Sqrt(step/math.Sin(step))
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
				if d := r3.Norm(from); d > 1e-12 && math.Abs(d-corner) > 1e-9*corner {
					t.Fatalf("opening %q: a vertex at distance %g from the centre of a polygon with corners at %g", o.Name, d, corner)
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
	met := make([]int32, len(s.Triangles)) // number of the last edge that met each triangle
	var edge int32
	for i := range s.Triangles {
		for k := range 3 {
			from, to := s.Triangles[i].V[k], s.Triangles[i].V[(k+1)%3]
			if from > to {
				continue
			}
			p, q := s.Vertices[from], s.Vertices[to]
			edge++
			eachCube(side, func(k [3]int32) {
				for _, o := range grid[k] {
					v := s.Triangles[o].V
					if met[o] == edge || v[0] == from || v[1] == from || v[2] == from || v[0] == to || v[1] == to || v[2] == to {
						continue
					}
					met[o] = edge
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
