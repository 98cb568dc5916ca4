package refine

import (
	"cmp"
	"slices"

	"carina/partition/graph"
)

// fragment is a connected piece of a part.
type fragment struct {
	part     int32
	weight   int64
	vertices []int32
}

func sortFragments(pieces []fragment) {
	slices.SortStableFunc(pieces, func(a, b fragment) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(len(b.vertices), len(a.vertices)))
	})
}

// fragmentsByPart lists the pieces of every part, heaviest first.
func fragmentsByPart(s *State) [][]fragment {
	byPart := make([][]fragment, s.K)
	for _, vertices := range graph.Pieces(s.Graph, s.Part) {
		piece := fragment{part: s.Part[vertices[0]], vertices: vertices}
		for _, v := range vertices {
			piece.weight += s.Graph.VertexWeights[v]
		}
		byPart[piece.part] = append(byPart[piece.part], piece)
	}
	for _, pieces := range byPart {
		sortFragments(pieces)
	}
	return byPart
}

// joinFragments joins every piece of a part but its heaviest to another part,
// or, if corridors may be laid, ties heavy ones to the rest of their part. It
// goes on until nothing more can be joined.
func joinFragments(s *State, corridors bool, stop func() bool) {
	tie := make([]int64, s.K)
	for round := range s.K + 8 {
		moved := false
		for _, pieces := range fragmentsByPart(s) {
			for _, piece := range pieces[min(1, len(pieces)):] {
				if s.Part[piece.vertices[0]] != piece.part {
					continue
				}
				to := s.bestHome(piece, tie)
				if to < 0 {
					continue
				}
				if corridors && round < 2 && s.Weight[to]+piece.weight > s.Limit[to] && layCorridor(s, piece, stop) {
					moved = true
					continue
				}
				for _, v := range piece.vertices {
					s.Move(v, to)
				}
				moved = true
			}
		}
		if !moved || stop() {
			return
		}
	}
}

// bestHome returns the part a piece should join: the one it is tied to most
// among those with room, or among all if none has; -1 if it touches none or
// may not move.
func (s *State) bestHome(piece fragment, tie []int64) int32 {
	clear(tie)
	for _, v := range piece.vertices {
		if s.IsFixed(v) {
			return -1
		}
		parts, conn := s.Row(v)
		for i, p := range parts {
			tie[p] += conn[i]
		}
	}
	best, bestRoom := int32(-1), false
	for p, w := range tie {
		if int32(p) == piece.part || w == 0 {
			continue
		}
		room := s.Weight[p]+piece.weight <= s.Limit[p]
		if best < 0 || room && !bestRoom || room == bestRoom && w > tie[best] {
			best, bestRoom = int32(p), room
		}
	}
	return best
}
