package balance

import (
	"slices"
	"testing"
)

// The heaviest cuboids are handed out first: in ascending order these weights
// would load one rank with 3 and the other with 1.
func TestLPTHandsOutTheHeaviestFirst(t *testing.T) {
	weights, ranks := []int64{1, 1, 2}, []Rank{{Speed: 1}, {Speed: 1}}
	load := make([]int64, len(ranks))
	for i, owner := range lptOwners(weights, ranks) {
		load[owner] += weights[i]
	}
	if !slices.Equal(load, []int64{2, 2}) {
		t.Errorf("loads %v, want 2 and 2", load)
	}
}
