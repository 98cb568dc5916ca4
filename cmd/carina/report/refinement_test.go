package report

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"carina"
)

// The spacings, and what the flow tends to, stand in the table.
func TestRefinementIsATable(t *testing.T) {
	var levels []carina.Level
	for i := range 3 {
		h := math.Pow(carina.RefinementRatio, float64(i))
		levels = append(levels, carina.Level{Spacing: 1e-3 * h, PressureDrop: 3 + 0.1*h*h, Shares: []float64{0, 0.3, 0.7}, ShareErrors: make([]float64, 3)})
	}
	r, err := carina.NewRefinement(levels, []carina.Opening{{Number: 1, Name: "inlet"}, {Number: 2, Name: "left"}, {Number: 3, Name: "right"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pressure drop 3.00 Pa ±", "observed order 2", "left", "1.4 mm"} {
		if words := refinementWords(r); !strings.Contains(words, want) {
			t.Errorf("%q is not in\n%s", want, words)
		}
	}
}

// A limit that may be of either sign is no range to state, however it was found, and the
// finest spacing's own value stands for it.
func TestUnknownLimits(t *testing.T) {
	for words, e := range map[string]carina.Extrapolated{
		"between 2.80 Pa and 3.20 Pa (no order observed)":                                           {Value: 3, Uncertainty: 0.2, Basis: "no order observed"},
		"not known from these spacings, 3.04 Pa on the finest (no order observed)":                  {Value: 48.7, Uncertainty: 67, Basis: "no order observed"},
		"not known from these spacings, 3.04 Pa on the finest (two spacings, second order assumed)": {Value: 2, Uncertainty: 10.5, Used: 2, Basis: "two spacings, second order assumed"},
		"3.00 Pa ± 200 mPa, 6.7 % (observed order 2)":                                               {Value: 3, Uncertainty: 0.2, Order: 2, Used: 2, Basis: "observed order 2"},
		"300 mPa (no difference between the spacings)":                                              {Value: 0.3, Uncertainty: 5e-17, Basis: "no difference between the spacings"},
	} {
		if got := e.Words(3.04, in("Pa")); got != words {
			t.Errorf("%q, want %q", got, words)
		}
	}
}

// Notes on grids are told once; those on coarser ones say so.
func TestNotesAreToldOnce(t *testing.T) {
	var n Notes
	got := [][]string{
		n.New(&carina.GridReport{SpacingM: 1e-3, Notes: []string{"unit: mm", "openings 4, 5 are coarse"}}),
		n.New(&carina.GridReport{SpacingM: 1.4e-3, Notes: []string{"unit: mm", "openings 3, 4, 5 are coarse"}}),
		n.New(&carina.GridReport{SpacingM: 1e-3, Notes: []string{"unit: mm", "openings 4, 5 are coarse"}}),
	}
	want := [][]string{{"unit: mm", "openings 4, 5 are coarse"}, {"on a spacing of 1.4 mm: openings 3, 4, 5 are coarse"}, nil}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The spacings are told before.
func TestSpacingsAreToldBefore(t *testing.T) {
	c := carina.Case{}
	if words := SpacingsWords(&c, []float64{1.4e-3, 1e-3}); words != "to compute on 2 spacings: 1.4 mm, 1 mm" {
		t.Error(words)
	}
	c.Accuracy = "5%"
	if words := SpacingsWords(&c, []float64{1e-3}); !strings.Contains(words, "at most") {
		t.Error(words)
	}
}

// A share is between none and all.
func TestShareLimits(t *testing.T) {
	for words, e := range map[string]carina.Extrapolated{
		"63.15 ± 1.60 % (b)":             {Value: 0.6315, Uncertainty: 0.016, Basis: "b"},
		"between 0.00 and 2.61 % (b)":    {Value: -0.0048, Uncertainty: 0.0309, Basis: "b"},
		"between 95.00 and 100.00 % (b)": {Value: 1, Uncertainty: 0.05, Basis: "b"},
		"100.00 ± 0.00 % (b)":            {Value: 1, Uncertainty: 1e-7, Basis: "b"},
	} {
		if got := e.ShareWords(); got != words {
			t.Errorf("%q, want %q", got, words)
		}
	}
}

// What an accuracy would cost follows from the order: with the second, half the
// uncertainty takes √2 times as fine a spacing, with the first twice as fine a one.
func TestMissingWords(t *testing.T) {
	levels := []carina.Level{{Spacing: 1e-3, FluidCells: 2e6, Seconds: 3600}, {Spacing: 1.4e-3}, {Spacing: 1.96e-3}}
	of := func(relative, order float64) *carina.Refinement {
		return &carina.Refinement{Levels: levels, PressureDrop: carina.Extrapolated{Value: 3, Uncertainty: 3 * relative, Order: 2.8, Used: order}}
	}
	imposed := of(0, 0)
	imposed.Resistance = carina.Extrapolated{Value: 5, Uncertainty: 1, Used: 2}
	for _, c := range []struct {
		of       *carina.Refinement
		accuracy float64
		want     []string
	}{
		{of(0.1, 2), 0.05, []string{"the pressure drop is known to 10 %, not to 5 %", "about 0.7071 mm", "5.7 million cells", "4 hours"}},
		{of(0.1, 1), 0.05, []string{"about 0.5 mm", "16 million cells", "16 hours"}},
		{of(0.9, 1), 0.09, []string{"about 0.1 mm", "2 billion cells", "417 days"}},
		{of(0.9, 1), 0.001, []string{"out of reach"}},
		{of(5, 1), 0.01, []string{"the pressure drop is not known from these spacings", "choose a smaller spacing"}},
		{of(0.1, 0), 0.05, []string{"compute a longer time"}},
		{imposed, 0.05, []string{"the resistance is known to 20 %", "about 0.5 mm"}},
		{&carina.Refinement{Levels: levels[:2]}, 0.05, []string{"takes three spacings"}},
		{nil, 0.05, []string{"takes three spacings"}},
	} {
		words := MissingWords(c.of, c.accuracy)
		for _, want := range c.want {
			if !strings.Contains(words, want) {
				t.Errorf("%q is not in %q", want, words)
			}
		}
	}
}
