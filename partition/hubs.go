package partition

import "math"

// hasHubs tells whether degrees differ much: by more than the average, in the
// root mean square.
func hasHubs(g *Graph) bool {
	var squares float64
	for v := range g.Vertices() {
		degree := float64(g.Offsets[v+1] - g.Offsets[v])
		squares += degree * degree
	}
	n, sum := float64(g.Vertices()), float64(len(g.Neighbours))
	return squares*n > 2*sum*sum
}

// newFM sets up the search by moves that suits the graph.
func (t *task) newFM(s *state, c *levelConfig, r *random) *fm {
	f := newFM(s, r, c.patience, t.stopped)
	f.slack = heaviestOf(s.g)
	switch {
	case t.hubs:
		f.whole = wholeWithHubs
	case s.k == 2:
		f.whole = wholeOfBisection
	}
	return f
}

// refineMoves restores balance and searches by moves. Where a hub is, everything
// wants to be: parts that hold some grow to their limit, and nothing can come
// in any more. So with hubs it first searches within narrower limits.
func (t *task) refineMoves(f *fm, rounds int) {
	s := f.s
	if t.hubs {
		wide := s.limit
		s.limit = narrowed(wide, s.g.TotalVertexWeight())
		rebalance(s, f.r, t.stopped)
		f.refine(0)
		s.limit = wide
	}
	rebalance(s, f.r, t.stopped)
	f.refine(rounds)
}

// narrowed returns limits with a tenth of the slack over the total weight.
func narrowed(limit []int64, total int64) []int64 {
	const keep = 0.1
	sum := 0.0
	for _, x := range limit {
		sum += float64(x)
	}
	share := keep + (1-keep)*float64(total)/max(sum, 1)
	narrow := make([]int64, len(limit))
	for p, x := range limit {
		narrow[p] = min(int64(math.Ceil(float64(x)*share)), x)
	}
	return narrow
}
