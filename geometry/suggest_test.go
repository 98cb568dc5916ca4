package geometry

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// A long ellipsoid has no flat ends; it can be cut near both tips.
func TestSuggestOpenings(t *testing.T) {
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
	d, err := Diagnose(boxSurface(r3.Vec{}, r3.Vec{X: 1, Y: 1, Z: 1}), Options{})
	if err != nil || len(d.Suggested) != 0 || len(d.Openings) != 0 {
		t.Errorf("error %v, openings %v, suggestions %v; want none", err, d.Openings, d.Suggested)
	}
}

// On a segmented airway the suggestions can be used as they are.
func TestSuggestOpeningsOfSegmentedAirway(t *testing.T) {
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
	if len(q.Openings) != len(discs) || len(filled.LostOpenings) > 0 || q.Volume < 0.9*p.Volume {
		t.Errorf("%d openings of %d, lost %v, volume %g of the whole", len(q.Openings), len(discs), filled.LostOpenings, q.Volume/p.Volume)
	}
}

// checkSuggestedEnds checks that most ends are suggested, each once and two radii
// away at most, and the trachea first.
func checkSuggestedEnds(t *testing.T, discs []Disc, ends []Opening) {
	t.Helper()
	seen := map[int]bool{}
	for k, d := range discs {
		for i, o := range ends {
			if r3.Norm(r3.Sub(d.Center, o.Center)) < 2*math.Sqrt(o.Area/math.Pi) {
				if seen[i] || k == 0 && (i != 0 || d.Name != "inlet") {
					t.Errorf("suggestion %d, %v, is at end %d", k, &d, i)
				}
				seen[i] = true
			}
		}
	}
	if len(seen) != len(discs) || 2*len(discs) <= len(ends) {
		t.Errorf("%d suggestions near %d of %d ends", len(discs), len(seen), len(ends))
	}
}
