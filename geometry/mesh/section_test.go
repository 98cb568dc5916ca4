package mesh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
)

// A section passes every triangle of a convex body that has corners on both sides of the
// plane, which may go through corners, edges and flat faces.
func TestSectionsPassAllTrianglesThatThePlaneCuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 53))
	ball, box := meshtest.Sphere(r3.Vec{}, 1, 12), meshtest.Divided(meshtest.Divided(meshtest.Box(r3.Vec{X: -1, Y: -1, Z: -1}, r3.Vec{X: 1, Y: 1, Z: 1}), false), false)
	for _, s := range []*mesh.Mesh{ball, box} {
		h := mesh.NewHierarchy(s)
		for round := range 600 {
			p := mesh.Plane{At: r3.Scale(0.15, vec(rng)), Normal: r3.Unit(vec(rng))}
			switch round % 3 {
			case 1: // through a corner
				v := s.Vertices[rng.IntN(len(s.Vertices))]
				p.At = r3.Add(p.At, r3.Scale(r3.Dot(p.Normal, r3.Sub(v, p.At)), p.Normal))
			case 2: // along edges
				p = mesh.Plane{Normal: []r3.Vec{{X: 1}, {Y: -1}, {Z: 1}}[rng.IntN(3)]}
			}
			cut := 0
			for i := range s.Triangles {
				up := 0
				for _, v := range s.Triangles[i].V {
					if p.Height(s.Vertices[v]) >= 0 {
						up++
					}
				}
				if up == 1 || up == 2 {
					cut++
				}
			}
			section := h.SectionAround(p, math.Inf(1))
			if section == nil {
				if cut > 0 && inside(p.At) {
					t.Fatalf("no section at %v across %v passes %d triangles", p.At, p.Normal, cut)
				}
				continue
			}
			if len(section.Triangles) != cut {
				t.Fatalf("the section at %v across %v passes %d triangles, want %d", p.At, p.Normal, len(section.Triangles), cut)
			}
		}
	}
}

// inside reports whether a point lies well within a convex body around the origin.
func inside(at r3.Vec) bool { return r3.Norm(at) < 0.9 }

// A vector exceeds a limit when its length does, whatever its size.
func TestLimitsAreThoseOfLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 53))
	for range 20000 {
		v := r3.Scale(math.Exp(20*rng.NormFloat64()), vec(rng))
		length := r3.Norm(v) * (1 + 1e-15*math.Round(3*rng.NormFloat64()))
		if rng.IntN(2) == 0 {
			length *= math.Exp(rng.NormFloat64())
		}
		l := mesh.NewLimit(length)
		if got, want := l.ExceededBy(v), r3.Norm(v) > length; got != want {
			t.Fatalf("%v is longer than %g: %v, want %v", v, length, got, want)
		}
	}
}
