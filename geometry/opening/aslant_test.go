package opening

import (
	"math"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// sheared is a round tube along z, 1 in radius, open at both ends, whose upper one is cut
// at an angle.
func sheared(angle, length float64, n int) *mesh.Mesh {
	s := meshtest.Tube(r3.Vec{}, r3.Vec{Z: length}, 1, n, 12, true)
	for i, v := range s.Vertices {
		s.Vertices[i].Z += v.X * math.Tan(angle) * math.Pow(v.Z/length, 8)
	}
	return s
}

// Open ends are told whatever the angle at which they are cut and the number of segments.
func TestOpenEndsCutAslant(t *testing.T) {
	race.SkipArithmetic(t)
	for _, length := range []float64{4, 6, 12} {
		for _, n := range []int{8, 12, 16, 32, 64} {
			for _, degrees := range []float64{0, 20, 35, 40, 50, 60} {
				s := sheared(degrees*math.Pi/180, length, n)
				var caps []Patch
				for _, loop := range mesh.BoundaryLoops(s) {
					caps = append(caps, Patch{Triangles: mesh.CapLoop(s, loop, 0), Loop: loop})
				}
				found := NewFinder(mesh.NewHierarchy(s), mesh.NewTopology(s)).Ends(PartNotches(s, caps))
				if found.Opened != 2 || len(found.Holes) != 0 {
					t.Errorf("%g radii long, %d segments, %g°: %d open ends and %d holes", length, n, degrees, found.Opened, len(found.Holes))
				}
			}
		}
	}
}
