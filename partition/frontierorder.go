package partition

import (
	"cmp"
	"context"
	"fmt"
)

// frontierOrder returns an order of the vertices in which the frontier, the
// vertices seen with neighbours not seen, stays short: greedily from several
// starts. The error wraps [ErrBoundOutOfReach] if it is longer than a
// frontierState can hold from all of them.
func frontierOrder(ctx context.Context, g *Graph) ([]int32, error) {
	const starts = 200
	n := g.Vertices()
	var best *frontierWalk
	for start := 0; start < n; start += max(1, n/starts) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w := walkFrom(g, int32(start)); w != nil && (best == nil || w.cost < best.cost) {
			best = w
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w: the graph is more than %d vertices wide", ErrBoundOutOfReach, longestFrontier)
	}
	return best.order, nil
}

// frontierWalk is an order in the making.
type frontierWalk struct {
	g      *Graph
	order  []int32
	seen   []bool
	unseen []int64
	// candidates are the unseen neighbours of vertices seen.
	candidates map[int32]bool
	frontier   int
	// cost estimates the states there will be in all.
	cost float64
}

// walkFrom returns the greedy order from a vertex, or nil if its frontier
// becomes too long.
func walkFrom(g *Graph, start int32) *frontierWalk {
	n := g.Vertices()
	w := &frontierWalk{g: g, seen: make([]bool, n), unseen: make([]int64, n), candidates: map[int32]bool{start: true}}
	for v := range w.unseen {
		w.unseen[v] = g.Offsets[v+1] - g.Offsets[v]
	}
	another := int32(0)
	for len(w.order) < n {
		if len(w.candidates) == 0 { // of another component
			for w.seen[another] {
				another++
			}
			w.candidates[another] = true
		}
		w.see(w.next())
		if w.frontier > longestFrontier {
			return nil
		}
		states := 1.0
		for range w.frontier {
			states *= 2.2 // two sides, and a little for what is connected
		}
		w.cost += states
	}
	return w
}

// frontierRank orders candidates: by how much the frontier grows, then by how
// many vertices come into reach, then by how many neighbours have been seen.
type frontierRank struct{ growth, fresh, known int64 }

func (w *frontierWalk) rank(v int32) frontierRank {
	var r frontierRank
	for _, u := range w.g.Neighbours[w.g.Offsets[v]:w.g.Offsets[v+1]] {
		switch {
		case !w.seen[u]:
			r.fresh++
		case w.unseen[u] == 1:
			r.growth--
			r.known++
		default:
			r.known++
		}
	}
	if r.fresh > 0 {
		r.growth++
	}
	return r
}

// next returns the candidate to be seen next.
func (w *frontierWalk) next() int32 {
	best := int32(-1)
	var least frontierRank
	for v := range w.candidates {
		r := w.rank(v)
		if best < 0 || cmp.Or(cmp.Compare(r.growth, least.growth), cmp.Compare(r.fresh, least.fresh), cmp.Compare(least.known, r.known), cmp.Compare(v, best)) < 0 {
			best, least = v, r
		}
	}
	return best
}

func (w *frontierWalk) see(v int32) {
	delete(w.candidates, v)
	w.seen[v] = true
	w.order = append(w.order, v)
	if w.unseen[v] > 0 {
		w.frontier++
	}
	for _, u := range w.g.Neighbours[w.g.Offsets[v]:w.g.Offsets[v+1]] {
		w.unseen[u]--
		switch {
		case !w.seen[u]:
			w.candidates[u] = true
		case w.unseen[u] == 0:
			w.frontier--
		}
	}
}
