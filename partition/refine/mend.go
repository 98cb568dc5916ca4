package refine

// Mend makes both parts of a pair connected again after moves, by handing the
// pieces that they broke off to the neighbour each is tied to most. It returns
// the moves with its own and tells whether it succeeded.
func (c *Connectivity) Mend(pair [2]int32, moves []Moved) ([]Moved, bool) {
	s := c.s
	tie := make([]int64, s.K)
	for _, p := range pair {
		pieces, ok := c.around(p, moves)
		if !ok {
			return moves, false
		}
		for _, piece := range c.split(p, pieces) {
			to := s.bestHome(piece, tie)
			if to < 0 {
				return moves, false
			}
			for _, v := range piece.vertices {
				moves = append(moves, Moved{v, p})
				s.Move(v, to)
			}
		}
	}
	for _, p := range pair {
		if pieces, ok := c.around(p, moves); !ok || len(pieces) > 0 {
			return moves, false
		}
	}
	return moves, true
}

// split sorts the vertices of pieces just found by their pieces.
func (c *Connectivity) split(p int32, vertices []int32) []fragment {
	var pieces []fragment
	place := make(map[int32]int)
	for _, v := range vertices {
		group := c.find(c.group[v])
		i, ok := place[group]
		if !ok {
			i = len(pieces)
			place[group] = i
			pieces = append(pieces, fragment{part: p})
		}
		pieces[i].weight += c.s.Graph.VertexWeights[v]
		pieces[i].vertices = append(pieces[i].vertices, v)
	}
	return pieces
}
