package rebalance

import (
	"math"
	"slices"
	"testing"
)

// The mean of parts is the time of all steps over how many there are, whatever the parts
// are cut into, and a short part hardly changes it or what is known of its error.
func TestMeanWeighsPartsBySteps(t *testing.T) {
	for _, c := range []struct {
		parts        []Part
		mean, spread float64
	}{
		{[]Part{{2, 7}}, 2, 0},
		{[]Part{{1, 10}, {3, 10}}, 2, math.Sqrt2 / 2},
		{[]Part{{1, 30}, {5, 10}}, 2, math.Sqrt(1200./(1600-1000)) * 2 / 2},
		{[]Part{{0, 5}, {0, 1}}, 0, 0},
	} {
		if mean, spread := Mean(c.parts); math.Abs(mean-c.mean) > 1e-12 || math.Abs(spread-c.spread) > 1e-12 {
			t.Errorf("%v: %g with an error of %g, want %g and %g", c.parts, mean, spread, c.mean, c.spread)
		}
	}
	even := []Part{{1, 100}, {1.1, 100}, {0.9, 100}, {1.05, 100}, {0.95, 100}}
	mean, spread := Mean(even)
	with, wider := Mean(append(slices.Clone(even), Part{4, 1}))
	if with > 1.01*mean || wider > 2.5*spread {
		t.Errorf("one step of 501 makes a mean of %g with an error of %g one of %g with %g", mean, spread, with, wider)
	}
}
