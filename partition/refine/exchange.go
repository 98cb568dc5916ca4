package refine

// exchange moves v to a part and a vertex of that part back, if both together cost no
// more than allowed and nothing breaks off; cut is what the first alone adds to it. Where
// parts are about to be full, single moves lead nowhere.
func (a *Annealing) exchange(v, to int32, cut int64, allowed float64) {
	s := a.s
	from := s.Part[v]
	u := a.partner(v, from, to)
	if u < 0 {
		return
	}
	cut += s.Connection(u, to) - s.Connection(u, from)
	weight := s.Graph.VertexWeights[v] - s.Graph.VertexWeights[u]
	// An edge between both would make it dearer.
	if a.cost(cut, from, to, weight) > allowed || !a.isLoose(v) {
		return
	}
	growth, before := a.growth(from, to, weight), s.Cut
	s.Move(v, to)
	back := s.Connection(u, to) - s.Connection(u, from)
	if float64(s.Cut-before+back)+a.price*float64(growth) > allowed || s.Connection(u, from) == 0 || !a.isLoose(u) {
		s.Move(v, from)
		return
	}
	s.Move(u, from)
	a.over += growth
	a.note([]int32{v, u})
}

// partner walks at random from v through both parts to a vertex of part to beside
// part from; -1 if it comes to none that may move.
func (a *Annealing) partner(v, from, to int32) int32 {
	const steps = 6
	s, at := a.s, v
	for range steps {
		neighbours := s.Graph.NeighboursOf(at)
		next := neighbours[a.r.Below(len(neighbours))]
		if p := s.Part[next]; p != from && p != to {
			continue
		}
		if at = next; s.Part[at] == to && !s.IsFixed(at) && s.Connection(at, from) > 0 {
			return at
		}
	}
	return -1
}

// isLoose tells whether v may leave its part without anything breaking off.
func (a *Annealing) isLoose(v int32) bool {
	if a.connected == nil {
		return true
	}
	pieces, ok := a.connected.without(v)
	return ok && len(pieces) == 0
}
