package coarsen

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/graph"
	"carina/partition/graphtest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// contractedByDefinition returns the weights of the coarse vertices and of the
// edges between them.
func contractedByDefinition(g *graph.Graph, toCoarse []int32, coarse int) ([]int64, map[[2]int32]int64) {
	weights := make([]int64, coarse)
	edges := make(map[[2]int32]int64)
	for v, c := range toCoarse {
		weights[c] += g.VertexWeights[v]
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if d := toCoarse[g.Neighbours[e]]; d != c {
				edges[[2]int32{c, d}] += g.EdgeWeights[e]
			}
		}
	}
	return weights, edges
}

// Graphs of several chunks are contracted by any number of workers to what
// the definition asks for, with the same bits.
func TestContract(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, side := range []int{3, 50, 300} {
		g := graphtest.WeightedGrid(side, r)
		l := &Level{Graph: g}
		toCoarse, coarse := Cluster(l, g.TotalVertexWeight(), random.New(3), parallel.Never)
		if side == 300 && coarse <= parallel.ChunkLength {
			t.Fatalf("%d coarse vertices fit one chunk of %d", coarse, parallel.ChunkLength)
		}
		one := contract(l, toCoarse, coarse, parallel.New(1), parallel.Never).Graph
		three := contract(l, toCoarse, coarse, parallel.New(3), parallel.Never).Graph
		if diff := cmp.Diff(one, three); diff != "" {
			t.Fatalf("side %d: three workers differ from one", side)
		}
		if err := one.Validate(); err != nil {
			t.Fatal(err)
		}
		weights, edges := contractedByDefinition(g, toCoarse, coarse)
		if diff := cmp.Diff(weights, one.VertexWeights); diff != "" {
			t.Fatalf("side %d: vertex weights: %s", side, diff)
		}
		if len(one.Neighbours) != len(edges) {
			t.Fatalf("side %d: %d entries, want %d", side, len(one.Neighbours), len(edges))
		}
		for c := int32(0); int(c) < coarse; c++ {
			for e := one.Offsets[c]; e < one.Offsets[c+1]; e++ {
				if want := edges[[2]int32{c, one.Neighbours[e]}]; one.EdgeWeights[e] != want {
					t.Fatalf("side %d: edge %d–%d weighs %d, want %d", side, c, one.Neighbours[e], one.EdgeWeights[e], want)
				}
			}
		}
	}
}

func TestContractStopped(t *testing.T) {
	g := graphtest.WeightedGrid(20, rand.New(rand.NewPCG(7, 2)))
	l := &Level{Graph: g}
	toCoarse, coarse := Cluster(l, g.TotalVertexWeight(), random.New(3), parallel.Never)
	if next := contract(l, toCoarse, coarse, parallel.New(2), func() bool { return true }); next != nil {
		t.Error("a stopped contraction returned a graph")
	}
}

// An edge is rated by the square of its weight over the weights of both ends, of which
// those without any count as one.
func TestExpansion(t *testing.T) {
	for _, c := range []struct {
		w, a, b int64
		want    float64
	}{{6, 2, 3, 6}, {6, 9, 1, 4}, {6, 1, 9, 4}, {2, 0, 0, 4}, {1 << 40, 1 << 40, 1 << 39, 2}} {
		if got := expansion(c.w, c.a, c.b); got != c.want {
			t.Errorf("an edge of %d between %d and %d is rated %g, want %g", c.w, c.a, c.b, got, c.want)
		}
	}
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
		g := graphtest.Draw(t).Weighted()
		n := g.Vertices()
		label := rapid.SliceOfN(rapid.Int32Range(0, 2), n, n).Draw(t, "labels")
		l := &Level{Graph: g, Label: label}
		merge := rapid.SampledFrom([]func(*Level, int64, *random.Source, func() bool) ([]int32, int){Match, Cluster}).Draw(t, "method")
		heaviest := rapid.Int64Range(1, 1<<56).Draw(t, "heaviest")
		toCoarse, coarse := merge(l, heaviest, random.New(rapid.Uint64().Draw(t, "seed")), func() bool { return false })
		next := contract(l, toCoarse, coarse, parallel.New(1), parallel.Never)
		if err := next.Graph.Validate(); err != nil {
			t.Fatal(err)
		}
		if next.Graph.TotalVertexWeight() != g.TotalVertexWeight() {
			t.Fatal("weight lost")
		}
		members := make([]int, coarse)
		for v, c := range toCoarse {
			members[c]++
			if next.Label[c] != label[v] {
				t.Fatalf("vertex %d with label %d is in a coarse one with label %d", v, label[v], next.Label[c])
			}
		}
		for c, m := range members {
			if m > 1 && next.Graph.VertexWeights[c] > heaviest {
				t.Fatalf("coarse vertex %d weighs %d, at most %d is allowed", c, next.Graph.VertexWeights[c], heaviest)
			}
		}
		if a, b := graphtest.Cut(next.Graph, next.Label, nil), graphtest.Cut(g, label, nil); a != b {
			t.Fatalf("the cut between labels is %d, on the coarse graph %d", b, a)
		}
	})
}
