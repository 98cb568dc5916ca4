package refine

import (
	"math"

	"carina/internal/random"
)

// Rebalance moves vertices out of overloaded parts, least loss per weight
// first, until every part is within its limit or no move helps; then it
// exchanges pairs. It reports whether the partition is within the limits.
func Rebalance(s *State, r *random.Source, stop func() bool) bool {
	for s.Overload() > 0 {
		before := s.Overload()
		relieve(s, r, stop)
		if s.Overload() > 0 {
			exchange(s, stop)
		}
		if s.Overload() >= before || stop() {
			return s.Overload() == 0
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
func (s *State) roomiest(from int32, w int64) int32 {
	best, bestRoom := int32(-1), int64(-1)
	for p := range s.Weight {
		if room := s.Limit[p] - s.Weight[p] - w; int32(p) != from && room > bestRoom {
			best, bestRoom = int32(p), room
		}
	}
	return best
}

// reliefMove returns where v should go to relieve its part: the part with
// room it is tied to most, or else the roomiest one.
func (s *State) reliefMove(v int32) (int32, int64) {
	from := s.Part[v]
	if s.IsFixed(v) || s.Count[from] == 1 {
		return -1, 0
	}
	w := s.Graph.VertexWeights[v]
	parts, conn := s.Row(v)
	best, bestConn, inner := int32(-1), int64(0), int64(0)
	for i, p := range parts {
		if p == from {
			inner = conn[i]
		} else if conn[i] > bestConn && s.Weight[p]+w <= s.Limit[p] {
			best, bestConn = p, conn[i]
		}
	}
	if best < 0 {
		best = s.roomiest(from, w)
	}
	return best, bestConn - inner
}

func relieve(s *State, r *random.Source, stop func() bool) {
	queue := NewQueue(len(s.Part))
	for i, v := range r.Permutation(len(s.Part)) {
		if i%64 == 0 && stop() {
			return
		}
		p := s.Part[v]
		if s.Weight[p] <= s.Limit[p] || s.Graph.VertexWeights[v] == 0 {
			continue
		}
		if to, gain := s.reliefMove(v); to >= 0 {
			queue.Set(v, relativeGain(gain, s.Graph.VertexWeights[v]))
		}
	}
	for tick := 0; !queue.Empty(); tick++ {
		if tick%64 == 0 && stop() {
			return
		}
		v, key := queue.Top()
		queue.Remove(v)
		from := s.Part[v]
		if s.Weight[from] <= s.Limit[from] {
			continue
		}
		to, gain := s.reliefMove(v)
		if to < 0 {
			continue
		}
		if now := relativeGain(gain, s.Graph.VertexWeights[v]); now < key {
			queue.Set(v, now)
			continue
		}
		s.Move(v, to)
		for _, u := range s.Graph.NeighboursOf(v) {
			if queue.contains(u) {
				if to, gain := s.reliefMove(u); to >= 0 {
					queue.Set(u, relativeGain(gain, s.Graph.VertexWeights[u]))
				}
			}
		}
	}
}

// exchange swaps a heavier vertex of an overloaded part with a lighter one of
// another part where that lowers the overload; of all such pairs per heavy
// vertex it takes the one that leaves least overload, then loses least.
func exchange(s *State, stop func() bool) {
	for p := int32(0); int(p) < s.K && !stop(); p++ {
		for tries := 0; s.Weight[p] > s.Limit[p] && tries < 64; tries++ {
			if !exchangeOnce(s, p, stop) {
				break
			}
		}
	}
}

func exchangeOnce(s *State, p int32, stop func() bool) bool {
	over := s.Weight[p] - s.Limit[p]
	var inside, outside []int32
	for v, q := range s.Part {
		if s.IsFixed(int32(v)) {
			continue
		}
		if q == p && s.Graph.VertexWeights[v] > 0 {
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
			shift := s.Graph.VertexWeights[v] - s.Graph.VertexWeights[u]
			q := s.Part[u]
			if shift <= 0 || s.Weight[q]+shift > s.Limit[q] {
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
	q := s.Part[bestU]
	s.Move(bestV, q)
	s.Move(bestU, p)
	return true
}

// Connection returns the edge weight from v to part p.
func (s *State) Connection(v, p int32) int64 {
	parts, conn := s.Row(v)
	for i, q := range parts {
		if q == p {
			return conn[i]
		}
	}
	return 0
}

// exchangeGain bounds the gain of swapping v and u from below by twice an
// edge between them.
func (s *State) exchangeGain(v, u int32) int64 {
	p, q := s.Part[v], s.Part[u]
	return s.Connection(v, q) - s.Connection(v, p) + s.Connection(u, p) - s.Connection(u, q)
}

// FillEmptyParts gives every empty part a vertex from a part that can spare
// one, losing as little as possible.
func FillEmptyParts(s *State) {
	empty := 0
	for _, n := range s.Count {
		if n == 0 {
			empty++
		}
	}
	const few = 8
	if empty > few {
		fillManyEmptyParts(s)
		return
	}
	for p := int32(0); int(p) < s.K; p++ {
		if s.Count[p] > 0 {
			continue
		}
		best, bestGain, bestOver := int32(-1), int64(0), int64(0)
		for v := int32(0); int(v) < len(s.Part); v++ {
			from := s.Part[v]
			if s.Count[from] < 2 || s.IsFixed(v) {
				continue
			}
			over := max(s.Graph.VertexWeights[v]-s.Limit[p], 0) - max(s.Weight[from]-s.Limit[from], 0)
			gain := -s.Connection(v, from)
			if best < 0 || over < bestOver || over == bestOver && gain > bestGain {
				best, bestGain, bestOver = v, gain, over
			}
		}
		if best < 0 {
			return
		}
		s.Move(best, p)
	}
}

// fillManyEmptyParts is fillEmptyParts in time that does not grow with their
// number: the vertex that loses least by leaving goes first.
func fillManyEmptyParts(s *State) {
	queue := NewQueue(len(s.Part))
	for v := range int32(len(s.Part)) {
		if !s.IsFixed(v) {
			queue.Set(v, -s.Connection(v, s.Part[v]))
		}
	}
	for p := int32(0); int(p) < s.K; p++ {
		for s.Count[p] == 0 && !queue.Empty() {
			v, key := queue.Top()
			queue.Remove(v)
			from := s.Part[v]
			if s.Count[from] < 2 {
				continue
			}
			if now := -s.Connection(v, from); now < key {
				queue.Set(v, now)
				continue
			}
			s.Move(v, p)
		}
	}
}
