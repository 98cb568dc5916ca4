package refine

import (
	"slices"
	"testing"

	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// drawState draws a partition of a small graph under refinement, with limits
// about its weights.
func drawState(t *rapid.T) *State {
	g := graphtest.DrawFamily(t).Weighted()
	for g.Vertices() == 0 {
		g = graphtest.FromEdges(1, nil).Weighted()
	}
	n := g.Vertices()
	for v := range g.VertexWeights {
		g.VertexWeights[v] = min(g.VertexWeights[v], 1<<20)
	}
	for e := range g.EdgeWeights {
		g.EdgeWeights[e] = min(g.EdgeWeights[e], 1<<20)
	}
	k := rapid.IntRange(1, min(5, n)).Draw(t, "k")
	parts := rapid.SliceOfN(rapid.Int32Range(0, int32(k)-1), n, n).Draw(t, "parts")
	limit := make([]int64, k)
	for p := range limit {
		limit[p] = g.TotalVertexWeight()/int64(k) + rapid.Int64Range(0, 5).Draw(t, "slack")
	}
	var distance [][]int64
	if k == 4 && rapid.Bool().Draw(t, "mapped") {
		distance = [][]int64{{0, 1, 7, 7}, {1, 0, 7, 7}, {7, 7, 0, 1}, {7, 7, 1, 0}}
	}
	return NewState(g, nil, parts, limit, distance)
}

// rowsByDefinition returns the edge weight from v to every part.
func rowsByDefinition(s *State, v int32) []int64 {
	conn := make([]int64, s.K)
	for e := s.Graph.Offsets[v]; e < s.Graph.Offsets[v+1]; e++ {
		conn[s.Part[s.Graph.Neighbours[e]]] += s.Graph.EdgeWeights[e]
	}
	return conn
}

// checkState compares what a state keeps with the partition itself.
func checkState(t *rapid.T, s *State) {
	fresh := NewState(s.Graph, nil, slices.Clone(s.Part), s.Limit, s.Distance)
	if s.Cut != fresh.Cut || !slices.Equal(s.Weight, fresh.Weight) || !slices.Equal(s.Count, fresh.Count) {
		t.Fatalf("cut %d, weights %v, counts %v; recounted %d, %v, %v", s.Cut, s.Weight, s.Count, fresh.Cut, fresh.Weight, fresh.Count)
	}
	for v := range s.Part {
		if s.rowLen[v] < 0 {
			continue
		}
		got := make([]int64, s.K)
		parts, conn := s.Row(int32(v))
		for i, p := range parts {
			got[p] = conn[i]
		}
		if want := rowsByDefinition(s, int32(v)); !slices.Equal(got, want) {
			t.Fatalf("vertex %d is tied to the parts by %v, kept are %v", v, want, got)
		}
	}
}

// The state's bookkeeping must equal a recount after any moves, with and
// without distances.
func TestStateBookkeeping(t *testing.T) {
	d := [][]int64{{0, 2, 7, 7}, {2, 0, 7, 7}, {7, 7, 0, 2}, {7, 7, 2, 0}}
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t).Weighted()
		var distance [][]int64
		if rapid.Bool().Draw(t, "mapped") {
			distance = d
			for e := range g.EdgeWeights {
				g.EdgeWeights[e] = min(g.EdgeWeights[e], 1000)
			}
		}
		n := g.Vertices()
		s := NewState(g, nil, make([]int32, n), make([]int64, 4), distance)
		for range rapid.IntRange(0, 40).Draw(t, "moves") {
			v := rapid.Int32Range(0, int32(n)-1).Draw(t, "vertex")
			if to := rapid.Int32Range(0, 3).Draw(t, "to"); to != s.Part[v] {
				s.Move(v, to)
			}
		}
		fresh := NewState(g, nil, append([]int32(nil), s.Part...), make([]int64, 4), distance)
		if s.Cut != fresh.Cut {
			t.Fatalf("cut %d, recounted %d", s.Cut, fresh.Cut)
		}
		for v := range int32(n) {
			for p := range int32(4) {
				if a, b := s.Connection(v, p), fresh.Connection(v, p); a != b {
					t.Fatalf("vertex %d to part %d: %d, recounted %d", v, p, a, b)
				}
			}
		}
	})
}
