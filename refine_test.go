package carina

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func levelsOf(drops ...float64) []Level {
	var list []Level
	spacing := 1e-3
	for i, d := range drops {
		list = append(list, Level{Spacing: spacing, PressureDrop: d, Inflow: 2e-4, Shares: []float64{0, 0.3 + 0.01*float64(i*i), 0.7 - 0.01*float64(i*i)}, ShareErrors: make([]float64, 3)})
		spacing *= RefinementRatio
	}
	return list
}

var threeOpenings = []Opening{{Number: 1, Name: "inlet"}, {Number: 2, Name: "left"}, {Number: 3, Name: "right"}}

// A pressure drop of second order is extrapolated, with the resistance.
func TestRefinement(t *testing.T) {
	h := []float64{1, 1.4 * 1.4, math.Pow(1.4, 4)}
	r, err := NewRefinement(levelsOf(3+0.1*h[0], 3+0.1*h[1], 3+0.1*h[2]), threeOpenings)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.PressureDrop.Value-3) > 1e-9 || math.Abs(r.PressureDrop.Order-2) > 1e-6 || math.Abs(r.Resistance.Value-15000) > 1e-5 {
		t.Errorf("%+v", r)
	}
	if len(r.Shares) != 2 || r.Shares[0].Number != 2 || math.Abs(r.Shares[0].Value+r.Shares[1].Value-1) > 1e-9 {
		t.Errorf("shares %+v", r.Shares)
	}
	if !strings.Contains(r.PressureDrop.Basis, "observed order 2") {
		t.Errorf("it is found by %q", r.PressureDrop.Basis)
	}
}

// A spacing that closes other openings is another flow: it is said and does not count.
func TestRefinementOverTheSameOpenings(t *testing.T) {
	levels := levelsOf(3.1, 3.2, 9)
	levels[2].Closed = []int{3}
	r, err := NewRefinement(levels, threeOpenings)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "opening 3 meets no cell") || r.PressureDrop.Value > 3.2 || !strings.Contains(r.PressureDrop.Basis, "two spacings") {
		t.Errorf("%+v", r)
	}
	levels[1].Closed = []int{2, 3}
	if _, err := NewRefinement(levels, threeOpenings); err == nil || !strings.Contains(err.Error(), "openings 2, 3 meet no cell") {
		t.Errorf("error %v", err)
	}
}

// Where pressures are imposed, the resistance is extrapolated from what flows on each
// spacing, by itself: its limit is that of the second order that the levels are made of,
// and an accuracy is judged on it. The same comes back from JSON.
func TestRefinementOfImposedPressures(t *testing.T) {
	const drop, resistance, slope = 0.3, 5000., 800.
	levels := levelsOf(drop, drop, drop)
	for i := range levels {
		h := levels[i].Spacing / levels[0].Spacing
		levels[i].Inflow = drop / (resistance + slope*h*h)
	}
	data, err := json.Marshal(levels)
	if err != nil {
		t.Fatal(err)
	}
	var read []Level
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]Level{levels, read} {
		r, err := NewRefinement(list, threeOpenings)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Resistance.Value-resistance) > 1e-6*resistance || math.Abs(r.Resistance.Order-2) > 1e-6 || r.PressureDrop.Relative() > 1e-9 {
			t.Errorf("%+v", r)
		}
		if name, _ := r.LeastKnown(); name != "resistance" || r.Reaches(0.1) || !r.Reaches(0.21) { // 1.25 × 800 / 5000 is 0.2
			t.Errorf("%s is known least, to %g", name, r.Resistance.Relative())
		}
	}
}

// An accuracy takes three spacings that count.
func TestReachingTakesThreeSpacings(t *testing.T) {
	levels := levelsOf(3, 3.0001, 3.0002)
	r, err := NewRefinement(levels, threeOpenings)
	if err != nil || !r.Reaches(0.01) {
		t.Fatalf("%+v, %v", r, err)
	}
	levels[2].Closed = []int{3}
	if r, err = NewRefinement(levels, threeOpenings); err != nil || r.Reaches(0.01) || r.Enough() || len(r.Counted()) != 2 {
		t.Errorf("two of three count: %+v, %v", r, err)
	}
	if (*Refinement)(nil).Reaches(0.5) {
		t.Error("nothing reaches an accuracy")
	}
}

// What makes no refinement is an error that says why.
func TestWrongLevels(t *testing.T) {
	short := levelsOf(3, 3.1, 3.2)
	short[1].Shares = short[1].Shares[:1]
	negative := levelsOf(3, 3.1, 3.2)
	negative[2].Inflow = -1
	unsorted := levelsOf(3, 3.1, 3.2)
	unsorted[0], unsorted[2] = unsorted[2], unsorted[0]
	for want, levels := range map[string][]Level{
		"give the levels": nil, "1 share": short, "the inflow is -1": negative, "too alike": unsorted, "one spacing": levelsOf(3),
	} {
		if r, err := NewRefinement(levels, threeOpenings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %+v, %v", want, r, err)
		}
	}
	// Without inflows there is no resistance.
	still := levelsOf(3, 3.1, 3.2)
	for i := range still {
		still[i].Inflow = 0
	}
	if r, err := NewRefinement(still, nil); err != nil || r.Resistance.Value != 0 || len(r.Shares) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
