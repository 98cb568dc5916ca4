package partition

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// searchBound is [splitBound] for wide graphs.
func searchBound(ctx context.Context, g *Graph, limits [2]int64, below int64, steps int) (int64, error) {
	s := newBoundSearch(ctx, g, limits, below)
	asked := s.below
	if err := s.run(steps); err != nil {
		return 0, err
	}
	if s.below == asked {
		return below, nil
	}
	return s.below, nil
}

// boundSearch proves by branch and bound that no division into two connected
// parts cuts less than a number, or finds the least cut below it. The plan is that of Delling,
// Fleischman, Goldberg, Razenshteyn and Werneck 2015 (An exact combinatorial
// algorithm for minimum graph bisection): vertices are put on a side for
// certain, one by one, until a bound tells that what is left need not be looked
// at. The bounds are others, since parts must be connected and weights differ:
//
//   - what connected sides within the limit leave a vertex ([sideSettler]),
//   - minimum cuts with a price on weight ([boundSearch.balance]),
//   - what connecting the pieces of a side costs on top ([boundPath]),
//   - what a single vertex on the other side costs ([boundSearch.probe]).
//
// All of them are computed in whole numbers.
type boundSearch struct {
	ctx    context.Context
	g      *Graph
	total  int64
	limits [2]int64 // of the weights of sides 0 and 1
	below  int64    // the least cut known of two connected parts, or what is asked for
	// scale is what weights of edges are multiplied by, so that prices are
	// precise; steepest is the highest price.
	scale, steepest int64
	reverse         []int32
	vertices        []int32 // all
	scratch         *boundScratch
	settler         *sideSettler
	path            *boundPath
	experience      []branchOutcomes // by vertex
	steps           int
}

// boundNode is the divisions with some vertices on a side for certain.
type boundNode struct {
	side []int8
	// prices are those of the networks, before there are any.
	prices   []int64
	networks []*boundNetwork // the one of the best bound first
	extra    int64           // what connecting costs beyond that bound
	origin   branching
	// light and heavy are sets on either side of the wanted weight that cost
	// the same at the best price; nil if there is none.
	light, heavy []bool
}

func (n *boundNode) best() *boundNetwork { return n.networks[0] }

func newBoundSearch(ctx context.Context, g *Graph, limits [2]int64, below int64) *boundSearch {
	n := g.Vertices()
	edges := allEdges(g)
	total := g.TotalVertexWeight()
	for p := range limits {
		limits[p] = min(limits[p], total)
	}
	s := &boundSearch{ctx: ctx, g: g, total: total, limits: limits, below: min(below, edges+1), scale: 1 << 32,
		reverse: reverseArcs(g), scratch: newBoundScratch(n), settler: newSideSettler(g, limits), path: newBoundPath(g), experience: make([]branchOutcomes, n)}
	for s.scale > 1 && s.scale > endless/16/(edges+1) {
		s.scale /= 2
	}
	s.steepest = endless / 16 / (total + 1)
	for v := range n {
		s.vertices = append(s.vertices, int32(v))
	}
	return s
}

// allEdges returns the weight of all edges.
func allEdges(g *Graph) int64 {
	var sum int64
	for _, w := range g.EdgeWeights {
		sum += w
	}
	return sum / 2
}

// run lowers below to the least cut, if there is one below it, in no more than so
// many steps.
func (s *boundSearch) run(steps int) error {
	for pending := s.roots(); len(pending) > 0; {
		n := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if s.steps++; s.steps > steps {
			return fmt.Errorf("%w: more than %d steps; ask for a lower bound or allow more", ErrBoundOutOfReach, steps)
		}
		done := s.tighten(n)
		if err := s.ctx.Err(); err != nil {
			return err
		}
		s.learn(n, done)
		v := int32(-1)
		if !done {
			v = s.branch(n)
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if v >= 0 {
			pending = append(pending, s.divide(n, v)...)
		}
	}
	return nil
}

// roots returns nodes that hold all divisions: those with the heaviest vertex on
// side 0 and, if the limits differ, those with it on side 1.
func (s *boundSearch) roots() []*boundNode {
	heaviest := 0
	for v, w := range s.g.VertexWeights {
		if w > s.g.VertexWeights[heaviest] {
			heaviest = v
		}
	}
	var roots []*boundNode
	for p := range int8(2) {
		if p == 1 && s.limits[0] == s.limits[1] {
			break
		}
		side := make([]int8, s.g.Vertices())
		for v := range side {
			side[v] = undecided
		}
		side[heaviest] = p
		roots = append(roots, &boundNode{side: side, prices: []int64{0}, origin: branching{vertex: -1}})
	}
	return roots
}

// divide returns what is left to look at with a vertex on either side.
func (s *boundSearch) divide(n *boundNode, v int32) []*boundNode {
	other := &boundNode{side: slices.Clone(n.side)}
	for _, w := range n.networks {
		other.prices = append(other.prices, w.price)
	}
	n.origin = branching{vertex: v, side: 1, gap: s.gap(n.best()) - n.extra, free: free(n.side)}
	other.origin = n.origin
	other.origin.side = 0
	other.side[v], n.side[v] = 0, 1
	if s.fix(n, []int32{v}, 1) {
		s.learn(n, true)
		return []*boundNode{other}
	}
	return []*boundNode{other, n}
}

// worth is a network's bound, scaled.
func (s *boundSearch) worth(n *boundNetwork) int64 {
	return n.value - max(0, n.price)*s.limits[0] - max(0, -n.price)*s.limits[1]
}

// gap is by how much a network's flow must grow to prove that there is nothing
// below.
func (s *boundSearch) gap(n *boundNetwork) int64 {
	return s.scale*(s.below-1) + 1 - s.worth(n)
}

// rank puts the network of the best bound first.
func (s *boundSearch) rank(n *boundNode) {
	slices.SortStableFunc(n.networks, func(a, b *boundNetwork) int { return cmp.Compare(s.worth(b), s.worth(a)) })
}

// fix puts vertices on a side in all networks; it is true if that proves that
// there is nothing below.
func (s *boundSearch) fix(n *boundNode, vertices []int32, side int) bool {
	if len(vertices) > 0 {
		for _, w := range n.networks {
			if w.fix(vertices, side, max(0, s.gap(w))); s.gap(w) <= 0 {
				return true
			}
		}
		s.rank(n)
	}
	return false
}

// settle does so with the vertices of which the side follows.
func (s *boundSearch) settle(n *boundNode) bool {
	return !s.settler.settle(n.side) || s.fix(n, s.settler.settled[0], 0) || s.fix(n, s.settler.settled[1], 1)
}

// tighten puts on a side what it can; it is true if nothing is left to look at.
func (s *boundSearch) tighten(n *boundNode) bool {
	for {
		if s.settle(n) {
			return true
		}
		for _, price := range n.prices {
			n.networks = append(n.networks, s.network(n.side, price))
		}
		n.prices = nil
		s.rank(n)
		s.balance(n)
		s.look(n.best())
		if s.gap(n.best()) <= 0 || s.connecting(n) {
			return true
		}
		if done, any := s.probeAll(n); done || !any {
			return done
		}
	}
}

// connecting tells whether connecting costs too much, and leaves in extra what
// it costs.
func (s *boundSearch) connecting(n *boundNode) bool {
	for i := len(n.networks) - 1; i >= 0; i-- {
		n.extra = s.path.bound(n.side, n.networks[i])
		if n.extra >= s.gap(n.networks[i]) {
			return true
		}
	}
	raised := s.path.raise(n.side, n.best(), s.gap(n.best()))
	if raised >= s.gap(n.best()) {
		return true
	}
	n.extra = s.path.bound(n.side, n.best())
	return false
}

// look lowers below if a least cut of the network is a division asked for.
func (s *boundSearch) look(n *boundNetwork) {
	lightest, heaviest := s.leastCuts(n)
	for _, set := range []sideSet{lightest, heaviest} {
		if set.cut < s.below && set.weight <= s.limits[1] && s.total-set.weight <= s.limits[0] && s.connected(set.in) {
			s.below = set.cut
		}
	}
}

// connected tells whether both sides are, and neither is empty.
func (s *boundSearch) connected(in []bool) bool {
	side := make([]int32, len(in))
	for v, inside := range in {
		if inside {
			side[v] = 1
		}
	}
	pieces := fragments(s.g, side)
	return len(pieces) == 2 && side[pieces[0][0]] != side[pieces[1][0]]
}

// probeAll puts vertices on a side that would cost too much on the other; done
// is true if nothing is left to look at or the context is done, any if it has put any.
func (s *boundSearch) probeAll(n *boundNode) (done, any bool) {
	for v, p := range n.side {
		if p == undecided && s.ctx.Err() != nil {
			return true, false
		}
		for side := 0; side < 2 && p == undecided; side++ {
			if !s.probe(n, int32(v), side) {
				continue
			}
			any = true
			p = int8(1 - side)
			n.side[v] = p
			if s.fix(n, []int32{int32(v)}, 1-side) {
				return true, true
			}
		}
	}
	return false, any
}

// probe tells whether a vertex on a side costs too much.
func (s *boundSearch) probe(n *boundNode, v int32, side int) bool {
	for _, w := range n.networks {
		gap, hoped := s.gap(w), int64(0)
		if w == n.best() {
			// What connecting costs is looked at where it may decide.
			hoped = min(gap, max(3*n.extra/2, gap/8))
		}
		if w.room(v, side, gap-hoped) < gap-hoped {
			continue
		}
		gain := w.probe(v, side, gap, func(gain int64) int64 {
			if gain >= gap || gain < gap-hoped {
				return 0
			}
			n.side[v] = int8(side)
			extra := s.path.roughBound(n.side, w)
			n.side[v] = undecided
			return extra
		})
		if gain >= gap {
			return true
		}
	}
	return false
}

// network returns the least cut with the sides so far and a price: every unit
// of weight not on side 1 costs the price, or if that is negative every unit on
// side 1 costs its amount. Taken from the flow's value what a side within
// its limit would pay at most, it bounds the cut of every division within the limit.
func (s *boundSearch) network(side []int8, price int64) *boundNetwork {
	g := s.g
	n := &boundNetwork{g: g, reverse: s.reverse, scratch: s.scratch, price: price, residual: make([]int64, len(g.EdgeWeights))}
	for e, w := range g.EdgeWeights {
		n.residual[e] = w * s.scale
	}
	for i := range n.terminal {
		n.terminal[i] = make([]int64, g.Vertices())
	}
	for v, p := range side {
		w := g.VertexWeights[v]
		n.terminal[1][v] = max(0, price) * w
		n.terminal[0][v] = max(0, -price) * w
		if p != undecided {
			n.terminal[p][v] = endless
		}
	}
	n.augment(s.vertices, 1, math.MaxInt64)
	return n
}
