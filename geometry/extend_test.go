package geometry

import (
	"math"
	"testing"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

func TestExtendOpenings(t *testing.T) {
	axis := r3.Unit(r3.Vec{X: 1, Y: 2, Z: 2})
	s := tubeSurface(r3.Vec{}, r3.Scale(9, axis), 1, 40, 20, false)
	p, err := Prepare(s, Options{ExtendDiameters: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(mesh.BoundaryEdges(&p.Surface.Mesh)) > 0 {
		t.Fatal("the lengthened surface is not closed")
	}
	// Two diameters of the disc with the area of the 40-sided end, at both.
	section := 20 * math.Sin(2*math.Pi/40)
	length := 9 + 2*2*2*math.Sqrt(section/math.Pi)
	if math.Abs(p.Volume-section*length) > 1e-6 {
		t.Errorf("volume %g, want %g", p.Volume, section*length)
	}
	for _, o := range p.Openings {
		if math.Abs(o.Area-section) > 1e-9 {
			t.Errorf("opening %d has area %g, want %g", o.Number, o.Area, section)
		}
	}
	if d := r3.Norm(r3.Sub(p.Openings[0].Center, p.Openings[1].Center)); math.Abs(d-length) > 1e-9 {
		t.Errorf("the openings are %g apart, want %g", d, length)
	}
	if len(p.Warnings) > 0 {
		t.Errorf("warnings %v for a straight tube", p.Warnings)
	}
	g := mustVoxelize(t, s, Options{Spacing: 0.1, ExtendDiameters: 2})
	if lost := g.lostOpenings(make([]bool, len(g.Openings)+1)); len(lost) > 0 {
		t.Errorf("openings %v are lost", lost)
	}
}
