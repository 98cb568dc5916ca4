package graphtest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/partition/graph"

	"pgregory.net/rapid"
)

// degrees are how many vertices have how many neighbours.
func degrees(g *graph.Graph) map[int64]int {
	count := map[int64]int{}
	for v := range g.Vertices() {
		count[g.Offsets[v+1]-g.Offsets[v]]++
	}
	return count
}

// pieces is how many parts of a graph do not hang together.
func pieces(g *graph.Graph) (n int) {
	seen := make([]bool, g.Vertices())
	for v := range seen {
		if seen[v] {
			continue
		}
		n++
		seen[v] = true
		for list := []int32{int32(v)}; len(list) > 0; {
			u := list[0]
			list = list[1:]
			for _, w := range g.Neighbours[g.Offsets[u]:g.Offsets[u+1]] {
				if !seen[w] {
					seen[w] = true
					list = append(list, w)
				}
			}
		}
	}
	return n
}

// Each kind of graph has the degrees and the edges that it is named for, and
// hangs together.
func TestKindsOfGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, c := range map[string]struct {
		g               *graph.Graph
		vertices, edges int
		degrees         map[int64]int // nil where chance decides
	}{
		"path":         {FromEdges(7, PathEdges(7)), 7, 6, map[int64]int{1: 2, 2: 5}},
		"star":         {FromEdges(7, StarEdges(7)), 7, 6, map[int64]int{1: 6, 6: 1}},
		"complete":     {FromEdges(7, CompleteEdges(7)), 7, 21, map[int64]int{6: 7}},
		"mesh":         {Grid(4, 3, 2), 24, 3*3*2 + 4*2*2 + 4*3*1, map[int64]int{3: 8, 4: 12, 5: 4}},
		"weighted":     {WeightedGrid(5, r), 25, 40, map[int64]int{2: 4, 3: 12, 4: 9}},
		"tubes":        {TubeTree(r, 40), 40, 20 + 2*19, nil},
		"preferential": {Preferential(200, 1, r), 200, 199, nil},
	} {
		if err := c.g.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.g.Vertices() != c.vertices || c.g.Edges() != c.edges || pieces(c.g) != 1 {
			t.Errorf("%s: %d vertices and %d edges in %d pieces, want %d and %d in one", name, c.g.Vertices(), c.g.Edges(), pieces(c.g), c.vertices, c.edges)
		}
		if got := degrees(c.g); c.degrees != nil && !maps.Equal(got, c.degrees) {
			t.Errorf("%s: degrees %v, want %v", name, got, c.degrees)
		}
	}
}

// Graphs drawn at random are sound.
func TestDrawnGraphsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := DrawFamily(t)
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		n := g.Vertices()
		if n == 0 {
			return
		}
		part, limit := DrawParts(t, g, 3)
		// The edges are each seen from both of their ends.
		var cut int64
		for v := range n {
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				if u := int(g.Neighbours[e]); u < v && part[u] != part[v] {
					if cut++; g.EdgeWeights != nil {
						cut += g.EdgeWeights[e] - 1
					}
				}
			}
		}
		if got := Cut(g, part, nil); got != cut || slices.Max(part) > 2 || slices.Min(limit) < g.TotalVertexWeight()/3 {
			t.Fatalf("cut %d, want %d; parts %v, limits %v", got, cut, part, limit)
		}
	})
}

// A family comes in all its shapes: the same graphs in every run, so that chance
// does not decide.
func TestDrawnGraphsHaveAllShapes(t *testing.T) {
	complete, apart, weightless := 0, 0, 0
	family := rapid.Custom(DrawFamily)
	for seed := range 300 {
		g := family.Example(seed)
		n := g.Vertices()
		if n > 3 && g.Edges() == n*(n-1)/2 {
			complete++
		}
		if n > 0 && pieces(g) > 1 {
			apart++
		}
		if n > 0 && g.TotalVertexWeight() == 0 {
			weightless++
		}
	}
	if complete < 3 || apart < 3 || weightless < 3 {
		t.Errorf("%d complete graphs, %d in pieces, %d without weight", complete, apart, weightless)
	}
}
