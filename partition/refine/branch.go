package refine

// branch is a vertex together with what would break off its part without it:
// moved as one, it leaves the part connected.
type branch struct {
	vertices []int32
	weight   int64
	tie      []int64 // edge weight to every part
	touched  []int32 // parts with a tie
	inner    int64   // edge weight within the branch, twice
	inside   []int32 // inside[v] equals stamp for vertices of the branch
	stamp    int32
}

func newBranch(s *State) *branch {
	return &branch{tie: make([]int64, s.K), inside: make([]int32, len(s.Part))}
}

// set makes the branch v and pieces, and tells whether all may move.
func (b *branch) set(s *State, v int32, pieces []int32) bool {
	for _, p := range b.touched {
		b.tie[p] = 0
	}
	b.touched = b.touched[:0]
	b.vertices = append(append(b.vertices[:0], v), pieces...)
	b.weight, b.inner = 0, 0
	b.stamp++
	for _, u := range b.vertices {
		if s.IsFixed(u) {
			return false
		}
		b.inside[u] = b.stamp
	}
	for _, u := range b.vertices {
		b.weight += s.Graph.VertexWeights[u]
		parts, conn := s.Row(u)
		for i, p := range parts {
			if b.tie[p] == 0 {
				b.touched = append(b.touched, p)
			}
			b.tie[p] += conn[i]
		}
		for e := s.Graph.Offsets[u]; e < s.Graph.Offsets[u+1]; e++ {
			if b.inside[s.Graph.Neighbours[e]] == b.stamp {
				b.inner += s.Graph.EdgeWeights[e]
			}
		}
	}
	return true
}

// gain returns by how much the objective falls when the branch moves to part
// to.
func (b *branch) gain(s *State, from, to int32) int64 {
	if s.Distance == nil {
		return b.tie[to] - (b.tie[from] - b.inner)
	}
	b.tie[from] -= b.inner
	var gain int64
	for _, p := range b.touched {
		gain += b.tie[p] * (s.Distance[from][p] - s.Distance[to][p])
	}
	b.tie[from] += b.inner
	return gain
}

// best returns the part where the branch gains most among those that admit
// it, or -1.
func (b *branch) best(s *State, from int32, admit func(to int32) bool) (to int32, gain int64) {
	to = -1
	for _, p := range b.touched {
		if p == from || !admit(p) {
			continue
		}
		if x := b.gain(s, from, p); to < 0 || x > gain {
			to, gain = p, x
		}
	}
	return to, gain
}

// moveBranch moves v, which the queue held with the given key, and what would
// break off without it. Where that gains less than the key said, it goes back
// into the queue instead.
func (f *FM) moveBranch(v, to int32, key int64) bool {
	s := f.s
	pieces, ok := f.connected.without(v)
	if !ok {
		return false
	}
	if len(pieces) == 0 {
		f.apply(v, to)
		return true
	}
	if !f.branch.set(s, v, pieces) {
		return false
	}
	for _, u := range pieces {
		if f.locked[u] == f.stamp {
			return false
		}
	}
	to, gain := f.branch.best(s, s.Part[v], func(to int32) bool { return s.Weight[to]+f.branch.weight <= s.Limit[to]+f.Slack })
	if to < 0 {
		return false
	}
	if gain < key {
		f.queue.Set(v, gain)
		return false
	}
	for _, u := range f.branch.vertices {
		if f.queue.contains(u) {
			f.queue.Remove(u)
		}
		f.apply(u, to)
	}
	for _, u := range pieces {
		f.touchNeighbours(u)
	}
	return true
}
