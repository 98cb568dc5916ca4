package partition

import (
	"cmp"
	"slices"
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
func fragmentsByPart(s *state) [][]fragment {
	byPart := make([][]fragment, s.k)
	for _, vertices := range fragments(s.g, s.part) {
		piece := fragment{part: s.part[vertices[0]], vertices: vertices}
		for _, v := range vertices {
			piece.weight += s.g.VertexWeights[v]
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
func joinFragments(s *state, corridors bool, stop func() bool) {
	tie := make([]int64, s.k)
	for round := range s.k + 8 {
		moved := false
		for _, pieces := range fragmentsByPart(s) {
			for _, piece := range pieces[min(1, len(pieces)):] {
				if s.part[piece.vertices[0]] != piece.part {
					continue
				}
				to := s.bestHome(piece, tie)
				if to < 0 {
					continue
				}
				if corridors && round < 2 && s.weight[to]+piece.weight > s.limit[to] && layCorridor(s, piece, stop) {
					moved = true
					continue
				}
				for _, v := range piece.vertices {
					s.move(v, to)
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
func (s *state) bestHome(piece fragment, tie []int64) int32 {
	clear(tie)
	for _, v := range piece.vertices {
		if s.isFixed(v) {
			return -1
		}
		parts, conn := s.row(v)
		for i, p := range parts {
			tie[p] += conn[i]
		}
	}
	best, bestRoom := int32(-1), false
	for p, w := range tie {
		if int32(p) == piece.part || w == 0 {
			continue
		}
		room := s.weight[p]+piece.weight <= s.limit[p]
		if best < 0 || room && !bestRoom || room == bestRoom && w > tie[best] {
			best, bestRoom = int32(p), room
		}
	}
	return best
}
