package yardstick

import (
	"testing"
	"time"
)

func TestExceeds(t *testing.T) {
	for name, c := range map[string]struct {
		yard, work []time.Duration // of each time; the last goes on
		want       bool
		works      int // how often work is done
	}{
		"soon":                     {[]time.Duration{2}, []time.Duration{10}, false, 1},
		"too long":                 {[]time.Duration{2}, []time.Duration{11}, true, 3},
		"disturbed once":           {[]time.Duration{2}, []time.Duration{99, 7}, false, 2},
		"on a machine that slowed": {[]time.Duration{2, 20}, []time.Duration{99}, false, 2},
		"where no time is told":    {[]time.Duration{0}, []time.Duration{0}, false, 1},
	} {
		var now time.Duration
		takes := func(list *[]time.Duration, done *int) func() {
			return func() {
				now += (*list)[0]
				*done++
				if len(*list) > 1 {
					*list = (*list)[1:]
				}
			}
		}
		yards, works := 0, 0
		y := New(takes(&c.yard, &yards))
		y.clock = func() time.Duration { return now }
		if got := y.Exceeds(5, takes(&c.work, &works)); got != c.want || works != c.works || yards != works {
			t.Errorf("%s: %v after %d tries and %d of the yardstick, want %v after %d", name, got, works, yards, c.want, c.works)
		}
	}
}

func TestAYardstickIsMeasuredOnce(t *testing.T) {
	now, yards := time.Duration(0), 0
	y := New(func() { now, yards = now+1, yards+1 })
	y.clock = func() time.Duration { return now }
	for range 4 {
		if y.Exceeds(1, func() { now++ }) {
			t.Error("as long as the yardstick is too long")
		}
	}
	if yards != 1 {
		t.Errorf("it was measured %d times", yards)
	}
}
