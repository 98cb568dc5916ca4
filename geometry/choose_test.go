package geometry

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// Openings in one plane are merged; of others it is said how they lie to each
// other.
func TestMergeNeedsOnePlane(t *testing.T) {
	sin, cos := math.Sincos(40 * math.Pi / 180)
	for _, test := range []struct {
		normal, center r3.Vec
		says           string
	}{
		{r3.Vec{Z: 1}, r3.Vec{X: 5e-3}, ""},
		{r3.Vec{Z: 1}, r3.Vec{X: 5e-3, Z: 4e-3}, "lie 4 mm one before the other"},
		{r3.Vec{X: sin, Z: cos}, r3.Vec{X: 5e-3}, "are turned by 40° against each other"},
		{r3.Vec{Z: -1}, r3.Vec{X: 5e-3}, "are turned by 180° against each other"},
	} {
		p := &Prepared{Openings: []Opening{
			{Number: 1, Center: r3.Vec{}, Normal: r3.Vec{Z: 1}, Area: 20e-6},
			{Number: 2, Center: test.center, Normal: test.normal, Area: 20e-6},
		}}
		err := p.merge([]int{1, 2})
		if test.says == "" {
			if err != nil || p.Openings[0].Area != 40e-6 {
				t.Errorf("error %v, opening %+v", err, p.Openings[0])
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "--drop-opening 2") {
			t.Errorf("error %v, want one that says %q", err, test.says)
		}
	}
}
