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
