package partition

import (
	"math"
	"math/bits"
)

// piece is the part of a graph that a recursive bisection still divides.
type piece struct {
	l *level
	// root maps the piece's vertices to those of the graph bisected first;
	// nil means the identity.
	root []int32
	// parts are the numbers to give out, limit their limits.
	parts []int32
	limit []int64
	// alike is about how many pieces there are of this size.
	alike int
}

// mostTries bounds the initial bisections of all pieces of one size: beyond
// 128 parts their number would grow with the parts times the square of their
// logarithm.
const mostTries = 384

// recursiveBisection divides l into k parts by multilevel bisections.
func (t *task) recursiveBisection(l *level, limit []int64, r *random) []int32 {
	result := make([]int32, l.g.Vertices())
	p := &piece{l: l, limit: limit, alike: 1}
	for q := range limit {
		p.parts = append(p.parts, int32(q))
	}
	t.bisect(p, r, result)
	return result
}

func (t *task) bisect(p *piece, r *random, result []int32) {
	if len(p.parts) == 1 {
		for v := 0; v < p.l.g.Vertices(); v++ {
			result[p.rootOf(int32(v))] = p.parts[0]
		}
		return
	}
	if t.stopped() {
		for v, at := range splitInOrder(p.l, p.limit) {
			result[p.rootOf(int32(v))] = p.parts[at]
		}
		return
	}
	half, division := t.divide(p, r)
	seeds := r.seeds(2)
	t.workers.each(2, func(side int) {
		lower, upper := 0, half
		if side == 1 {
			lower, upper = half, len(p.parts)
		}
		t.bisect(p.extract(division, int32(side), lower, upper), newRandom(seeds[side]), result)
	})
}

// divideAt separates the first half of p's parts from the others.
func (t *task) divideAt(p *piece, half int, r *random) []int32 {
	sides := &level{g: p.l.g, fixed: p.sidesFixed(half)}
	// Early bisections matter most and are few: they get more tries.
	c := t.c.bisection
	depth := bits.Len(uint(len(p.parts) - 1))
	c.tries *= depth * (depth + 1) / 2
	c.tries = min(c.tries, max(1, mostTries/p.alike)) * t.effort()
	return t.multilevel(sides, sideLimits(p, half), c, r)
}

func (p *piece) rootOf(v int32) int32 {
	if p.root == nil {
		return v
	}
	return p.root[v]
}

// sidesFixed translates fixed parts to fixed sides.
func (p *piece) sidesFixed(half int) []int32 {
	if p.l.fixed == nil {
		return nil
	}
	sides := make([]int32, len(p.l.fixed))
	for v, q := range p.l.fixed {
		switch {
		case q < 0:
			sides[v] = -1
		case q < p.parts[half]:
			sides[v] = 0
		default:
			sides[v] = 1
		}
	}
	return sides
}

// sideLimits shares the slack between total weight and total limit evenly, in
// ratio, over the bisections still to come.
func sideLimits(p *piece, half int) []int64 {
	var room [2]int64
	for i, limit := range p.limit {
		if i < half {
			room[0] += limit
		} else {
			room[1] += limit
		}
	}
	total := float64(p.l.g.TotalVertexWeight())
	ratio := float64(room[0]+room[1]) / math.Max(total, 1)
	depth := math.Ceil(math.Log2(float64(len(p.parts))))
	keep := 1.0
	if ratio > 1 {
		keep = math.Pow(ratio, (depth-1)/depth)
	}
	limits := make([]int64, 2)
	for side := range limits {
		limits[side] = min(room[side], int64(math.Ceil(float64(room[side])/keep)))
	}
	return limits
}

// extract returns the subgraph on one side.
func (p *piece) extract(division []int32, side int32, lower, upper int) *piece {
	g := p.l.g
	number := make([]int32, len(division))
	sub := &piece{l: &level{g: &Graph{Offsets: []int64{0}}}, parts: p.parts[lower:upper], limit: p.limit[lower:upper], alike: 2 * p.alike}
	n := int32(0)
	for v, s := range division {
		if s == side {
			number[v] = n
			n++
		}
	}
	sub.root = make([]int32, 0, n)
	for v, s := range division {
		if s != side {
			continue
		}
		sub.root = append(sub.root, p.rootOf(int32(v)))
		sub.l.g.VertexWeights = append(sub.l.g.VertexWeights, g.VertexWeights[v])
		if p.l.fixed != nil {
			sub.l.fixed = append(sub.l.fixed, p.l.fixed[v])
		}
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if u := g.Neighbours[e]; division[u] == side {
				sub.l.g.Neighbours = append(sub.l.g.Neighbours, number[u])
				sub.l.g.EdgeWeights = append(sub.l.g.EdgeWeights, g.EdgeWeights[e])
			}
		}
		sub.l.g.Offsets = append(sub.l.g.Offsets, int64(len(sub.l.g.Neighbours)))
	}
	return sub
}

// triesPerTask is how many initial bisections share one task and its memory.
const triesPerTask = 4

// bestBisection makes c.tries bisections and returns the best.
func (t *task) bestBisection(l *level, limit []int64, c *levelConfig, r *random) []int32 {
	found := make([]*individual, (c.tries+triesPerTask-1)/triesPerTask)
	seeds := r.seeds(len(found))
	t.workers.each(len(found), func(i int) {
		found[i] = t.someBisections(l, limit, c, newRandom(seeds[i]))
	})
	return bestOf(found).part
}

// someBisections grows side 0 from several random vertices, or scatters the
// vertices, refines each bisection and returns the best.
func (t *task) someBisections(l *level, limit []int64, c *levelConfig, r *random) *individual {
	s := newState(l, make([]int32, l.g.Vertices()), limit, nil)
	f := t.newFM(s, c, r)
	flows := newFlowRefiner(s, r, c.initialReach, t)
	var best *individual
	division := make([]int32, len(s.part))
	for try := range triesPerTask {
		if try%3 == 2 {
			scatter(l, r, division)
		} else {
			growBisection(l, limit, r, division, f.queue)
		}
		s.reset(division)
		fillEmptyParts(s)
		t.polish(s, f, flows, c, best)
		found := &individual{over: s.overload(), cut: s.cut}
		if t.contiguous {
			found.broken = len(fragments(l.g, s.part))
		}
		if best == nil || found.better(best) {
			found.part = append([]int32(nil), s.part...)
			best = found
		}
		if t.stopped() {
			break
		}
	}
	return best
}

// hopeless is how many times the best cut so far another try may cut and still
// be worth its flows.
const hopeless = 1.3

// polish refines an initial bisection, with flows only if it may yet become
// the best.
func (t *task) polish(s *state, f *fm, flows *flowRefiner, c *levelConfig, best *individual) {
	if t.contiguous {
		t.connectParts(s, c, f.r, false)
	} else {
		t.refineMoves(f, c.rounds)
	}
	if c.initialReach == 0 || best != nil && best.over <= s.overload() && float64(s.cut) > hopeless*float64(best.cut) {
		return
	}
	flows.refine(3)
	if !t.contiguous {
		f.refine(1)
	}
}

// growBisection puts everything on side 1 and then grows side 0 from a random
// vertex, always taking the vertex whose move costs least, until side 0 has
// its share (greedy graph growing, Karypis and Kumar 1998).
func growBisection(l *level, limit []int64, r *random, division []int32, queue *gainQueue) {
	g := l.g
	n := g.Vertices()
	for v := range division {
		division[v] = 1
	}
	share := float64(limit[0]) / math.Max(float64(limit[0])+float64(limit[1]), 1)
	target := int64(float64(g.TotalVertexWeight()) * share)
	var weight int64
	take := func(v int32) {
		division[v] = 0
		weight += g.VertexWeights[v]
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			u := g.Neighbours[e]
			if division[u] == 1 && (l.fixed == nil || l.fixed[u] < 0) {
				queue.set(u, growGain(g, division, u))
			}
		}
	}
	for v, side := range l.fixed {
		if side == 0 {
			take(int32(v))
		}
	}
	for _, seed := range r.permutation(n) {
		if weight >= target {
			break
		}
		if queue.empty() && division[seed] == 1 && (l.fixed == nil || l.fixed[seed] < 0) {
			queue.set(seed, 0)
		}
		for weight < target && !queue.empty() {
			v, _ := queue.top()
			queue.remove(v)
			if weight+g.VertexWeights[v] <= limit[0] {
				take(v)
			}
		}
	}
	queue.clear()
}

// scatter puts every vertex on a random side: refined, that gives sides of
// several pieces, which growing never finds and tree-like graphs need.
func scatter(l *level, r *random, division []int32) {
	for v := range division {
		division[v] = int32(r.below(2))
		if l.fixed != nil && l.fixed[v] >= 0 {
			division[v] = l.fixed[v]
		}
	}
}

// heaviestOf returns the largest vertex weight.
func heaviestOf(g *Graph) int64 {
	var w int64
	for _, x := range g.VertexWeights {
		w = max(w, x)
	}
	return w
}

func growGain(g *Graph, division []int32, v int32) int64 {
	var gain int64
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		if division[g.Neighbours[e]] == 0 {
			gain += g.EdgeWeights[e]
		} else {
			gain -= g.EdgeWeights[e]
		}
	}
	return gain
}
