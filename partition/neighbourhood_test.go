package partition

import (
	"testing"

	"pgregory.net/rapid"
)

// drawParts draws a part for every vertex, and limits: some kept, some not.
func drawParts(t *rapid.T, g *Graph, k int) (part []int32, limit []int64) {
	part = rapid.SliceOfN(rapid.Int32Range(0, int32(k)-1), g.Vertices(), g.Vertices()).Draw(t, "part")
	limit = make([]int64, k)
	for p := range limit {
		limit[p] = g.TotalVertexWeight()/int64(k) + rapid.Int64Range(0, 100).Draw(t, "slack")
	}
	return part, limit
}

// Every part is in one group, and groups of several hang together.
func TestGroupsAreDisjointAndConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t).weighted()
		k := rapid.IntRange(1, 12).Draw(t, "parts")
		part, _ := drawParts(t, g, k)
		seen := make([]int, k)
		largest := rapid.IntRange(smallestGroup, largestConnectedGroup).Draw(t, "largest")
		for _, group := range groupParts(g, part, k, largest, newRandom(rapid.Uint64().Draw(t, "seed"))) {
			if len(group) > largest {
				t.Fatalf("group of %d parts", len(group))
			}
			for _, p := range group {
				seen[p]++
			}
			checkHangsTogether(t, g, part, group)
		}
		for p, times := range seen {
			if times != 1 {
				t.Fatalf("part %d is in %d groups", p, times)
			}
		}
	})
}

// checkHangsTogether spreads from the group's first part over edges of the
// graph until nothing is added.
func checkHangsTogether(t *rapid.T, g *Graph, part, group []int32) {
	reached := map[int32]bool{group[0]: true}
	for before := 0; before < len(reached); {
		before = len(reached)
		for v, p := range part {
			for _, u := range g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] {
				for _, q := range group {
					if reached[p] && part[u] == q {
						reached[q] = true
					}
				}
			}
		}
	}
	if len(reached) != len(group) {
		t.Fatalf("of group %v only %v hang together", group, reached)
	}
}

// The subgraph of some parts holds their vertices, weights and the edges
// within, and nothing else.
func TestInducedLevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t).weighted()
		part, _ := drawParts(t, g, 4)
		group := []int32{2, 0}
		l := &level{g: g, fixed: make([]int32, g.Vertices())}
		var vertices []int32
		for v, p := range part {
			l.fixed[v] = rapid.SampledFrom([]int32{-1, p}).Draw(t, "fixed")
			if p == 0 || p == 2 {
				vertices = append(vertices, int32(v))
			}
		}
		sub := inducedLevel(l, vertices, make([]int32, g.Vertices()), part, group)
		if err := sub.g.Validate(); err != nil {
			t.Fatal(err)
		}
		local := make([]int32, len(vertices))
		for i, v := range vertices {
			if part[v] == 0 {
				local[i] = 1
			}
			if sub.g.VertexWeights[i] != g.VertexWeights[v] {
				t.Fatalf("vertex %d weighs %d, in the subgraph %d", v, g.VertexWeights[v], sub.g.VertexWeights[i])
			}
			if want := map[bool]int32{true: local[i], false: -1}[l.fixed[v] >= 0]; sub.fixed[i] != want {
				t.Fatalf("vertex %d is fixed to %d in the subgraph, want %d", v, sub.fixed[i], want)
			}
		}
		var cut int64
		for v, p := range part {
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				if q := part[g.Neighbours[e]]; p == 0 && q == 2 {
					cut += g.EdgeWeights[e]
				}
			}
		}
		if got := EdgeCutOf(sub.g, local); got != cut {
			t.Fatalf("cut within the subgraph %d, between the parts %d", got, cut)
		}
	})
}

// A renewed partition is never worse, and what is reported of it is true.
func TestRenewNeverWorsens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t).weighted()
		k := rapid.IntRange(3, 8).Draw(t, "parts")
		part, limit := drawParts(t, g, k)
		task, l := testTask(), &level{g: g}
		before := task.measure(l, part, limit)
		after := task.renew(l, before, limit, task.c.kway, 2, newRandom(rapid.Uint64().Draw(t, "seed")))
		if before.better(after) {
			t.Fatalf("cut %d, above limits %d; renewed %d, %d", before.cut, before.over, after.cut, after.over)
		}
		if again := task.measure(l, after.part, limit); again.cut != after.cut || again.over != after.over {
			t.Fatalf("reported %d and %d, are %d and %d", after.cut, after.over, again.cut, again.over)
		}
		for v, p := range after.part {
			if p < 0 || int(p) >= k {
				t.Fatalf("vertex %d has label %d of %d", v, p, k)
			}
		}
	})
}
