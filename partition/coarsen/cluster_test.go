package coarsen

import (
	"testing"

	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/graphtest"
)

// Whatever vertex comes first, the ends of a path join over its heavy edges, not
// over the light one in the middle, and only within the heaviest weight.
func TestClustersJoinOverHeavyEdges(t *testing.T) {
	g := graphtest.FromEdges(4, [][3]int64{{0, 1, 9}, {1, 2, 1}, {2, 3, 9}}).Weighted()
	for seed := range uint64(20) {
		toCoarse, coarse := Cluster(&Level{Graph: g}, 2, random.New(seed), parallel.Never)
		if coarse != 2 || toCoarse[0] != toCoarse[1] || toCoarse[2] != toCoarse[3] {
			t.Fatalf("seed %d: clusters %v", seed, toCoarse)
		}
		if _, coarse = Cluster(&Level{Graph: g}, 1, random.New(seed), parallel.Never); coarse != 4 {
			t.Fatalf("seed %d: %d clusters of one vertex each, want 4", seed, coarse)
		}
	}
	// Of a cluster's weight all its vertices are part.
	g = graphtest.FromEdges(3, [][3]int64{{0, 1, 1}, {1, 2, 1}}).Weighted()
	for seed := range uint64(20) {
		if _, coarse := Cluster(&Level{Graph: g}, 2, random.New(seed), parallel.Never); coarse != 2 {
			t.Fatalf("seed %d: a path of three in %d clusters of at most two", seed, coarse)
		}
	}
}
