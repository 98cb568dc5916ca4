package refine

import (
	"testing"

	"carina/internal/parallel"
	"carina/partition/graph"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// Passing weight on must break no part and not raise the overload.
func TestChainsKeepPartsConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		pieces, over := len(graph.Pieces(s.Graph, s.Part)), s.Overload()
		relieveAlongChains(s, NewConnectivity(s), newBranch(s), parallel.Never)
		if now := len(graph.Pieces(s.Graph, s.Part)); now > pieces {
			t.Fatalf("%d pieces became %d", pieces, now)
		}
		if s.Overload() > over {
			t.Fatalf("overload %d became %d", over, s.Overload())
		}
	})
}

// On a path the only way from the overloaded end to the room at the other
// leads through all parts.
func TestChainsPassThroughFullParts(t *testing.T) {
	g := graphtest.FromEdges(40, graphtest.PathEdges(40)).Weighted()
	parts := make([]int32, 40)
	for v := range parts {
		parts[v] = int32(max(v-4, 0) / 9) // 13, 9, 9, 9
	}
	s := NewState(g, nil, parts, []int64{10, 10, 10, 10}, nil)
	relieveAlongChains(s, NewConnectivity(s), newBranch(s), parallel.Never)
	if s.Overload() > 0 || s.Cut != 3 {
		t.Errorf("weights %v, cut %d; want 10 each and 3", s.Weight, s.Cut)
	}
}

func TestCorridorIsShortest(t *testing.T) {
	// Two rooms of part 0 at the ends of a hall of part 1, which is 5 wide and
	// 9 long: a corridor along a wall cuts 9 edges more, in the middle 18 less
	// the ends'.
	g := graphtest.Grid(11, 5, 1).Weighted()
	parts := make([]int32, 55)
	for v := range parts {
		if x := v % 11; x > 0 && x < 10 {
			parts[v] = 1
		}
	}
	s := NewState(g, nil, parts, []int64{55, 55}, nil)
	before := s.Cut
	pieces := fragmentsByPart(s)[0]
	if len(pieces) != 2 || !layCorridor(s, pieces[1], parallel.Never) {
		t.Fatalf("no corridor between %v", pieces)
	}
	if len(graph.Pieces(g, s.Part)) != 2 {
		t.Error("a part is broken")
	}
	// Along the wall: 9 edges cut anew, and one at each end no longer.
	if s.Cut != before+9-2 {
		t.Errorf("the cut rose from %d to %d, want %d", before, s.Cut, before+7)
	}
}

// Flow moves that break parts are mended or refused.
func TestMendLeavesNothingBroken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		joinFragments(s, false, parallel.Never)
		pieces := len(graph.Pieces(s.Graph, s.Part))
		var moves []Moved
		var pair [2]int32
		for range rapid.IntRange(1, 6).Draw(t, "moves") {
			v := rapid.Int32Range(0, int32(len(s.Part))-1).Draw(t, "vertex")
			parts, _ := s.Row(v)
			if len(parts) == 0 {
				continue
			}
			to := parts[rapid.IntRange(0, len(parts)-1).Draw(t, "to")]
			if to != s.Part[v] && s.Count[s.Part[v]] > 1 && (len(moves) == 0 || to == pair[0] && s.Part[v] == pair[1] || to == pair[1] && s.Part[v] == pair[0]) {
				pair = [2]int32{s.Part[v], to}
				moves = append(moves, Moved{v, s.Part[v]})
				s.Move(v, to)
			}
		}
		if len(moves) == 0 {
			return
		}
		if _, mended := NewConnectivity(s).Mend(pair, moves); mended && len(graph.Pieces(s.Graph, s.Part)) > pieces {
			t.Fatalf("%d pieces became %d", pieces, len(graph.Pieces(s.Graph, s.Part)))
		}
	})
}
