package partition

import (
	"context"
	"fmt"
)

// frontierBound is [splitBound] for narrow graphs. It goes through
// the vertices in an order that keeps the frontier short, the vertices seen that
// still have unseen neighbours, and holds for every colouring of the frontier and
// every way its vertices are connected so far the least cut (Held and Karp 1962
// for the principle, Sekine, Imai and Tani 1995 for connectivity on a frontier).
// Sides' weights that differ by less than a thousandth of the total are merged
// into an interval, which can only lower the bound. The time grows exponentially
// with the frontier and falls fast with below.
func frontierBound(ctx context.Context, g *Graph, limits [2]int64, below int64, states int) (int64, error) {
	order, err := frontierOrder(ctx, g)
	if err != nil {
		return 0, err
	}
	s := newFrontierSearch(ctx, g, limits, below)
	for _, v := range order {
		s.add(v)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if len(s.held) > states {
			return 0, fmt.Errorf("%w: more than %d states; ask for a lower bound or allow more", ErrBoundOutOfReach, states)
		}
	}
	return s.bound(), nil
}

// longestFrontier is the number of vertices that a frontierState can hold.
const longestFrontier = 31

// frontierState is what the rest of a division depends on: the sides and the
// connection of the vertices on the frontier.
type frontierState struct {
	// label of the vertices of the frontier in order: twice the number of the
	// connected piece a vertex is in, from 1, plus its side.
	label [longestFrontier + 1]uint8
	// closed has bit p set if side p is complete: a piece of it has left the
	// frontier.
	closed uint8
	// bucket is the weight of side 0, rounded.
	bucket int32
}

// frontierCost is what divisions of the vertices seen, of one state, weigh and
// cut at least.
type frontierCost struct {
	cut       int64
	low, high int64 // weight of side 0
}

// merge returns the costs that hold for divisions of either.
func (a frontierCost) merge(b frontierCost) frontierCost {
	return frontierCost{min(a.cut, b.cut), min(a.low, b.low), max(a.high, b.high)}
}

// frontierSearch is the dynamic programme of [frontierBound].
type frontierSearch struct {
	ctx      context.Context
	g        *Graph
	limits   [2]int64 // of the sides' weights
	below    int64
	grain    int64 // weights are rounded to multiples of it
	held     map[frontierState]frontierCost
	frontier []int32
	seen     []bool
	unseen   []int64 // number of neighbours not seen
	weight   int64   // of the vertices seen
	added    int

	// About the vertex being added: its seen neighbours' places on the frontier
	// and the weights of these edges; which places stay, its own being last.
	places []int
	ties   []int64
	stays  []bool
}

func newFrontierSearch(ctx context.Context, g *Graph, limits [2]int64, below int64) *frontierSearch {
	const grains = 1000
	n := g.Vertices()
	s := &frontierSearch{ctx: ctx, g: g, limits: limits, below: below, grain: max(1, g.TotalVertexWeight()/grains),
		held: map[frontierState]frontierCost{{}: {}}, seen: make([]bool, n), unseen: make([]int64, n)}
	for v := range s.unseen {
		s.unseen[v] = g.Offsets[v+1] - g.Offsets[v]
	}
	return s
}

// add extends every state by v on either side.
func (s *frontierSearch) add(v int32) {
	s.look(v)
	first := s.added == 0 && s.limits[0] == s.limits[1]
	s.added++
	next := make(map[frontierState]frontierCost, len(s.held))
	for state, cost := range s.held {
		if s.ctx.Err() != nil {
			return
		}
		for side := range uint8(2) {
			if first && side == 1 {
				continue // sides are alike: the first vertex is on side 0
			}
			extended, more, ok := s.extend(&state, cost, side, s.g.VertexWeights[v])
			if !ok {
				continue
			}
			if other, have := next[extended]; have {
				more = more.merge(other)
			}
			next[extended] = more
		}
	}
	s.held = next
	kept := s.frontier[:0]
	for i, u := range append(s.frontier, v) {
		if s.stays[i] {
			kept = append(kept, u)
		}
	}
	s.frontier = kept
}

// look prepares what extend needs to know of v.
func (s *frontierSearch) look(v int32) {
	g := s.g
	s.seen[v] = true
	s.weight += g.VertexWeights[v]
	s.places, s.ties, s.stays = s.places[:0], s.ties[:0], s.stays[:0]
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		s.unseen[g.Neighbours[e]]--
	}
	for i, u := range s.frontier {
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if g.Neighbours[e] == u {
				s.places, s.ties = append(s.places, i), append(s.ties, g.EdgeWeights[e])
			}
		}
		s.stays = append(s.stays, s.unseen[u] > 0)
	}
	s.stays = append(s.stays, s.unseen[v] > 0)
}

// extend adds the vertex looked at to one side of the divisions of a state; ok
// is false if no division within the bounds can come of that.
func (s *frontierSearch) extend(state *frontierState, cost frontierCost, side uint8, weight int64) (frontierState, frontierCost, bool) {
	if state.closed&(1<<side) != 0 {
		return frontierState{}, cost, false
	}
	if side == 0 {
		cost.low += weight
		cost.high += weight
	}
	if cost.low > s.limits[0] || s.weight-cost.high > s.limits[1] {
		return frontierState{}, cost, false
	}
	label, own := state.label, len(s.frontier)
	label[own] = newPiece | side
	for i, place := range s.places {
		switch old := label[place]; {
		case old&1 != side:
			cost.cut += s.ties[i]
		case old != label[own]:
			for j := range label[:own] {
				if label[j] == old {
					label[j] = newPiece | side
				}
			}
		}
	}
	if cost.cut >= s.below {
		return frontierState{}, cost, false
	}
	next := frontierState{closed: state.closed, bucket: int32(cost.low / s.grain)}
	if !s.close(label[:own+1], &next) {
		return frontierState{}, cost, false
	}
	s.renumber(label[:own+1], &next)
	return next, cost, true
}

// newPiece is the label of the vertex just added, apart from its side.
const newPiece = 2 * (longestFrontier + 2)

// close marks sides complete of which a piece leaves the frontier, and tells
// whether it was their only one.
func (s *frontierSearch) close(label []uint8, next *frontierState) bool {
	for i, l := range label {
		if s.stays[i] {
			continue
		}
		leaves, alone := true, true
		for j, other := range label {
			if other == l && s.stays[j] {
				leaves = false
			}
			if other != l && other&1 == l&1 {
				alone = false
			}
		}
		if leaves && !alone {
			return false
		}
		if leaves {
			next.closed |= 1 << (l & 1)
		}
	}
	return true
}

// renumber writes the labels that stay, with pieces numbered in order.
func (s *frontierSearch) renumber(label []uint8, next *frontierState) {
	var number [newPiece + 2]uint8
	pieces, at := uint8(0), 0
	for i, l := range label {
		if !s.stays[i] {
			continue
		}
		if number[l] == 0 {
			pieces++
			number[l] = pieces
		}
		next.label[at] = number[l]<<1 | l&1
		at++
	}
}

// bound returns the least cut of all complete divisions, or below.
func (s *frontierSearch) bound() int64 {
	const both = 3
	least := s.below
	for state, cost := range s.held {
		if state.closed == both {
			least = min(least, cost.cut)
		}
	}
	return least
}
