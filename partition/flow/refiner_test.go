package flow

import (
	"math"
	"slices"
	"testing"

	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/graph"
	"carina/partition/graphtest"
	"carina/partition/refine"

	"pgregory.net/rapid"
)

// bestBisectionByBruteForce returns the smallest cut between sides within the
// limits, both inhabited, with the vertices in pinned kept on their sides.
func bestBisectionByBruteForce(g *graph.Graph, pinned map[int32]int32, limit []int64) int64 {
	n := g.Vertices()
	best := int64(math.MaxInt64)
	parts := make([]int32, n)
next:
	for mask := 0; mask < 1<<n; mask++ {
		var weight [2]int64
		for v := range parts {
			parts[v] = int32(mask >> v & 1)
			weight[parts[v]] += g.VertexWeight(int32(v))
			if side, ok := pinned[int32(v)]; ok && side != parts[v] {
				continue next
			}
		}
		if weight[0] <= limit[0] && weight[1] <= limit[1] {
			best = min(best, graphtest.Cut(g, parts, nil))
		}
	}
	return best
}

// On a whole small graph between two pinned vertices the first flow is a
// minimum cut, so with loose limits the result must be optimal; with tight
// limits it must never be worse than before nor break them.
func TestFlowRefinementOnSmallGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 12).Draw(t, "vertices")
		var edges [][3]int64
		for u := range n {
			for v := u + 1; v < n; v++ {
				if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
					edges = append(edges, [3]int64{int64(u), int64(v), rapid.Int64Range(1, 9).Draw(t, "weight")})
				}
			}
		}
		g := graphtest.FromEdges(n, edges).Weighted()
		part := rapid.SliceOfN(rapid.Int32Range(0, 1), n, n).Draw(t, "sides")
		part[0], part[1] = 0, 1
		fixed := make([]int32, n)
		for v := range fixed {
			fixed[v] = -1
		}
		fixed[0], fixed[1] = 0, 1
		loose := rapid.Bool().Draw(t, "loose")
		limit := []int64{int64(n), int64(n)}
		if !loose {
			limit = []int64{int64(n+1)/2 + 1, int64(n+1)/2 + 1}
		}
		s := refine.NewState(g, fixed, append([]int32(nil), part...), limit, nil)
		before, over := s.Cut, s.Overload()
		NewRefiner(s, random.New(1), 1, false, parallel.New(1), parallel.Never).Refine(5)
		if s.Overload() > over || s.Overload() == over && s.Cut > before {
			t.Fatalf("cut %d over %d became cut %d over %d", before, over, s.Cut, s.Overload())
		}
		if s.Part[0] != 0 || s.Part[1] != 1 {
			t.Fatalf("a fixed vertex moved: %v", s.Part)
		}
		best := bestBisectionByBruteForce(g, map[int32]int32{0: 0, 1: 1}, limit)
		if s.Overload() == 0 && s.Cut < best {
			t.Fatalf("cut %d is below the optimum %d", s.Cut, best)
		}
		if loose && isWholeReached(g, part) && s.Cut != best {
			t.Fatalf("cut %d, the minimum is %d", s.Cut, best)
		}
	})
}

// isWholeReached tells whether every free vertex is reached from the boundary
// through free vertices of its own side in as many hops as a network holds, so
// that it holds them all.
func isWholeReached(g *graph.Graph, part []int32) bool {
	depth := make([]int, g.Vertices()) // 0 is not reached
	depth[0], depth[1] = 1, 1
	var queue []int32
	reach := func(v int32, d int) {
		if depth[v] == 0 {
			depth[v] = d
			queue = append(queue, v)
		}
	}
	for v := range int32(g.Vertices()) {
		for _, u := range g.NeighboursOf(v) {
			if part[u] != part[v] {
				reach(v, 1)
			}
		}
	}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		for _, u := range g.NeighboursOf(v) {
			if part[u] == part[v] && depth[v] < hops {
				reach(u, depth[v]+1)
			}
		}
	}
	return !slices.Contains(depth, 0)
}
