package refine

import (
	"carina/partition/graph"
)

// Permute exchanges the numbers of whole parts as long as that lowers
// the mapping cost and keeps the limits.
func Permute(s *State, stop func() bool) {
	q := newPlacement(s)
	for improved := true; improved; {
		improved = false
		for a := range int32(s.K) {
			if stop() {
				break
			}
			for b := a + 1; int(b) < s.K; b++ {
				if q.exchangeGain(a, b) > 0 {
					q.place[a], q.place[b] = q.place[b], q.place[a]
					improved = true
				}
			}
		}
	}
	parts := make([]int32, len(s.Part))
	for v, p := range s.Part {
		parts[v] = q.place[p]
	}
	s.Reset(parts)
}

// placement is where parts go that exchange their numbers.
type placement struct {
	s       *State
	traffic [][]graph.Tie
	place   []int32 // place[p] is the new number of part p
}

func newPlacement(s *State) *placement {
	return &placement{s: s, traffic: graph.Quotient(s.Graph, s.Part, s.K), place: graph.Numbers(s.K)}
}

// exchangeGain returns by how much the mapping cost falls when parts a and b
// exchange their places; nothing if a limit forbids it.
func (q *placement) exchangeGain(a, b int32) int64 {
	s := q.s
	placeA, placeB := q.place[a], q.place[b]
	if s.Weight[a] > s.Limit[placeB] || s.Weight[b] > s.Limit[placeA] {
		return 0
	}
	there, here := s.Distance[placeB], s.Distance[placeA]
	var gain int64
	for _, e := range q.traffic[a] {
		if at := q.place[e.To]; e.To != b {
			gain += e.Weight * (here[at] - there[at])
		}
	}
	for _, e := range q.traffic[b] {
		if at := q.place[e.To]; e.To != a {
			gain += e.Weight * (there[at] - here[at])
		}
	}
	return gain
}
