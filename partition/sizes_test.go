package partition

import (
	"context"
	"math"
	"slices"
	"testing"

	"carina/partition/graph"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// path is a graph of n vertices in a row.
func path(n int) *graph.Graph {
	g := &graph.Graph{Offsets: []int64{0}}
	for v := range int32(n) {
		if v > 0 {
			g.Neighbours = append(g.Neighbours, v-1)
		}
		if int(v) < n-1 {
			g.Neighbours = append(g.Neighbours, v+1)
		}
		g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
	}
	return g
}

// Volumes are those of the vertices' sizes: a row is cut where it is thin.
func TestVolumesHeedSizes(t *testing.T) {
	g := path(20)
	sizes := slices.Repeat([]int64{1}, 20)
	for v := 8; v < 12; v++ {
		sizes[v] = 1000
	}
	for _, objective := range []Objective{CommunicationVolume, BottleneckVolume} {
		for seed := range uint64(5) {
			r, err := Partition(context.Background(), g, Options{Parts: 2, Imbalance: 0.3, Objective: objective, VertexSizes: sizes, Seed: seed})
			if err != nil || r.CommunicationVolume != 2 || r.BottleneckVolume != 1 || !r.Feasible || r.Cut != 1 {
				t.Errorf("%v: %+v, %v", objective, r, err)
			}
		}
	}
	r, err := Partition(context.Background(), g, Options{Parts: 2, Imbalance: 0, VertexSizes: sizes})
	if err != nil || r.CommunicationVolume != 2000 || r.Cut != 1 {
		t.Errorf("in the middle: %+v, %v", r, err)
	}
}

// Reported volumes are those by definition, and no larger than without sizes.
func TestSizedVolumesAreThoseByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t)
		n := g.Vertices()
		k := rapid.IntRange(1, 5).Draw(t, "parts")
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 100), n, n).Draw(t, "sizes")
		objective := rapid.SampledFrom([]Objective{EdgeCut, CommunicationVolume, BottleneckVolume}).Draw(t, "objective")
		r, err := Partition(context.Background(), g, Options{Parts: k, Imbalance: 0.1, Preset: Fast, Objective: objective, VertexSizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		perPart := make([]int64, k)
		for v, p := range r.Parts {
			beside := map[int32]bool{}
			for _, u := range g.NeighboursOf(int32(v)) {
				if r.Parts[u] != p {
					beside[r.Parts[u]] = true
				}
			}
			perPart[p] += sizes[v] * int64(len(beside))
		}
		var total int64
		for _, x := range perPart {
			total += x
		}
		if total != r.CommunicationVolume || slices.Max(perPart) != r.BottleneckVolume {
			t.Fatalf("volumes %v, reported %d and %d", perPart, r.CommunicationVolume, r.BottleneckVolume)
		}
	})
}

func TestSizesThatCannotBe(t *testing.T) {
	for name, sizes := range map[string][]int64{"few": {1, 2}, "negative": {1, -1, 1}, "too large": {math.MaxInt64, 1, 1}, "large together": {1 << 59, 1 << 59, 1 << 59}} {
		if _, err := Partition(context.Background(), path(3), Options{Parts: 2, VertexSizes: sizes}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
