package refine

import (
	"slices"
	"testing"

	"carina/partition/graph"

	"pgregory.net/rapid"
)

// piecesWithout lists the connected pieces of v's part without v that have a
// neighbour of v, by definition.
func piecesWithout(s *State, v int32) [][]int32 {
	parts := slices.Clone(s.Part)
	parts[v] = int32(s.K)
	var pieces [][]int32
	for _, piece := range graph.Pieces(s.Graph, parts) {
		near := func(u int32) bool {
			return slices.Contains(s.Graph.NeighboursOf(v), u)
		}
		if parts[piece[0]] == s.Part[v] && slices.ContainsFunc(piece, near) {
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

func TestWithoutFindsWhatBreaksOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		v := rapid.Int32Range(0, int32(len(s.Part))-1).Draw(t, "vertex")
		got, ok := NewConnectivity(s).without(v)
		if !ok {
			t.Fatal("out of budget on a graph smaller than it")
		}
		pieces := piecesWithout(s, v)
		lost := map[int32]bool{}
		for _, u := range got {
			lost[u] = true
		}
		// All pieces but one, whole.
		kept := 0
		for _, piece := range pieces {
			n := 0
			for _, u := range piece {
				if lost[u] {
					n++
				}
			}
			switch n {
			case 0:
				kept++
			case len(piece):
			default:
				t.Fatalf("%v of piece %v would break off", got, piece)
			}
		}
		if len(pieces) > 0 && kept != 1 {
			t.Fatalf("%d of pieces %v are kept, breaking off are %v", kept, pieces, got)
		}
	})
}

func TestBranchGainIsForetold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		v := rapid.Int32Range(0, int32(len(s.Part))-1).Draw(t, "vertex")
		from := s.Part[v]
		pieces, _ := NewConnectivity(s).without(v)
		b := newBranch(s)
		if !b.set(s, v, pieces) {
			t.Fatal("nothing is fixed")
		}
		to, gain := b.best(s, from, func(int32) bool { return true })
		if to < 0 {
			return
		}
		before, weight := s.Cut, s.Weight[to]
		for _, u := range b.vertices {
			s.Move(u, to)
		}
		if s.Cut != before-gain || s.Weight[to] != weight+b.weight {
			t.Fatalf("gain %d and weight %d foretold; the cut went from %d to %d, the weight from %d to %d", gain, b.weight, before, s.Cut, weight, s.Weight[to])
		}
	})
}
