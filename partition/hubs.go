package partition

import (
	"math"

	"carina/internal/random"
	"carina/partition/graph"
	"carina/partition/refine"
)

// hasHubs tells whether degrees differ much: by more than the average, in the
// root mean square.
func hasHubs(g *graph.Graph) bool {
	var squares float64
	for v := range g.Vertices() {
		degree := float64(g.Offsets[v+1] - g.Offsets[v])
		squares += degree * degree
	}
	n, sum := float64(g.Vertices()), float64(len(g.Neighbours))
	return squares*n > 2*sum*sum
}

// newFM sets up the search by moves that suits the graph.
func (t *task) newFM(s *refine.State, c *levelConfig, r *random.Source) *refine.FM {
	f := refine.NewFM(s, r, c.patience, t.stopped)
	f.Slack = s.Graph.Heaviest()
	switch {
	case t.hubs:
		f.Global = refine.GlobalWithHubs
	case s.K == 2:
		f.Global = refine.GlobalInBisections
	}
	return f
}

// refineMoves restores balance and searches by moves. Where a hub is, everything
// wants to be: parts that hold some grow to their limit, and nothing can come
// in any more. So with hubs it first searches within narrower limits.
func (t *task) refineMoves(s *refine.State, f *refine.FM, r *random.Source, rounds int) {
	if t.hubs {
		wide := s.Limit
		s.Limit = narrowed(wide, s.Graph.TotalVertexWeight())
		refine.Rebalance(s, r, t.stopped)
		f.Refine(0)
		s.Limit = wide
	}
	refine.Rebalance(s, r, t.stopped)
	f.Refine(rounds)
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
