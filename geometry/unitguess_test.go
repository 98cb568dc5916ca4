package geometry

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// Tubes as long, as wide and written in the units that surfaces of these kinds
// are found in.
func TestUnitsOfKnownThings(t *testing.T) {
	for _, test := range []struct {
		name          string
		length, width float64 // in mm
		unit          Unit
		certainty     Certainty
		rivals        []Unit
	}{
		{"trachea in mm", 110, 18, Millimetre, Sure, nil},
		{"trachea in m", 110, 18, Metre, Sure, nil},
		{"trachea in cm", 110, 18, Centimetre, Doubtful, []Unit{Centimetre}},
		{"aorta in cm", 350, 28, Centimetre, Doubtful, []Unit{Centimetre}},
		{"aneurysm in cm", 210, 52, Centimetre, Doubtful, []Unit{Centimetre}},
		{"aneurysm in mm", 210, 52, Millimetre, Sure, nil},
		{"left atrium in cm", 100, 40, Centimetre, Doubtful, []Unit{Centimetre}},
		{"carotid artery in mm", 60, 5, Millimetre, Likely, nil},
		{"cerebral vessel in mm", 35, 4, Millimetre, Likely, nil},
		{"bronchus in mm", 30, 8, Millimetre, Sure, nil},
		{"bronchus in cm", 12, 4, Centimetre, Doubtful, []Unit{Centimetre}},
		{"trachea in inches", 110, 18, Inch, Doubtful, []Unit{Inch, Centimetre}},
		{"short trachea in inches", 70, 18, Inch, Doubtful, []Unit{Inch}},
		{"aorta in inches", 350, 28, Inch, Doubtful, []Unit{Inch}},
		{"bronchus in inches", 30, 8, Inch, Doubtful, []Unit{Inch}},
		{"short bronchus in inches", 12, 4, Inch, Doubtful, []Unit{Inch}},
		{"carotid artery in inches", 60, 5, Inch, Doubtful, []Unit{Inch}},
		{"airway in m", 330, 18, Metre, Sure, nil},
		{"micro-CT in um", 6, 1, Micrometre, Sure, nil},
		{"wind tunnel in mm", 1500, 300, Millimetre, Likely, nil},
		{"car in m", 2060, 700, Metre, Doubtful, []Unit{Metre}},
	} {
		s := tubeSurface(r3.Vec{}, r3.Vec{Z: test.length * 1e-3}, test.width/2*1e-3, 24, 20, false)
		for i := range s.Vertices {
			s.Vertices[i] = r3.Scale(1/float64(test.unit), s.Vertices[i])
		}
		s.GuessUnit(1)
		p, err := Prepare(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := WeighUnit(s, p)
		refused := g.Refuse(s) != nil
		if g.Certainty != test.certainty || refused != (test.certainty == Doubtful) {
			t.Errorf("%s: %s, %s (%s), refused %v; want %s", test.name, g.Unit, g.Certainty, g.Reason, refused, test.certainty)
		}
		for _, rival := range test.rivals {
			if !slices.Contains(g.Others, rival) {
				t.Errorf("%s: the others are %v, want %s among them", test.name, g.Others, rival)
			}
		}
		if test.certainty != Doubtful && math.Abs(s.longestSide()-test.length*1e-3) > 1e-6 {
			t.Errorf("%s: taken for %g m", test.name, s.longestSide())
		}
	}
}

// A unit that is written is the same when it is read, whatever was multiplied into it.
func TestUnitsAreReadBack(t *testing.T) {
	for unit, want := range map[Unit]string{Millimetre: "mm", 50e-6: "50 µm", 1.234567e-3: "", 1e-3 / 3: "", 12.5: "", 3.3e-9: "", Inch * 1.00001: ""} {
		text := unit.String()
		back, err := ParseUnit(text)
		if err != nil || math.Abs(float64(back/unit)-1) > 1e-12 || want != "" && text != want {
			t.Errorf("%g is written as %q and read as %g (%v)", float64(unit), text, float64(back), err)
		}
	}
}
