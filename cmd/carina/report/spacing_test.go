package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"carina"
	"carina/geometry"
)

// A limit is met by the spacing that is asked for: by a finer one where there is time, by the
// usual one as long as the air is exchanged once, and by a coarser one else.
func TestSpacingWithinALimit(t *testing.T) {
	const usual = 0.63e-3
	for _, c := range []struct {
		name    string
		spacing float64
		most    int64 // steps in the limit at that spacing
		want    float64
	}{
		{"just right", usual, 3200, usual},
		{"too short for three exchanges", usual, 2000, usual},
		{"just one exchange", usual, 1000, usual},
		{"a sixteenth of one exchange", usual, 62, 2 * usual},
		{"sixteen times as long", usual, 48000, usual / 2},
		{"too fine by sixteen", usual / 2, 188, usual},
		{"too fine by a hundred", usual / 2, 30, usual},
		{"finer, and fits", usual / 2, 3300, usual / 2},
	} {
		n := &NewCase{Spacing: c.spacing, Plans: []carina.Plan{{Least: 1000, Usual: 3000, Most: 10000}}}
		if got := n.better(c.most, usual); math.Abs(got/c.want-1) > 0.04 {
			t.Errorf("%s: %g mm, want %g", c.name, got*1e3, c.want*1e3)
		}
	}
}

// What a limit and closed ends cost is said.
func TestWordsOfALimit(t *testing.T) {
	n := &NewCase{Spacing: 0.8e-3, Updates: 1e7, Plans: []carina.Plan{{Cells: 1000, TimeStep: 1e-4, Least: 1000, Usual: 3000, Most: 10000, PressureDrops: "far too high"}}}
	n.limit(900, 1500)
	n.close([]geometry.LostOpening{{Number: 2}, {Number: 26}}, []carina.ConditionCase{{Opening: "2", Share: 0.25}, {Opening: "26", Share: 0.05}, {Opening: "3", Share: 0.7}})
	said := strings.Join(n.Notes, "\n")
	for _, want := range []string{"at most 15 minutes", "150 ms of flow, 1.5 exchanges", "may not be steady", "far too high", "openings 2, 26", "30.0 %"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said in\n%s", want, said)
		}
	}
	if math.Abs(n.Time-0.15) > 1e-12 || !slices.Equal(n.Closed, []int{2, 26}) {
		t.Errorf("%g s, closed %v", n.Time, n.Closed)
	}
	whole := &NewCase{Spacing: 0.8e-3, Plans: n.Plans}
	if whole.limit(900, 5000); math.Abs(whole.Time-0.3) > 1e-12 || strings.Contains(whole.Notes[0], "steady") {
		t.Errorf("%g s: %s", whole.Time, whole.Notes[0])
	}
}
