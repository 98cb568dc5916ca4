package partition

import (
	"fmt"
	"math"
	"sync/atomic"

	"carina/internal/parallel"
	"carina/internal/quantity"
	"carina/partition/graph"
	"carina/partition/refine"
)

// Hierarchy returns the distances between the leaves of a regular machine,
// for [Options.Distances]: counts from the outside in, with the distance
// between leaves that first differ on that layer. Hierarchy([]int{4, 8},
// []int64{10, 1}) is 4 hosts of 8 devices each, 10 apart between hosts and 1
// within. Leaf numbers run through the innermost layer first.
func Hierarchy(counts []int, distances []int64) ([][]int64, error) {
	if len(counts) == 0 || len(counts) != len(distances) {
		return nil, fmt.Errorf("%s and %s; give one distance per layer", quantity.Count(len(counts), "count"), quantity.Count(len(distances), "distance"))
	}
	leaves := 1
	for i, c := range counts {
		if c < 1 || distances[i] < 0 || leaves > 1<<15/c {
			return nil, fmt.Errorf("layer %d has count %d and distance %d; counts must be positive, at most %d leaves in all, distances not negative", i, c, distances[i], 1<<15)
		}
		leaves *= c
	}
	result := make([][]int64, leaves)
	for a := range result {
		result[a] = make([]int64, leaves)
		for b := range result[a] {
			result[a][b] = leafDistance(counts, distances, leaves, a, b)
		}
	}
	return result, nil
}

func leafDistance(counts []int, distances []int64, leaves, a, b int) int64 {
	below := leaves
	for i, c := range counts {
		below /= c
		if a/below != b/below {
			return distances[i]
		}
	}
	return 0
}

// checkDistances tells what is wrong with a matrix of distances of k parts.
func checkDistances(d [][]int64, k int) error {
	if len(d) != k {
		return fmt.Errorf("%s of distances for %s; give one per part", quantity.Count(len(d), "row"), quantity.Count(k, "part"))
	}
	for p, row := range d {
		if len(row) != k {
			return fmt.Errorf("row %d of the distances has %s for %s", p, quantity.Count(len(row), "entry"), quantity.Count(k, "part"))
		}
		for q, x := range row {
			if x < 0 || p == q && x != 0 || q < p && x != d[q][p] || x > 1<<20 {
				return fmt.Errorf("distance from part %d to %d is %d; distances must be symmetric, zero from a part to itself, 0 to %d elsewhere", p, q, x, 1<<20)
			}
		}
	}
	return nil
}

// MappingCostOf returns Σ weight × distance over the edges between different
// parts.
func MappingCostOf(g *graph.Graph, parts []int32, distances [][]int64) int64 {
	var twice atomic.Int64
	inRanges(g.Vertices(), verticesAtOnce, func(begin, end int) {
		var cost int64
		for v := begin; v < end; v++ {
			distance := distances[parts[v]]
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				cost += g.EdgeWeight(e) * distance[parts[g.Neighbours[e]]]
			}
		}
		twice.Add(cost)
	})
	return twice.Load() / 2
}

// MapParts renumbers the parts of a given partition so that the mapping cost
// becomes small: it exchanges the places of whole parts, whatever they weigh.
// [Options.Objective] MappingCost does better, since it also chooses the parts.
func MapParts(g *graph.Graph, parts []int32, distances [][]int64) ([]int32, error) {
	k := len(distances)
	if err := checkDistances(distances, k); err != nil {
		return nil, err
	}
	if err := checkParts(g, parts, k); err != nil {
		return nil, err
	}
	limit := make([]int64, k)
	for p := range limit {
		limit[p] = math.MaxInt64
	}
	s := refine.NewState(g.Weighted(), nil, append([]int32(nil), parts...), limit, distances)
	refine.Permute(s, parallel.Never)
	return s.Part, nil
}
