package mesh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// soup is triangles anywhere, half of them flat along an axis.
func soup(rng *rand.Rand, triangles int) *mesh.Mesh {
	s := &mesh.Mesh{Solids: []string{""}}
	for i := range triangles {
		at := r3.Scale(3, vec(rng))
		for range 3 {
			v := r3.Add(at, vec(rng))
			switch i % 4 {
			case 1:
				v.X = math.Round(at.X)
			case 2:
				v.Z = math.Round(at.Z)
			}
			s.Vertices = append(s.Vertices, v)
		}
		n := int32(3 * i)
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{n, n + 1, n + 2}})
	}
	return s
}

// crossing returns how far along a line from a point it passes through a
// triangle: where the three tetrahedra between line and sides have the same sign.
func crossing(s *mesh.Mesh, t int, from, direction r3.Vec) (float64, bool) {
	a, b, c := s.Corners(t)
	a, b, c = r3.Sub(a, from), r3.Sub(b, from), r3.Sub(c, from)
	x, y, z := r3.Dot(direction, r3.Cross(a, b)), r3.Dot(direction, r3.Cross(b, c)), r3.Dot(direction, r3.Cross(c, a))
	if min(x, y, z) < 0 && max(x, y, z) > 0 {
		return 0, false
	}
	n := r3.Cross(r3.Sub(b, a), r3.Sub(c, a))
	along := r3.Dot(n, a) / r3.Dot(n, direction)
	return along, along > 0
}

// A ray meets the first of all triangles that it passes through, also along
// the axes and the flat triangles' planes, and is blocked where there is any.
func TestRaysMeetTheFirstOfAllTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 41))
	s := soup(rng, 150)
	h := mesh.NewHierarchy(s)
	met := 0
	for i := range 3000 {
		from, direction := r3.Scale(4, vec(rng)), vec(rng)
		switch i % 3 {
		case 1:
			direction = r3.Vec{X: direction.X}
		case 2:
			from.X = math.Round(from.X)
			direction = r3.Vec{Y: direction.Y, Z: -math.Abs(direction.Z)}
		}
		want := math.Inf(1)
		for k := range s.Triangles {
			if d, ok := crossing(s, k, from, direction); ok {
				want = min(want, d)
			}
		}
		got, hit := h.Ray(from, direction, math.Inf(1))
		if got != want && !(math.Abs(got-want) < 1e-9*want) {
			t.Fatalf("ray %d from %v along %v meets %g, want %g", i, from, direction, got, want)
		}
		if blocked := h.Blocked(from, direction); blocked != (hit >= 0) {
			t.Fatalf("ray %d: blocked %v, but met %d", i, blocked, hit)
		}
		if hit >= 0 {
			met++
			if _, near := h.Ray(from, direction, 0.999*want); near >= 0 {
				t.Fatalf("ray %d meets something before %g", i, want)
			}
		}
	}
	if met < 500 {
		t.Errorf("only %d rays met anything", met)
	}
}

// The triangles pierced are those that any edge of another passes through.
func TestPiercedOfAllTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 43))
	s := soup(rng, 120)
	// Edges are walked upwards from one of their sides, as in closed surfaces.
	for _, t := range s.Triangles[:120] {
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{t.V[0], t.V[2], t.V[1]}})
	}
	got := mesh.NewHierarchy(s).Pierced()
	count := 0
	for i := range s.Triangles {
		want := false
		for k := range s.Triangles {
			for side := range 3 {
				a, b := s.Vertices[s.Triangles[k].V[side]], s.Vertices[s.Triangles[k].V[(side+1)%3]]
				if i%120 != k%120 {
					at, ok := crossing(s, i, a, r3.Sub(b, a))
					want = want || ok && at < 1
				}
			}
		}
		if got[i] != want {
			t.Fatalf("triangle %d is pierced: %v, want %v", i, got[i], want)
		}
		if want {
			count++
		}
	}
	if count < 30 || count == len(s.Triangles) {
		t.Errorf("%d of %d triangles are pierced", count, len(s.Triangles))
	}
}
