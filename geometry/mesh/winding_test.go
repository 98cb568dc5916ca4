package mesh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
)

// The dipoles change the winding number of a closed surface little against
// the sum of all solid angles.
func TestWindingField(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, s := range map[string]*mesh.Mesh{
		"sphere":    meshtest.Sphere(r3.Vec{X: 3}, 1, 30),
		"tube":      meshtest.Tube(r3.Vec{}, r3.Vec{X: 4, Y: 5, Z: 6}, 1, 30, 60, false),
		"open tube": meshtest.Tube(r3.Vec{}, r3.Vec{X: 4, Y: 5, Z: 6}, 1, 30, 60, true),
	} {
		w := mesh.NewWindingField(s)
		low, high := s.Bounds()
		for range 300 {
			p := r3.Vec{
				X: low.X - 0.2 + (high.X-low.X+0.4)*rng.Float64(),
				Y: low.Y - 0.2 + (high.Y-low.Y+0.4)*rng.Float64(),
				Z: low.Z - 0.2 + (high.Z-low.Z+0.4)*rng.Float64(),
			}
			var want float64
			for i := range s.Triangles {
				want += s.SolidAngle(int32(i), p) / (4 * math.Pi)
			}
			if got := w.At(p); math.Abs(got-want) > 0.03 {
				t.Fatalf("%s at %v: %g, want %g", name, p, got, want)
			}
		}
	}
}
