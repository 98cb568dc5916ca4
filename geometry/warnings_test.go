package geometry

import (
	"strings"
	"testing"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

func TestASurfaceThatShrankIsSaid(t *testing.T) {
	cube := func(side float64) *Surface {
		s := &Surface{}
		for _, v := range [4]r3.Vec{{}, {X: side}, {Y: side}, {Z: side}} {
			s.Vertices = append(s.Vertices, v)
		}
		s.Triangles = []mesh.Triangle{{V: [3]int32{0, 2, 1}}, {V: [3]int32{0, 1, 3}}, {V: [3]int32{0, 3, 2}}, {V: [3]int32{1, 2, 3}}}
		return s
	}
	for _, test := range []struct {
		kept float64
		said bool
	}{{1, false}, {0.95, false}, {0.8, true}} {
		p := &Prepared{Surface: cube(0.1 * test.kept)}
		// Vertices that no triangle uses do not count.
		p.Surface.Vertices = append(p.Surface.Vertices, r3.Vec{X: 1})
		p.warnIfShrunk(cube(0.1))
		if said := strings.Contains(strings.Join(p.Warnings, ""), "100 × 100 × 100 mm to 80 × 80 × 80 mm"); said != test.said || len(p.Warnings) > 1 {
			t.Errorf("with %g of the length: %q", test.kept, p.Warnings)
		}
	}
}
