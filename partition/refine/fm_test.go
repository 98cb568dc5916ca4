package refine

import (
	"slices"
	"testing"

	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// Local searches keep the books, also those of the overload, and make nothing
// worse.
func TestRefineKeepsTheBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		s.Distance = nil
		s.recount()
		limit := slices.Clone(s.Limit)
		if rapid.Bool().Draw(t, "overloaded") {
			for p := range limit {
				limit[p] = s.Graph.TotalVertexWeight() / int64(s.K+1)
			}
		}
		s = NewState(s.Graph, nil, slices.Clone(s.Part), limit, nil)
		cut, over := s.Cut, s.Overload()
		f := NewFM(s, random.New(rapid.Uint64().Draw(t, "seed")), 5, parallel.Never)
		f.Slack = rapid.Int64Range(0, s.Graph.Heaviest()).Draw(t, "slack")
		f.over = over
		for range 3 {
			f.round()
			checkState(t, s)
			if f.over != s.Overload() {
				t.Fatalf("overload %d in the books, %d in truth", f.over, s.Overload())
			}
		}
		if s.Overload() > over || s.Overload() == over && s.Cut > cut {
			t.Fatalf("cut %d and overload %d became %d and %d", cut, over, s.Cut, s.Overload())
		}
	})
}

// A part that is too heavy gives vertices at its border away until it is not.
func TestRefineRelievesHeavyParts(t *testing.T) {
	var edges [][3]int64
	for v := range int64(7) {
		edges = append(edges, [3]int64{v, v + 1, 1})
	}
	g := graphtest.FromEdges(8, edges).Weighted()
	s := NewState(g, nil, []int32{0, 0, 0, 0, 0, 0, 1, 1}, []int64{4, 4}, nil)
	NewFM(s, random.New(1), 5, parallel.Never).Refine(3)
	if s.Overload() != 0 || s.Cut != 1 {
		t.Errorf("parts %v: overload %d and cut %d, want 0 and 1", s.Part, s.Overload(), s.Cut)
	}
}
