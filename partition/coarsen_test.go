package partition

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// weightedGrid is a square grid with random weights.
func weightedGrid(side int, r *rand.Rand) *Graph {
	g := gridGraph(side, side, 1).weighted()
	for v := range g.VertexWeights {
		g.VertexWeights[v] = 1 + r.Int64N(9)
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			g.EdgeWeights[e] = int64(1 + (v^int(g.Neighbours[e]))%7)
		}
	}
	return g
}

// contractedByDefinition returns the weights of the coarse vertices and of the
// edges between them.
func contractedByDefinition(g *Graph, toCoarse []int32, coarse int) ([]int64, map[[2]int32]int64) {
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

// Graphs of several stretches are contracted by any number of workers to what
// the definition asks for, with the same bits.
func TestContract(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, side := range []int{3, 50, 300} {
		g := weightedGrid(side, r)
		l := &level{g: g}
		toCoarse, coarse := clusterVertices(l, g.TotalVertexWeight(), newRandom(3), never)
		if side == 300 && coarse <= stretch {
			t.Fatalf("%d coarse vertices fit one stretch of %d", coarse, stretch)
		}
		one := contract(l, toCoarse, coarse, newWorkers(1), never).g
		three := contract(l, toCoarse, coarse, newWorkers(3), never).g
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
	g := weightedGrid(20, rand.New(rand.NewPCG(7, 2)))
	l := &level{g: g}
	toCoarse, coarse := clusterVertices(l, g.TotalVertexWeight(), newRandom(3), never)
	if next := contract(l, toCoarse, coarse, newWorkers(2), func() bool { return true }); next != nil {
		t.Error("a stopped contraction returned a graph")
	}
}
