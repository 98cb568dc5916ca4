package balance

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever the shares, every stretch has an entry, they follow each other and
// use the list up.
func TestStretchesOfAnyShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.SliceOfN(rapid.Float64Range(1e-30, 1), 1, 6).Draw(t, "share")
		weights := rapid.SliceOfN(rapid.Int64Range(0, 1<<50), len(share), 40).Draw(t, "weights")
		before := 0
		ends := stretches(weights, share)
		for r, end := range ends {
			if end <= before || end > len(weights) {
				t.Fatalf("stretches of %d weights end at %v", len(weights), ends)
			}
			before = ends[r]
		}
		if before != len(weights) {
			t.Fatalf("stretches of %d weights end at %v", len(weights), ends)
		}
	})
}
