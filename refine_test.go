package carina

import (
	"math"
	"strings"
	"testing"
)

func levelsOf(drops ...float64) []Level {
	var list []Level
	spacing := 1e-3
	for i, d := range drops {
		list = append(list, Level{Spacing: spacing, PressureDrop: d, inflow: 2e-4, Shares: []float64{0, 0.3 + 0.01*float64(i*i), 0.7 - 0.01*float64(i*i)}, ShareErrors: make([]float64, 3)})
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
