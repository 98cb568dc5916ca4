package partition

import (
	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/refine"
)

// contiguously builds a partition of connected parts. How parts that are good
// but broken are best connected shows only afterwards, so that partitions
// differ much: several are made and combined on a graph so coarse that this
// costs little, and the best is refined upwards.
func (t *task) contiguously(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source) []int32 {
	target := max(c.coarsest*len(limit), fewestForSearch)
	heaviest := l.Graph.TotalVertexWeight()/int64(target)*3/2 + 1
	levels := t.coarsen(l, target, heaviest, r)
	if t.stopped() {
		return splitInOrder(l, limit)
	}
	inner := t.derived(true)
	base := levels[len(levels)-1]
	build := func(r *random.Source) *individual { return t.connectedAfterwards(base, limit, c, r) }
	size, combinations := at(t.c.connectedPopulation, len(limit)), at(t.c.connectedCombinations, len(limit))
	if t.sharesSearch(l, len(limit)) {
		inner.generationsWithoutGain = enoughGenerations
		size, combinations = size/coarseGraphs, combinations/coarseGraphs
	}
	best := inner.evolve(base, limit, c, size, combinations, r, build)
	part := t.ascend(levels, best.part, limit, &c, r)
	if len(limit) > fewParts || t.stopped() {
		return part
	}
	return bestOf([]*individual{t.measure(l, part, limit), t.withCorridors(l, limit, c, r)}).part
}

// connectedAfterwards partitions a graph, with or without regard to connection,
// and then connects the parts.
func (t *task) connectedAfterwards(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source) *individual {
	if len(limit) == 2 {
		c.tries = triesPerTask
	}
	s := t.newState(l, t.derived(r.Below(2) == 0).multilevel(l, limit, c, r), limit)
	t.connectParts(s, &c, r, r.Below(2) == 0)
	t.refineFlows(s, &c, r)
	return t.measure(l, s.Part, limit)
}

// corridorTries is how many unconstrained partitions of n vertices are connected
// by corridors. Of few parts of a tree of tubes these cost most, and differ by a
// third from one partition to the next.
func corridorTries(n int) int {
	const vertices, most = 180_000, 32
	return min(max(vertices/n, 1), most)
}

// withCorridors connects unconstrained partitions by corridors, which are
// narrow only on the finest graph, and improves the best by a V-cycle.
func (t *task) withCorridors(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source) *individual {
	found := make([]*individual, corridorTries(l.Graph.Vertices()))
	seeds := r.Seeds(len(found))
	t.workers.Each(len(found), func(i int) {
		if i > 0 && t.stopped() {
			return
		}
		r := random.New(seeds[i])
		found[i] = t.tiedByCorridors(l, limit, c, r)
	})
	laid := bestOf(found)
	top := &coarsen.Level{Graph: l.Graph, Fixed: l.Fixed, Label: laid.part}
	cycled := t.measure(l, t.descend(top, laid.part, limit, c, r), limit)
	return bestOf([]*individual{laid, cycled})
}

// tiedByCorridors connects one unconstrained partition by corridors.
func (t *task) tiedByCorridors(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source) *individual {
	s := t.newState(l, t.derived(false).multilevel(l, limit, c, r), limit)
	t.connectParts(s, &c, r, true)
	t.refineFlows(s, &c, r)
	return t.measure(l, s.Part, limit)
}

// enoughGenerations is how many generations of combinations without gain end a search on
// one of several coarse graphs.
const enoughGenerations = 2

// fewestForSearch is the size down to which graphs are coarsened for the
// search for connected parts.
const fewestForSearch = 1500

// connectedEffort sets the size of a population of partitions each of which is
// already the best of a search on a coarse graph: one will do where that is the
// graph itself, or where there are many groups of parts to be renewed.
func (t *task) connectedEffort(l *coarsen.Level, parts, size, combinations int) (int, int) {
	const few, small, starts = 8, 1500, 4
	switch {
	case parts == 2 && l.Graph.Vertices() < small && !t.fast:
		return starts, 0 // a search misses the least cut now and then, and costs little here
	case parts > few || l.Graph.Vertices() < 2*fewestForSearch:
		return 1, 0
	case t.sharesSearch(l, parts):
		return coarseGraphs, coarseGraphs
	}
	return min(size, coarseGraphs), min(combinations, coarseGraphs)
}

// coarseGraphs is the largest number of coarse graphs that are searched.
const coarseGraphs = 3

// sharesSearch tells whether the search for connected parts of l is shared among
// several coarse graphs: of two parts what can be found depends on the coarse
// graph more than on how long it is searched.
func (t *task) sharesSearch(l *coarsen.Level, parts int) bool {
	return parts == 2 && t.searchesWidely(l) && l.Graph.Vertices() >= 2*fewestForSearch
}

// searchesWidely tells whether l is small enough for connected parts to be
// worth several times the effort of unconstrained ones.
func (t *task) searchesWidely(l *coarsen.Level) bool {
	const large = 50_000
	return !t.fast && l.Graph.Vertices() < large
}

// fewParts is up to how many parts corridors are tried on the finest graph:
// of few parts, pieces too heavy to join a neighbour break off.
const fewParts = 4

// triesOfConnected is how many initial bisections there are where connected
// parts are renewed: few of them can be connected cheaply.
const triesOfConnected = 3

// derived returns a task of the same run that reports no progress and asks
// for connected parts or not.
func (t *task) derived(contiguous bool) *task {
	c := t.c
	c.bisection.tries = 1
	return &task{c: c, fast: t.fast, uneven: t.uneven, hubs: t.hubs, halt: t.halt, workers: t.workers, distance: t.distance, contiguous: contiguous}
}

// connectParts makes parts connected and improves the cut by moves that keep
// them so.
func (t *task) connectParts(s *refine.State, c *levelConfig, r *random.Source, corridors bool) {
	if !t.stopped() {
		refine.Connect(s, c.rounds, 2*c.patience, r, corridors, t.stopped)
	}
}
