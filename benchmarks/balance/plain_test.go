package balancebench

import (
	"slices"
	"testing"
	"time"

	"carina/balance"
)

func TestTimingGoesOnUntilTheShortestTimeIsMetAgain(t *testing.T) {
	const all = time.Second
	now := time.Now()
	for name, c := range map[string]struct {
		times     []float64
		start     time.Time
		unsettled bool
	}{
		"the shortest stands alone":       {[]float64{1.3, 1, 1.2, 1.3}, now, true},
		"three near the shortest":         {[]float64{1.3, 1, 1.01, 1.015}, now, false},
		"equally long":                    {[]float64{1, 1, 1}, now, false},
		"too few":                         {[]float64{1, 1}, now, true},
		"alone, but long after the limit": {[]float64{1.3, 1, 1.2, 1.3}, now.Add(-time.Minute), false},
	} {
		if got := unsettled(c.times, c.start, all); got != c.unsettled {
			t.Errorf("%s: unsettled = %v, want %v", name, got, c.unsettled)
		}
	}
}

// TestPackingIsFoundByCellsHeld measures it, at two sizes, and looks where it is
// noted.
func TestPackingIsFoundByCellsHeld(t *testing.T) {
	s := new(shapes)
	for _, layout := range []balance.Layout{balance.Sparse, balance.Dense} {
		start := balance.DefaultCost(layout)
		cost := start
		cost.Held = []balance.Held{{Cells: 500, Factor: 1, Empty: 1}, {Cells: 4000, Factor: 1, Empty: 1}}
		var told []int64
		if err := s.measureCrossings(t.Context(), &cost, time.Millisecond, func(cells int64) { told = append(told, cells) }); err != nil {
			t.Fatal(err)
		}
		if err := cost.Check(); err != nil {
			t.Error(err)
		}
		if !slices.Equal(told, []int64{500, 4000}) {
			t.Errorf("%s: told of ranks of %d cells", layout, told)
		}
		if cost.Packing <= start.Packing || cost.Inside.SecondsPerByte <= start.Inside.SecondsPerByte || cost.Between.SecondsPerByte <= start.Between.SecondsPerByte {
			t.Errorf("%s: packing costs nothing: %+v", layout, cost)
		}
		if cost.Held[1].Packing != 1 || cost.Held[0].Packing <= 0 {
			t.Errorf("%s: factors of packing in %+v", layout, cost.Held)
		}
	}
}
