package generate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/mesh"
	"carina/geometry/meshtest"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// TestWornRimsAreFound wears the rims of generated ends as smoothing and
// thinning out do: a bevel goes unevenly around each, edges near it are split,
// every vertex is moved, and the whole is turned, scaled and shifted. All ends
// are still found, none is invented, and each has the area of its tube's
// section within 2 %.
func TestWornRimsAreFound(t *testing.T) {
	race.SkipArithmetic(t)
	kinds := map[string]func(segments int, seed uint64) (*geometry.Surface, []geometry.Opening, error){
		"pipe": func(segments int, _ uint64) (*geometry.Surface, []geometry.Opening, error) {
			return generate.Pipe(generate.PipeOptions{Segments: segments})
		},
		"bifurcation": func(segments int, _ uint64) (*geometry.Surface, []geometry.Opening, error) {
			return generate.Bifurcation(generate.BifurcationOptions{Segments: segments})
		},
		"weibel": func(segments int, _ uint64) (*geometry.Surface, []geometry.Opening, error) {
			return generate.Airway(generate.AirwayOptions{Segments: segments, Generations: 2})
		},
		"kitaoka": func(segments int, seed uint64) (*geometry.Surface, []geometry.Opening, error) {
			return generate.Airway(generate.AirwayOptions{Rule: generate.Kitaoka, Segments: segments, Generations: 3, Seed: seed})
		},
	}
	for name, make := range kinds {
		for i, segments := range []int{16, 24, 40, 64} {
			seed := uint64(i)
			s, openings, err := make(segments, seed)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(seed, 7))
			bevel(s, openings, 0.25, 0.05, rng)
			splitEdges(s, openings, 0.3, rng)
			meshtest.Roughen(&s.Mesh, 0.02, rng)
			openings = move(s, openings, math.Pow(10, 2*rng.Float64()-1), rng)
			p, err := geometry.Prepare(unnamed(s), geometry.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Openings) != len(openings) {
				t.Errorf("%s with %d segments: %d openings found, want %d", name, segments, len(p.Openings), len(openings))
			}
			for _, want := range openings {
				if got := nearest(p.Openings, want.Center); math.Abs(got.Area/want.Area-1) > 0.02 {
					t.Errorf("%s with %d segments, %s: area %g, want %g", name, segments, want.Name, got.Area, want.Area)
				}
			}
		}
	}
}

// nearest returns the opening with its centre nearest to a point.
func nearest(openings []geometry.Opening, to r3.Vec) geometry.Opening {
	best := openings[0]
	for _, o := range openings {
		if r3.Norm(r3.Sub(o.Center, to)) < r3.Norm(r3.Sub(best.Center, to)) {
			best = o
		}
	}
	return best
}

// bevel cuts the sharp rims off the ends: a ring of triangles leads from the
// flat part, on average so many edges narrower, to the wall, so many deeper.
func bevel(s *geometry.Surface, openings []geometry.Opening, width, depth float64, rng *rand.Rand) {
	solid := map[string]int32{}
	for i, name := range s.Solids {
		solid[name] = int32(i)
	}
	uneven := func(mean float64) float64 { return mean * (0.4 + 1.2*rng.Float64()) }
	for _, o := range openings {
		inner := map[int32]int32{}
		for i, n := 0, len(s.Triangles); i < n; i++ {
			if s.Triangles[i].Solid != solid[o.Name] {
				continue
			}
			// Fans begin with their centre.
			a, b := s.Triangles[i].V[1], s.Triangles[i].V[2]
			edge := r3.Norm(r3.Sub(s.Vertices[a], s.Vertices[b]))
			for k, v := range [2]int32{a, b} {
				if _, ok := inner[v]; !ok {
					at := s.Vertices[v]
					inner[v] = int32(len(s.Vertices))
					s.Vertices = append(s.Vertices, r3.Add(at, r3.Scale(uneven(width*edge), r3.Unit(r3.Sub(o.Center, at)))))
					s.Vertices[v] = r3.Sub(at, r3.Scale(uneven(depth*edge), o.Normal))
				}
				s.Triangles[i].V[k+1] = inner[v]
			}
			c, d := inner[a], inner[b]
			if rng.IntN(2) == 0 {
				s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{c, a, b}}, mesh.Triangle{V: [3]int32{c, b, d}})
			} else {
				s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{c, a, d}}, mesh.Triangle{V: [3]int32{a, b, d}})
			}
		}
	}
}

// splitEdges splits a share of the triangles near the ends at their longest
// edges, not in the middle.
func splitEdges(s *geometry.Surface, openings []geometry.Opening, share float64, rng *rand.Rand) {
	near := func(v int32) bool {
		o := nearest(openings, s.Vertices[v])
		return r3.Norm(r3.Sub(s.Vertices[v], o.Center)) < 1.6*math.Sqrt(o.Area/math.Pi)
	}
	split := map[[2]int32]int32{}
	for _, tri := range s.Triangles {
		a, b, long := int32(0), int32(0), 0.0
		for k, v := range tri.V {
			next := tri.V[(k+1)%3]
			if l := r3.Norm(r3.Sub(s.Vertices[v], s.Vertices[next])); l > long {
				a, b, long = min(v, next), max(v, next), l
			}
		}
		if split[[2]int32{a, b}] == 0 && rng.Float64() < share && near(a) && near(b) {
			split[[2]int32{a, b}] = int32(len(s.Vertices))
			s.Vertices = append(s.Vertices, r3.Add(s.Vertices[a], r3.Scale(0.3+0.4*rng.Float64(), r3.Sub(s.Vertices[b], s.Vertices[a]))))
		}
	}
	var out []mesh.Triangle
	var put func(tri mesh.Triangle)
	put = func(tri mesh.Triangle) {
		for k, a := range tri.V {
			b, c := tri.V[(k+1)%3], tri.V[(k+2)%3]
			if m := split[[2]int32{min(a, b), max(a, b)}]; m > 0 {
				put(mesh.Triangle{V: [3]int32{a, m, c}, Solid: tri.Solid})
				put(mesh.Triangle{V: [3]int32{m, b, c}, Solid: tri.Solid})
				return
			}
		}
		out = append(out, tri)
	}
	for _, tri := range s.Triangles {
		put(tri)
	}
	s.Triangles = out
}

// move turns, scales and shifts a surface, and returns its openings moved
// alike.
func move(s *geometry.Surface, openings []geometry.Opening, scale float64, rng *rand.Rand) []geometry.Opening {
	turn := r3.NewRotation(2*math.Pi*rng.Float64(), meshtest.NormalVec(rng))
	shift := meshtest.NormalVec(rng)
	place := func(v r3.Vec) r3.Vec { return r3.Add(shift, r3.Scale(scale, turn.Rotate(v))) }
	for i, v := range s.Vertices {
		s.Vertices[i] = place(v)
	}
	moved := append([]geometry.Opening(nil), openings...)
	for i := range moved {
		o := &moved[i]
		o.Center, o.Normal, o.Area = place(o.Center), turn.Rotate(o.Normal), o.Area*scale*scale
	}
	return moved
}
