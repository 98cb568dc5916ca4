package partition

import "math"

// rebalance moves vertices out of overloaded parts, least loss per weight
// first, until every part is within its limit or no move helps; then it
// exchanges pairs. It reports whether the partition is within the limits.
func rebalance(s *state, r *random, stop func() bool) bool {
	for s.overload() > 0 {
		before := s.overload()
		relieve(s, r, stop)
		if s.overload() > 0 {
			exchange(s, stop)
		}
		if s.overload() >= before || stop() {
			return s.overload() == 0
		}
	}
	return true
}

// relativeGain orders moves by gain over weight: a loss is cheaper the more
// weight leaves with it, a gain better the less weight moves.
func relativeGain(gain, weight int64) int64 {
	const scale = 1 << 20
	w := float64(max(weight, 1))
	x := float64(gain) / w
	if gain > 0 {
		x = float64(gain) * w
	}
	return int64(math.Max(math.Min(x*scale, 1<<60), -1<<60))
}

// roomiest returns the part other than from with most room for weight w, or
// -1 if none has enough.
func (s *state) roomiest(from int32, w int64) int32 {
	best, bestRoom := int32(-1), int64(-1)
	for p := range s.weight {
		if room := s.limit[p] - s.weight[p] - w; int32(p) != from && room > bestRoom {
			best, bestRoom = int32(p), room
		}
	}
	return best
}

// reliefMove returns where v should go to relieve its part: the part with
// room it is tied to most, or else the roomiest one.
func (s *state) reliefMove(v int32) (int32, int64) {
	from := s.part[v]
	if s.isFixed(v) || s.count[from] == 1 {
		return -1, 0
	}
	w := s.g.VertexWeights[v]
	parts, conn := s.row(v)
	best, bestConn, inner := int32(-1), int64(0), int64(0)
	for i, p := range parts {
		if p == from {
			inner = conn[i]
		} else if conn[i] > bestConn && s.weight[p]+w <= s.limit[p] {
			best, bestConn = p, conn[i]
		}
	}
	if best < 0 {
		best = s.roomiest(from, w)
	}
	return best, bestConn - inner
}

func relieve(s *state, r *random, stop func() bool) {
	queue := newGainQueue(len(s.part))
	for i, v := range r.permutation(len(s.part)) {
		if i%64 == 0 && stop() {
			return
		}
		p := s.part[v]
		if s.weight[p] <= s.limit[p] || s.g.VertexWeights[v] == 0 {
			continue
		}
		if to, gain := s.reliefMove(v); to >= 0 {
			queue.set(v, relativeGain(gain, s.g.VertexWeights[v]))
		}
	}
	for tick := 0; !queue.empty(); tick++ {
		if tick%64 == 0 && stop() {
			return
		}
		v, key := queue.top()
		queue.remove(v)
		from := s.part[v]
		if s.weight[from] <= s.limit[from] {
			continue
		}
		to, gain := s.reliefMove(v)
		if to < 0 {
			continue
		}
		if now := relativeGain(gain, s.g.VertexWeights[v]); now < key {
			queue.set(v, now)
			continue
		}
		s.move(v, to)
		for _, u := range s.g.Neighbours[s.g.Offsets[v]:s.g.Offsets[v+1]] {
			if queue.contains(u) {
				if to, gain := s.reliefMove(u); to >= 0 {
					queue.set(u, relativeGain(gain, s.g.VertexWeights[u]))
				}
			}
		}
	}
}

// exchange swaps a heavier vertex of an overloaded part with a lighter one of
// another part where that lowers the overload; of all such pairs per heavy
// vertex it takes the one that leaves least overload, then loses least.
func exchange(s *state, stop func() bool) {
	for p := int32(0); int(p) < s.k && !stop(); p++ {
		for tries := 0; s.weight[p] > s.limit[p] && tries < 64; tries++ {
			if !exchangeOnce(s, p, stop) {
				break
			}
		}
	}
}

func exchangeOnce(s *state, p int32, stop func() bool) bool {
	over := s.weight[p] - s.limit[p]
	var inside, outside []int32
	for v, q := range s.part {
		if s.isFixed(int32(v)) {
			continue
		}
		if q == p && s.g.VertexWeights[v] > 0 {
			inside = append(inside, int32(v))
		} else if q != p {
			outside = append(outside, int32(v))
		}
	}
	const enough = 1 << 22 // pairs looked at
	strideIn, strideOut := 1, 1
	for len(inside)/strideIn*(len(outside)/strideOut) > enough {
		if len(inside)/strideIn > len(outside)/strideOut {
			strideIn++
		} else {
			strideOut++
		}
	}
	bestGain, bestLeft := int64(math.MinInt64), over
	bestV, bestU := int32(-1), int32(-1)
	for i := 0; i < len(inside); i += strideIn {
		if stop() {
			return false
		}
		v := inside[i]
		for j := 0; j < len(outside); j += strideOut {
			u := outside[j]
			shift := s.g.VertexWeights[v] - s.g.VertexWeights[u]
			q := s.part[u]
			if shift <= 0 || s.weight[q]+shift > s.limit[q] {
				continue
			}
			left := max(over-shift, 0)
			if left > bestLeft {
				continue
			}
			gain := s.exchangeGain(v, u)
			if left < bestLeft || gain > bestGain {
				bestGain, bestLeft, bestV, bestU = gain, left, v, u
			}
		}
	}
	if bestV < 0 || bestLeft >= over {
		return false
	}
	q := s.part[bestU]
	s.move(bestV, q)
	s.move(bestU, p)
	return true
}

// connection returns the edge weight from v to part p.
func (s *state) connection(v, p int32) int64 {
	parts, conn := s.row(v)
	for i, q := range parts {
		if q == p {
			return conn[i]
		}
	}
	return 0
}

// exchangeGain bounds the gain of swapping v and u from below by twice an
// edge between them.
func (s *state) exchangeGain(v, u int32) int64 {
	p, q := s.part[v], s.part[u]
	return s.connection(v, q) - s.connection(v, p) + s.connection(u, p) - s.connection(u, q)
}

// fillEmptyParts gives every empty part a vertex from a part that can spare
// one, losing as little as possible.
func fillEmptyParts(s *state) {
	empty := 0
	for _, n := range s.count {
		if n == 0 {
			empty++
		}
	}
	const few = 8
	if empty > few {
		fillManyEmptyParts(s)
		return
	}
	for p := int32(0); int(p) < s.k; p++ {
		if s.count[p] > 0 {
			continue
		}
		best, bestGain, bestOver := int32(-1), int64(0), int64(0)
		for v := int32(0); int(v) < len(s.part); v++ {
			from := s.part[v]
			if s.count[from] < 2 || s.isFixed(v) {
				continue
			}
			over := max(s.g.VertexWeights[v]-s.limit[p], 0) - max(s.weight[from]-s.limit[from], 0)
			gain := -s.connection(v, from)
			if best < 0 || over < bestOver || over == bestOver && gain > bestGain {
				best, bestGain, bestOver = v, gain, over
			}
		}
		if best < 0 {
			return
		}
		s.move(best, p)
	}
}

// fillManyEmptyParts is fillEmptyParts in time that does not grow with their
// number: the vertex that loses least by leaving goes first.
func fillManyEmptyParts(s *state) {
	queue := newGainQueue(len(s.part))
	for v := range int32(len(s.part)) {
		if !s.isFixed(v) {
			queue.set(v, -s.connection(v, s.part[v]))
		}
	}
	for p := int32(0); int(p) < s.k; p++ {
		for s.count[p] == 0 && !queue.empty() {
			v, key := queue.top()
			queue.remove(v)
			from := s.part[v]
			if s.count[from] < 2 {
				continue
			}
			if now := -s.connection(v, from); now < key {
				queue.set(v, now)
				continue
			}
			s.move(v, p)
		}
	}
}
