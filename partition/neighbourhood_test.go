package partition

import (
	"sync/atomic"
	"testing"

	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/graph"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// Every part is in one group, and groups of several hang together.
func TestGroupsAreDisjointAndConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t).Weighted()
		k := rapid.IntRange(1, 12).Draw(t, "parts")
		part, _ := graphtest.DrawParts(t, g, k)
		seen := make([]int, k)
		largest := rapid.IntRange(smallestGroup, largestConnectedGroup).Draw(t, "largest")
		for _, group := range groupParts(g, part, k, largest, random.New(rapid.Uint64().Draw(t, "seed"))) {
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
func checkHangsTogether(t *rapid.T, g *graph.Graph, part, group []int32) {
	reached := map[int32]bool{group[0]: true}
	for before := 0; before < len(reached); {
		before = len(reached)
		for v, p := range part {
			for _, u := range g.NeighboursOf(int32(v)) {
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
		g := graphtest.Draw(t).Weighted()
		part, _ := graphtest.DrawParts(t, g, 4)
		group := []int32{2, 0}
		l := &coarsen.Level{Graph: g, Fixed: make([]int32, g.Vertices())}
		var vertices []int32
		for v, p := range part {
			l.Fixed[v] = rapid.SampledFrom([]int32{-1, p}).Draw(t, "fixed")
			if p == 0 || p == 2 {
				vertices = append(vertices, int32(v))
			}
		}
		sub := inducedLevel(l, vertices, make([]int32, g.Vertices()), part, group)
		if err := sub.Graph.Validate(); err != nil {
			t.Fatal(err)
		}
		local := make([]int32, len(vertices))
		for i, v := range vertices {
			if part[v] == 0 {
				local[i] = 1
			}
			if sub.Graph.VertexWeights[i] != g.VertexWeights[v] {
				t.Fatalf("vertex %d weighs %d, in the subgraph %d", v, g.VertexWeights[v], sub.Graph.VertexWeights[i])
			}
			if want := map[bool]int32{true: local[i], false: -1}[l.Fixed[v] >= 0]; sub.Fixed[i] != want {
				t.Fatalf("vertex %d is fixed to %d in the subgraph, want %d", v, sub.Fixed[i], want)
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
		if got := EdgeCutOf(sub.Graph, local); got != cut {
			t.Fatalf("cut within the subgraph %d, between the parts %d", got, cut)
		}
	})
}

// A renewed partition is never worse, and what is reported of it is true.
func TestRenewNeverWorsens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t).Weighted()
		k := rapid.IntRange(3, 8).Draw(t, "parts")
		part, limit := graphtest.DrawParts(t, g, k)
		task, l := testTask(), &coarsen.Level{Graph: g}
		before := task.measure(l, part, limit)
		after := task.renew(l, before, limit, task.c.kway, 2, random.New(rapid.Uint64().Draw(t, "seed")))
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

func testTask() *task {
	return &task{c: presets[Eco], halt: new(atomic.Bool), workers: parallel.New(1)}
}
