package meshtest

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// Shapes are closed, wound outwards, and have nearly the volumes of what they
// stand for.
func TestVolumesOfShapes(t *testing.T) {
	for name, c := range map[string]struct {
		s    *mesh.Mesh
		want float64
	}{
		"box":    {Box(r3.Vec{X: 1, Y: 2, Z: 3}, r3.Vec{X: 3, Y: 5, Z: 7}), 2 * 3 * 4},
		"sphere": {Sphere(r3.Vec{X: 5}, 2, 60), 4. / 3 * math.Pi * 8},
		"tube":   {Tube(r3.Vec{Z: 1}, r3.Vec{X: 2, Y: 3, Z: 7}, 0.5, 120, 3, false), math.Pi / 4 * 7},
		"cubes":  {Cubes([3]int{3, 2, 1}, map[[3]int]bool{{0, 0, 0}: true, {1, 0, 0}: true, {2, 1, 0}: true}), 3},
		"parts":  {Divided(Box(r3.Vec{}, r3.Vec{X: 1, Y: 1, Z: 1}), false), 1},
	} {
		if v := c.s.Volume(); math.Abs(v-c.want) > 0.004*c.want || len(mesh.BoundaryEdges(c.s)) > 0 {
			t.Errorf("%s: volume %g, want %g, with %d open edges", name, v, c.want, len(mesh.BoundaryEdges(c.s)))
		}
	}
	if open := Tube(r3.Vec{}, r3.Vec{X: 1}, 1, 30, 3, true); len(mesh.BoundaryEdges(open)) != 2*30 {
		t.Errorf("an open tube has %d open edges, want 60", len(mesh.BoundaryEdges(open)))
	}
}

// A rough mesh's vertices have moved by a share of the least height of their
// triangles, in the mean of the squares along each axis, whatever its scale.
func TestRoughenMovesByAShareOfHeights(t *testing.T) {
	const share = 0.05
	for _, scale := range []float64{1, 1e-3} {
		// Two rows of triangles with legs of 4 and 1: the height on the longest
		// side is 4/√17.
		strip := &mesh.Mesh{}
		const n = 3000
		for i := range int32(n) {
			strip.Vertices = append(strip.Vertices, r3.Vec{X: 4 * scale * float64(i)}, r3.Vec{X: 4 * scale * float64(i), Y: scale})
			if i > 0 {
				strip.Triangles = append(strip.Triangles, mesh.Triangle{V: [3]int32{2*i - 2, 2 * i, 2*i + 1}}, mesh.Triangle{V: [3]int32{2*i - 2, 2*i + 1, 2*i - 1}})
			}
		}
		before := append([]r3.Vec(nil), strip.Vertices...)
		Roughen(strip, share, rand.New(rand.NewPCG(3, 4)))
		var sum float64
		for i, v := range strip.Vertices {
			sum += r3.Norm2(r3.Sub(v, before[i])) / 3
		}
		want := share * scale * 4 / math.Sqrt(17)
		if got := math.Sqrt(sum / float64(len(before))); math.Abs(got-want) > 0.03*want {
			t.Errorf("scale %g: vertices have moved by %g, want %g", scale, got, want)
		}
	}
}

// A worn mesh keeps its volume and lies along no axis: it is wider than twice its
// radius along all of them.
func TestWornTurns(t *testing.T) {
	s := Tube(r3.Vec{}, r3.Vec{X: 10}, 1, 60, 20, false)
	want := s.Volume()
	Worn(s, 7)
	low, high := s.Bounds()
	size := r3.Sub(high, low)
	if v := s.Volume(); math.Abs(v-want) > 0.01*want || min(size.X, size.Y, size.Z) < 2.5 {
		t.Errorf("volume %g of %g, size %v", v, want, size)
	}
}
