package mesh_test

import (
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
)

func TestSelfIntersections(t *testing.T) {
	s := meshtest.Box(r3.Vec{}, r3.Vec{X: 4, Y: 4, Z: 4})
	if n := mesh.NewHierarchy(s).SelfIntersections(); n != 0 {
		t.Errorf("a box has %d pierced triangles", n)
	}
	other := meshtest.Box(r3.Vec{X: 1.1, Y: 1.2, Z: 3}, r3.Vec{X: 2.1, Y: 2.3, Z: 6})
	n := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, other.Vertices...)
	for _, tr := range other.Triangles {
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{tr.V[0] + n, tr.V[1] + n, tr.V[2] + n}})
	}
	// The second box sticks out of the first one's top: its edges pierce both
	// triangles there, and the diagonal between those pierces two of its sides.
	if got := mesh.NewHierarchy(s).SelfIntersections(); got != 4 {
		t.Errorf("%d triangles are pierced, want 4", got)
	}
}

// The sides of a prism are flat but for rounding: edges in a triangle's plane
// pierce nothing.
func TestFlatWallsPierceNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 20 {
		axis := r3.Unit(r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()})
		s := meshtest.Tube(r3.Vec{}, r3.Scale(10, axis), 1, 40, 30, false)
		for i, v := range s.Vertices {
			s.Vertices[i] = r3.Vec{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}
		}
		if n := mesh.NewHierarchy(s).SelfIntersections(); n != 0 {
			t.Fatalf("a prism along %v has %d pierced triangles", axis, n)
		}
	}
}
