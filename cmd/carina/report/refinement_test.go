package report

import (
	"math"
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

// A limit that may be of either sign is no range to state.
func TestUnknownLimits(t *testing.T) {
	for words, e := range map[string]carina.Extrapolated{
		"between 2.80 Pa and 3.20 Pa (no order observed)":                          {Value: 3, Uncertainty: 0.2, Basis: "no order observed"},
		"not known from these spacings, 48.7 Pa on the finest (no order observed)": {Value: 48.7, Uncertainty: 67, Basis: "no order observed"},
	} {
		if got := limitWords(&e, "Pa"); got != words {
			t.Errorf("%q, want %q", got, words)
		}
	}
}
