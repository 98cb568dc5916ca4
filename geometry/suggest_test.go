package geometry

import (
	"context"
	"math"
	"slices"
	"testing"

	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// A long ellipsoid has no flat ends; it can be cut near both tips.
func TestSuggestOpenings(t *testing.T) {
	race.SkipArithmetic(t)
	s := sphereSurface(r3.Vec{}, 1, 40)
	for i := range s.Vertices {
		s.Vertices[i].Z *= 15
	}
	p, err := Prepare(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	discs, err := SuggestOpenings(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(discs) != 2 || discs[0].Center.Z*discs[1].Center.Z > 0 {
		t.Fatalf("suggested %v, want one near each tip", discs)
	}
	for _, d := range discs {
		if z := math.Abs(d.Center.Z); z < 8 || z > 15 {
			t.Errorf("suggested %v, want it near a tip", &d)
		}
	}
	cut, err := Prepare(s, Options{Openings: discs})
	if err != nil || len(cut.Openings) != 2 {
		t.Errorf("error %v, want two openings", err)
	}
}

func TestSuggestNothingInACube(t *testing.T) {
	race.SkipArithmetic(t)
	d, err := Diagnose(boxSurface(r3.Vec{}, r3.Vec{X: 1, Y: 1, Z: 1}), Options{})
	if err != nil || len(d.Suggested) != 0 || len(d.Openings) != 0 {
		t.Errorf("error %v, openings %v, suggestions %v; want none", err, d.Openings, d.Suggested)
	}
}

// On a segmented airway the suggestions can be used as they are.
func TestSuggestOpeningsOfSegmentedAirway(t *testing.T) {
	race.SkipArithmetic(t)
	onAirways(t, "airway-ct-mm.stl", true, checkSuggested)
}

func checkSuggested(t *testing.T, s *Surface, ends []Opening) {
	p, err := Prepare(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	discs, err := SuggestOpenings(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d suggestions", len(discs))
	// The shared airway's trachea is at the top (z near -8 mm).
	if ends == nil && (len(discs) < 20 || discs[0].Name != "inlet" || discs[0].Center.Z < -40e-3) {
		t.Fatalf("%d suggestions, the first is %v", len(discs), &discs[0])
	}
	if ends != nil {
		checkSuggestedEnds(t, discs, ends)
	}
	q, err := Prepare(s, Options{Openings: discs})
	if err != nil {
		t.Fatal(err)
	}
	_, filled, err := VoxelizePrepared(context.Background(), q, Options{Spacing: 0.4e-3})
	if err != nil {
		t.Fatal(err)
	}
	least := 0.9
	if ends != nil {
		least = 0.85 // its branches are short
	}
	if len(q.Openings) != len(discs) || len(filled.LostOpenings) > 0 || q.Volume < least*p.Volume {
		t.Errorf("%d openings of %d, lost %v, volume %g of the whole", len(q.Openings), len(discs), filled.LostOpenings, q.Volume/p.Volume)
	}
}

// checkSuggestedEnds checks that every end is suggested once, two and a half of
// its radii away at most, and the trachea first.
func checkSuggestedEnds(t *testing.T, discs []Disc, ends []Opening) {
	t.Helper()
	near := make([]int, len(ends))
	for k, d := range discs {
		for i, o := range ends {
			if r3.Norm(r3.Sub(d.Center, o.Center)) < 2.5*math.Sqrt(o.Area/math.Pi) {
				near[i]++
				if k == 0 && (i != 0 || d.Name != "inlet") {
					t.Errorf("suggestion %d, %v, is at end %d", k, &d, i)
				}
			}
		}
	}
	if len(discs) != len(ends) || slices.Max(near) > 1 || slices.Min(near) < 1 {
		t.Errorf("%d suggestions for %d ends, so many near each: %d", len(discs), len(ends), near)
	}
}

// All ends of generated airways that are round and worn are suggested, and can be
// cut there. Where siblings part less than a radius before their tips, as in
// the third generation of Weibel's model, nothing tells them from a bulge: half of
// those are found.
func TestSuggestOpeningsOfGeneratedAirways(t *testing.T) {
	race.SkipArithmetic(t)
	for _, test := range []struct {
		weibel            bool
		generations, ends int
		seed              uint64
	}{
		{true, 2, 5, 2}, {true, 3, 5, 1}, {true, 4, 17, 3},
		{false, 2, 5, 5}, {false, 3, 9, 4}, {false, 4, 17, 6}, {false, 5, 33, 5},
	} {
		named, ends := RoundAirway(t, test.weibel, test.generations, test.seed)
		s := unnamed(named)
		p, err := Prepare(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		discs, err := SuggestOpenings(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(ends) == test.ends {
			checkSuggestedEnds(t, discs, ends)
		}
		q, err := Prepare(s, Options{Openings: discs})
		if err != nil || len(discs) != test.ends || len(q.Openings) != test.ends {
			t.Errorf("%+v: error %v, %d suggestions", test, err, len(discs))
		}
	}
}
