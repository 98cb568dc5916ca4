package graph_test

import (
	"slices"
	"testing"

	"carina/partition/graph"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// The quotient graph has the cuts between the parts, each seen from both, and
// part weights are the vertices'.
func TestQuotientAndPartWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t)
		k := rapid.IntRange(1, 6).Draw(t, "parts")
		parts, _ := graphtest.DrawParts(t, g, k)
		between := make([][]int64, k)
		weights := make([]int64, k)
		for p := range between {
			between[p] = make([]int64, k)
		}
		full := g.Weighted()
		for v, p := range parts {
			weights[p] += full.VertexWeights[v]
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				if q := parts[g.Neighbours[e]]; q != p {
					between[p][q] += full.EdgeWeights[e]
				}
			}
		}
		if got := g.PartWeights(parts, k); !slices.Equal(got, weights) {
			t.Fatalf("weights %v, want %v", got, weights)
		}
		for p, ties := range graph.Quotient(g, parts, k) {
			got := make([]int64, k)
			for _, tie := range ties {
				if tie.Weight == 0 || got[tie.To] != 0 {
					t.Fatalf("part %d lists part %d twice or for nothing: %v", p, tie.To, ties)
				}
				got[tie.To] = tie.Weight
			}
			if !slices.Equal(got, between[p]) {
				t.Fatalf("part %d has ties %v, want %v", p, got, between[p])
			}
		}
	})
}

// A subgraph has the vertices in the order given and the edges between them.
func TestSubgraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t).Weighted()
		n := g.Vertices()
		order := rapid.Permutation(graph.Numbers(n)).Draw(t, "order")
		vertices := order[:rapid.IntRange(0, n).Draw(t, "size")]
		sub := g.Subgraph(vertices, make([]int32, n), func(v int32) bool { return slices.Contains(vertices, v) })
		if err := sub.Validate(); err != nil {
			t.Fatal(err)
		}
		type edge struct {
			u, v int32
			w    int64
		}
		want, got := map[edge]bool{}, map[edge]bool{}
		for v := range int32(n) {
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				if u := g.Neighbours[e]; slices.Contains(vertices, u) && slices.Contains(vertices, v) {
					want[edge{u, v, g.EdgeWeights[e]}] = true
				}
			}
		}
		for i, v := range vertices {
			if sub.VertexWeights[i] != g.VertexWeights[v] {
				t.Fatalf("vertex %d weighs %d, in the subgraph %d", v, g.VertexWeights[v], sub.VertexWeights[i])
			}
			for e := sub.Offsets[i]; e < sub.Offsets[i+1]; e++ {
				got[edge{vertices[sub.Neighbours[e]], v, sub.EdgeWeights[e]}] = true
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d entries, want %d", len(got), len(want))
		}
		for e := range want {
			if !got[e] {
				t.Fatalf("edge %v is not in the subgraph", e)
			}
		}
	})
}
