package partition

import (
	"math"
	"math/bits"

	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/flow"
	"carina/partition/graph"
	"carina/partition/refine"
)

// piece is the part of a graph that a recursive bisection still divides.
type piece struct {
	l *coarsen.Level
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
func (t *task) recursiveBisection(l *coarsen.Level, limit []int64, r *random.Source) []int32 {
	result := make([]int32, l.Graph.Vertices())
	p := &piece{l: l, limit: limit, alike: 1}
	for q := range limit {
		p.parts = append(p.parts, int32(q))
	}
	t.bisect(p, r, result)
	return result
}

func (t *task) bisect(p *piece, r *random.Source, result []int32) {
	if len(p.parts) == 1 {
		for v := 0; v < p.l.Graph.Vertices(); v++ {
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
	seeds := r.Seeds(2)
	t.workers.Each(2, func(side int) {
		lower, upper := 0, half
		if side == 1 {
			lower, upper = half, len(p.parts)
		}
		t.bisect(p.extract(division, int32(side), lower, upper), random.New(seeds[side]), result)
	})
}

// divideAt separates the first half of p's parts from the others.
func (t *task) divideAt(p *piece, half int, r *random.Source) []int32 {
	sides := &coarsen.Level{Graph: p.l.Graph, Fixed: p.sidesFixed(half)}
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
	if p.l.Fixed == nil {
		return nil
	}
	sides := make([]int32, len(p.l.Fixed))
	for v, q := range p.l.Fixed {
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
	total := float64(p.l.Graph.TotalVertexWeight())
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
	var vertices []int32
	for v, s := range division {
		if s == side {
			vertices = append(vertices, int32(v))
		}
	}
	sub := &piece{parts: p.parts[lower:upper], limit: p.limit[lower:upper], alike: 2 * p.alike, root: make([]int32, len(vertices))}
	sub.l = &coarsen.Level{Graph: p.l.Graph.Subgraph(vertices, make([]int32, len(division)), func(v int32) bool { return division[v] == side })}
	for i, v := range vertices {
		sub.root[i] = p.rootOf(v)
		if p.l.Fixed != nil {
			sub.l.Fixed = append(sub.l.Fixed, p.l.Fixed[v])
		}
	}
	return sub
}

// triesPerTask is how many initial bisections share one task and its memory.
const triesPerTask = 4

// bestBisection makes c.tries bisections and returns the best.
func (t *task) bestBisection(l *coarsen.Level, limit []int64, c *levelConfig, r *random.Source) []int32 {
	found := make([]*individual, (c.tries+triesPerTask-1)/triesPerTask)
	seeds := r.Seeds(len(found))
	t.workers.Each(len(found), func(i int) {
		found[i] = t.someBisections(l, limit, c, random.New(seeds[i]))
	})
	return bestOf(found).part
}

// someBisections grows side 0 from several random vertices, or scatters the
// vertices, refines each bisection and returns the best.
func (t *task) someBisections(l *coarsen.Level, limit []int64, c *levelConfig, r *random.Source) *individual {
	s := refine.NewState(l.Graph, l.Fixed, make([]int32, l.Graph.Vertices()), limit, nil)
	f, queue := t.newFM(s, c, r), refine.NewQueue(len(s.Part))
	flows := flow.NewRefiner(s, r, c.initialReach, t.contiguous, t.workers, t.stopped)
	var best *individual
	division := make([]int32, len(s.Part))
	for try := range triesPerTask {
		if try%3 == 2 {
			scatter(l, r, division)
		} else {
			growBisection(l, limit, r, division, queue)
		}
		s.Reset(division)
		refine.FillEmptyParts(s)
		t.polish(s, f, flows, c, best, r)
		found := &individual{over: s.Overload(), cut: s.Cut}
		if t.contiguous {
			found.broken = len(graph.Pieces(l.Graph, s.Part))
		}
		if best == nil || found.better(best) {
			found.part = append([]int32(nil), s.Part...)
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
func (t *task) polish(s *refine.State, f *refine.FM, flows *flow.Refiner, c *levelConfig, best *individual, r *random.Source) {
	if t.contiguous {
		t.connectParts(s, c, r, false)
	} else {
		t.refineMoves(s, f, r, c.rounds)
	}
	if c.initialReach == 0 || best != nil && best.over <= s.Overload() && float64(s.Cut) > hopeless*float64(best.cut) {
		return
	}
	flows.Refine(3)
	if !t.contiguous {
		f.Refine(1)
	}
}

// growBisection puts everything on side 1 and then grows side 0 from a random
// vertex, always taking the vertex whose move costs least, until side 0 has
// its share (greedy graph growing, Karypis and Kumar 1998).
func growBisection(l *coarsen.Level, limit []int64, r *random.Source, division []int32, queue *refine.Queue) {
	g := l.Graph
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
			if division[u] == 1 && (l.Fixed == nil || l.Fixed[u] < 0) {
				queue.Set(u, growGain(g, division, u))
			}
		}
	}
	for v, side := range l.Fixed {
		if side == 0 {
			take(int32(v))
		}
	}
	for _, seed := range r.Permutation(n) {
		if weight >= target {
			break
		}
		if queue.Empty() && division[seed] == 1 && (l.Fixed == nil || l.Fixed[seed] < 0) {
			queue.Set(seed, 0)
		}
		for weight < target && !queue.Empty() {
			v, _ := queue.Top()
			queue.Remove(v)
			if weight+g.VertexWeights[v] <= limit[0] {
				take(v)
			}
		}
	}
	queue.Clear()
}

// scatter puts every vertex on a random side: refined, that gives sides of
// several pieces, which growing never finds and tree-like graphs need.
func scatter(l *coarsen.Level, r *random.Source, division []int32) {
	for v := range division {
		division[v] = int32(r.Below(2))
		if l.Fixed != nil && l.Fixed[v] >= 0 {
			division[v] = l.Fixed[v]
		}
	}
}

func growGain(g *graph.Graph, division []int32, v int32) int64 {
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
