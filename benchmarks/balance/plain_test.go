package balancebench

import (
	"testing"
	"time"
)

func TestTimingGoesOnUntilTheShortestTimeIsMetAgain(t *testing.T) {
	const all = time.Hour
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
		"alone, but long after the limit": {[]float64{1.3, 1, 1.2, 1.3}, now.Add(-10 * all), false},
	} {
		if got := unsettled(c.times, c.start, all); got != c.unsettled {
			t.Errorf("%s: unsettled = %v, want %v", name, got, c.unsettled)
		}
	}
}
