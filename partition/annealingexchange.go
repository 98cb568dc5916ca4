package partition

// exchange moves v to a part and a vertex of that part back, if both together cost no
// more than allowed and nothing breaks off; cut is what the first alone adds to it. Where
// parts are about to be full, single moves lead nowhere.
func (a *annealing) exchange(v, to int32, cut int64, allowed float64) {
	s := a.s
	from := s.part[v]
	u := a.partner(v, from, to)
	if u < 0 {
		return
	}
	cut += s.connection(u, to) - s.connection(u, from)
	weight := s.g.VertexWeights[v] - s.g.VertexWeights[u]
	// An edge between both would make it dearer.
	if a.cost(cut, from, to, weight) > allowed || !a.isLoose(v) {
		return
	}
	growth, before := a.growth(from, to, weight), s.cut
	s.move(v, to)
	back := s.connection(u, to) - s.connection(u, from)
	if float64(s.cut-before+back)+a.price*float64(growth) > allowed || s.connection(u, from) == 0 || !a.isLoose(u) {
		s.move(v, from)
		return
	}
	s.move(u, from)
	a.over += growth
	a.note([]int32{v, u})
}

// partner walks at random from v through both parts to a vertex of part to beside
// part from; -1 if it comes to none that may move.
func (a *annealing) partner(v, from, to int32) int32 {
	const steps = 6
	s, at := a.s, v
	for range steps {
		neighbours := s.g.Neighbours[s.g.Offsets[at]:s.g.Offsets[at+1]]
		next := neighbours[a.r.below(len(neighbours))]
		if p := s.part[next]; p != from && p != to {
			continue
		}
		if at = next; s.part[at] == to && !s.isFixed(at) && s.connection(at, from) > 0 {
			return at
		}
	}
	return -1
}

// isLoose tells whether v may leave its part without anything breaking off.
func (a *annealing) isLoose(v int32) bool {
	if a.connected == nil {
		return true
	}
	pieces, ok := a.connected.without(v)
	return ok && len(pieces) == 0
}
