package geometry

import (
	"math"
	"strings"
	"testing"

	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// Where nothing tells which faces of a body are ends, that is said, and a disc on a
// face makes it an opening, whole and without a cut.
func TestFacesCanBeNamed(t *testing.T) {
	race.SkipArithmetic(t)
	for _, size := range []r3.Vec{{X: 10e-3, Y: 10e-3, Z: 20e-3}, {X: 10e-3, Y: 10e-3, Z: 10e-3}, {X: 10e-3, Y: 8e-3, Z: 5e-3}} {
		s := boxSurface(r3.Vec{}, size)
		for range 2 {
			d, err := Diagnose(s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Openings) != 0 || !strings.Contains(strings.Join(d.Warnings, " "), "6 flat faces") {
				t.Fatalf("%v: %d openings, warnings %v", size, len(d.Openings), d.Warnings)
			}
			low := Disc{Name: "low", Center: r3.Vec{X: size.X / 2, Y: size.Y / 2}, Radius: 4e-3}
			high := Disc{Name: "high", Center: r3.Vec{X: size.X / 2, Y: size.Y / 2, Z: size.Z}, Radius: 4e-3}
			p, err := Prepare(s, Options{Openings: []Disc{low, high}})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Openings) != 2 || math.Abs(p.Volume/(size.X*size.Y*size.Z)-1) > 1e-9 {
				t.Fatalf("%v: volume %g, openings %+v", size, p.Volume, p.Openings)
			}
			for _, o := range p.Openings {
				if math.Abs(o.Area/(size.X*size.Y)-1) > 1e-9 || math.Abs(o.Normal.Z) < 1-1e-9 || (o.Name == "high") != (o.Normal.Z > 0) {
					t.Errorf("%v: opening %+v", size, o)
				}
			}
			s = divided(s, false)
		}
	}
}
