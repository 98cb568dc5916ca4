package partition

// fragments lists the connected pieces of all parts.
func fragments(g *Graph, parts []int32) [][]int32 {
	n := g.Vertices()
	seen := make([]bool, n)
	queue := make([]int32, 0, n)
	var pieces [][]int32
	for v := range n {
		if seen[v] {
			continue
		}
		begin := len(queue)
		queue = append(queue, int32(v))
		seen[v] = true
		for at := begin; at < len(queue); at++ {
			u := queue[at]
			for _, x := range g.Neighbours[g.Offsets[u]:g.Offsets[u+1]] {
				if !seen[x] && parts[x] == parts[u] {
					seen[x] = true
					queue = append(queue, x)
				}
			}
		}
		pieces = append(pieces, queue[begin:len(queue):len(queue)])
	}
	return pieces
}

// contiguously builds a partition of connected parts. How parts that are good
// but broken are best connected shows only afterwards, so that partitions
// differ much: several are made and combined on a graph so coarse that this
// costs little, and the best is refined upwards.
func (t *task) contiguously(l *level, limit []int64, c levelConfig, r *random) []int32 {
	target := max(c.coarsest*len(limit), fewestForSearch)
	heaviest := l.g.TotalVertexWeight()/int64(target)*3/2 + 1
	levels := t.coarsen(l, target, heaviest, r)
	if t.stopped() {
		return splitInOrder(l, limit)
	}
	inner := t.companion(true)
	base := levels[len(levels)-1]
	build := func(r *random) *individual { return t.connectedAfterwards(base, limit, c, r) }
	size, combinations := at(t.c.connectedPopulation, len(limit)), at(t.c.connectedCombinations, len(limit))
	if t.sharesSearch(l, len(limit)) {
		inner.broodsWithoutGain = enoughBroods
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
func (t *task) connectedAfterwards(l *level, limit []int64, c levelConfig, r *random) *individual {
	if len(limit) == 2 {
		c.tries = triesPerTask
	}
	s := t.newState(l, t.companion(r.below(2) == 0).multilevel(l, limit, c, r), limit)
	t.connectParts(s, &c, r, r.below(2) == 0)
	t.refineFlows(s, &c, r)
	return t.measure(l, s.part, limit)
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
func (t *task) withCorridors(l *level, limit []int64, c levelConfig, r *random) *individual {
	found := make([]*individual, corridorTries(l.g.Vertices()))
	seeds := r.seeds(len(found))
	t.workers.each(len(found), func(i int) {
		if i > 0 && t.stopped() {
			return
		}
		r := newRandom(seeds[i])
		found[i] = t.tiedByCorridors(l, limit, c, r)
	})
	laid := bestOf(found)
	top := &level{g: l.g, fixed: l.fixed, label: laid.part}
	cycled := t.measure(l, t.descend(top, laid.part, limit, c, r), limit)
	return bestOf([]*individual{laid, cycled})
}

// tiedByCorridors connects one unconstrained partition by corridors.
func (t *task) tiedByCorridors(l *level, limit []int64, c levelConfig, r *random) *individual {
	s := t.newState(l, t.companion(false).multilevel(l, limit, c, r), limit)
	t.connectParts(s, &c, r, true)
	t.refineFlows(s, &c, r)
	return t.measure(l, s.part, limit)
}

// enoughBroods is how many broods of combinations without gain end a search on
// one of several coarse graphs.
const enoughBroods = 2

// fewestForSearch is the size down to which graphs are coarsened for the
// search for connected parts.
const fewestForSearch = 1500

// connectedEffort sets the size of a population of partitions each of which is
// already the best of a search on a coarse graph: one will do where that is the
// graph itself, or where there are many groups of parts to be renewed.
func (t *task) connectedEffort(l *level, parts, size, combinations int) (int, int) {
	const few, small, starts = 8, 1500, 4
	switch {
	case parts == 2 && l.g.Vertices() < small && !t.hasty:
		return starts, 0 // a search misses the least cut now and then, and costs little here
	case parts > few || l.g.Vertices() < 2*fewestForSearch:
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
func (t *task) sharesSearch(l *level, parts int) bool {
	return parts == 2 && t.searchesWidely(l) && l.g.Vertices() >= 2*fewestForSearch
}

// searchesWidely tells whether l is small enough for connected parts to be
// worth several times the effort of unconstrained ones.
func (t *task) searchesWidely(l *level) bool {
	const large = 50_000
	return !t.hasty && l.g.Vertices() < large
}

// fewParts is up to how many parts corridors are tried on the finest graph:
// of few parts, pieces too heavy to join a neighbour break off.
const fewParts = 4

// triesOfConnected is how many initial bisections there are where connected
// parts are renewed: few of them can be connected cheaply.
const triesOfConnected = 3

// companion returns a task of the same run that reports no progress and asks
// for connected parts or not.
func (t *task) companion(contiguous bool) *task {
	c := t.c
	c.bisection.tries = 1
	return &task{c: c, hasty: t.hasty, uneven: t.uneven, hubs: t.hubs, halt: t.halt, workers: t.workers, distance: t.distance, contiguous: contiguous}
}

// connectParts makes parts connected, restores balance and improves the cut by
// moves that keep them so. Where the limits cannot be kept that way, balance
// goes first and pieces may break off again.
func (t *task) connectParts(s *state, c *levelConfig, r *random, corridors bool) {
	if t.stopped() {
		return
	}
	joinFragments(s, corridors, t.stopped)
	connected := newConnectivity(s)
	f := newFM(s, r, 2*c.patience, t.stopped)
	f.connected, f.branch = connected, newBranch(s)
	f.slack = heaviestOf(s.g)
	for range 3 {
		relieveAlongChains(s, connected, f.branch, t.stopped)
		f.refine(c.rounds)
		if s.overload() == 0 || t.stopped() {
			return
		}
	}
	rebalance(s, r, t.stopped)
}

// mend makes both parts of a pair connected again after moves, by handing the
// pieces that they broke off to the neighbour each is tied to most. It returns
// the moves with its own and tells whether it succeeded.
func (c *connectivity) mend(pair [2]int32, moves []moved) ([]moved, bool) {
	s := c.s
	tie := make([]int64, s.k)
	for _, p := range pair {
		pieces, ok := c.around(p, moves)
		if !ok {
			return moves, false
		}
		for _, piece := range c.split(p, pieces) {
			to := s.bestHome(piece, tie)
			if to < 0 {
				return moves, false
			}
			for _, v := range piece.vertices {
				moves = append(moves, moved{v, p})
				s.move(v, to)
			}
		}
	}
	for _, p := range pair {
		if pieces, ok := c.around(p, moves); !ok || len(pieces) > 0 {
			return moves, false
		}
	}
	return moves, true
}

// split sorts the vertices of pieces just found by their pieces.
func (c *connectivity) split(p int32, vertices []int32) []fragment {
	var pieces []fragment
	place := make(map[int32]int)
	for _, v := range vertices {
		group := c.find(c.group[v])
		i, ok := place[group]
		if !ok {
			i = len(pieces)
			place[group] = i
			pieces = append(pieces, fragment{part: p})
		}
		pieces[i].weight += c.s.g.VertexWeights[v]
		pieces[i].vertices = append(pieces[i].vertices, v)
	}
	return pieces
}
