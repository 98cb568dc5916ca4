package partition

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// bestBisectionByBruteForce returns the smallest cut between sides within the
// limits, both inhabited, with the vertices in pinned kept on their sides.
func bestBisectionByBruteForce(g *Graph, pinned map[int32]int32, limit []int64) int64 {
	n := g.Vertices()
	best := int64(math.MaxInt64)
	parts := make([]int32, n)
next:
	for mask := 0; mask < 1<<n; mask++ {
		var weight [2]int64
		for v := range parts {
			parts[v] = int32(mask >> v & 1)
			weight[parts[v]] += g.vertexWeight(int32(v))
			if side, ok := pinned[int32(v)]; ok && side != parts[v] {
				continue next
			}
		}
		if weight[0] <= limit[0] && weight[1] <= limit[1] {
			best = min(best, EdgeCutOf(g, parts))
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
		g := fromEdges(n, edges).weighted()
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
		s := newState(&level{g: g, fixed: fixed}, append([]int32(nil), part...), limit, nil)
		before, over := s.cut, s.overload()
		task := testTask()
		newFlowRefiner(s, newRandom(1), 1, task).refine(5)
		if s.overload() > over || s.overload() == over && s.cut > before {
			t.Fatalf("cut %d over %d became cut %d over %d", before, over, s.cut, s.overload())
		}
		if s.part[0] != 0 || s.part[1] != 1 {
			t.Fatalf("a fixed vertex moved: %v", s.part)
		}
		best := bestBisectionByBruteForce(g, map[int32]int32{0: 0, 1: 1}, limit)
		if s.overload() == 0 && s.cut < best {
			t.Fatalf("cut %d is below the optimum %d", s.cut, best)
		}
		if loose && isWholeReached(g, part) && s.cut != best {
			t.Fatalf("cut %d, the minimum is %d", s.cut, best)
		}
	})
}

// isWholeReached tells whether every free vertex is reached from the boundary
// through free vertices of its own side in as many hops as a network holds, so
// that it holds them all.
func isWholeReached(g *Graph, part []int32) bool {
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
		for _, u := range g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] {
			if part[u] != part[v] {
				reach(v, 1)
			}
		}
	}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		for _, u := range g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] {
			if part[u] == part[v] && depth[v] < hops {
				reach(u, depth[v]+1)
			}
		}
	}
	return !slices.Contains(depth, 0)
}

func testTask() *task {
	return &task{c: presets[Eco], halt: new(atomic.Bool), workers: newWorkers(1)}
}

func TestGainQueueOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newGainQueue(20)
		want := map[int32]int64{}
		for range rapid.IntRange(0, 60).Draw(t, "operations") {
			v := rapid.Int32Range(0, 19).Draw(t, "vertex")
			if q.contains(v) && rapid.Bool().Draw(t, "remove") {
				q.remove(v)
				delete(want, v)
			} else {
				gain := rapid.Int64Range(-5, 5).Draw(t, "gain")
				q.set(v, gain)
				want[v] = gain
			}
		}
		for last := int64(6); !q.empty(); {
			v, gain := q.top()
			if gain > last || want[v] != gain {
				t.Fatalf("vertex %d came with gain %d after %d, want %d", v, gain, last, want[v])
			}
			last = gain
			q.remove(v)
			delete(want, v)
		}
		if len(want) > 0 {
			t.Fatalf("%d vertices lost", len(want))
		}
	})
}

// The weight matched on a path must be the largest of all matchings.
func TestBestOnPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gain := rapid.SliceOfN(rapid.Float64Range(0.1, 9), 0, 10).Draw(t, "gain")
		best := 0.0
		for mask := range 1 << len(gain) {
			if mask&(mask<<1) != 0 {
				continue
			}
			sum := 0.0
			for i, w := range gain {
				if mask>>i&1 == 1 {
					sum += w
				}
			}
			best = max(best, sum)
		}
		if got := total(gain, bestOnPath(gain)); math.Abs(got-best) > 1e-9 {
			t.Fatalf("matched %v, the best is %v", got, best)
		}
	})
}

// Coarsening keeps total weight, merges only what may be merged, and a cut of
// the coarse graph is the same cut of the fine one.
func TestCoarseningKeepsCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t).weighted()
		n := g.Vertices()
		label := rapid.SliceOfN(rapid.Int32Range(0, 2), n, n).Draw(t, "labels")
		l := &level{g: g, label: label}
		merge := rapid.SampledFrom([]func(*level, int64, *random, func() bool) ([]int32, int){matchGlobally, clusterVertices}).Draw(t, "method")
		heaviest := rapid.Int64Range(1, 1<<56).Draw(t, "heaviest")
		toCoarse, coarse := merge(l, heaviest, newRandom(rapid.Uint64().Draw(t, "seed")), func() bool { return false })
		next := contract(l, toCoarse, coarse, newWorkers(1), never)
		if err := next.g.Validate(); err != nil {
			t.Fatal(err)
		}
		if next.g.TotalVertexWeight() != g.TotalVertexWeight() {
			t.Fatal("weight lost")
		}
		members := make([]int, coarse)
		for v, c := range toCoarse {
			members[c]++
			if next.label[c] != label[v] {
				t.Fatalf("vertex %d with label %d is in a coarse one with label %d", v, label[v], next.label[c])
			}
		}
		for c, m := range members {
			if m > 1 && next.g.VertexWeights[c] > heaviest {
				t.Fatalf("coarse vertex %d weighs %d, at most %d is allowed", c, next.g.VertexWeights[c], heaviest)
			}
		}
		if a, b := EdgeCutOf(next.g, next.label), EdgeCutOf(g, label); a != b {
			t.Fatalf("the cut between labels is %d, on the coarse graph %d", b, a)
		}
	})
}
