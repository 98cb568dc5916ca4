package geometry

import (
	"math"
	"strings"
	"testing"

	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// A branch that is pinched shut behind its end is said, and how far behind.
func TestPinchedBranch(t *testing.T) {
	for _, left := range []float64{0.1, 0.6, 1} {
		s := tubeSurface(r3.Vec{}, r3.Vec{Z: 40e-3}, 2e-3, 32, 160, false)
		for i, v := range s.Vertices {
			// A waist 5 mm behind the end at the origin.
			narrow := 1 - (1-left)*math.Exp(-math.Pow((v.Z-5e-3)/1e-3, 2))
			s.Vertices[i].X, s.Vertices[i].Y = v.X*narrow, v.Y*narrow
		}
		p, err := Prepare(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Openings) != 2 || len(p.Evidence) != 2 {
			t.Fatalf("%d openings, %d pieces of evidence, want 2", len(p.Openings), len(p.Evidence))
		}
		for i, o := range p.Openings {
			e, want := p.Evidence[i], left*left
			if o.Center.Z > 1e-3 {
				want = 1
			}
			if e.Number != o.Number || math.Abs(e.Narrowest-want) > 0.03 || want < 1 && math.Abs(e.NarrowestAt-5e-3) > 0.3e-3 {
				t.Errorf("waist of %g: opening at %v: %+v", left, o.Center, e)
			}
			if e.Sure < 0.95 {
				t.Errorf("waist of %g: an end of a tube is only %g sure", left, e.Sure)
			}
		}
		if said := len(p.Warnings) > 0 && strings.Contains(p.Warnings[0], "pinched"); said != (left < 0.3) {
			t.Errorf("waist of %g: warnings %q", left, p.Warnings)
		}
	}
}

// Outlet 8 of the central airway is pinched 5 mm behind its end, and no other.
func TestPinchedOutletOfCentralAirway(t *testing.T) {
	race.SkipArithmetic(t)
	s, err := ReadSurface(shared(t, "airway-central-mm.stl"), UnknownUnit)
	if err != nil {
		t.Fatal(err)
	}
	for _, drop := range [][]int{nil, {5}} {
		p, err := Prepare(s, Options{DropOpenings: drop})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Evidence {
			if e.Pinched() != (e.Number == 8) {
				t.Errorf("%d dropped: %+v", drop, e)
			}
		}
	}
}
