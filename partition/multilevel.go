package partition

import "math"

// levelConfig sets how one kind of multilevel pass (bisections, or the whole
// into k parts) works.
type levelConfig struct {
	coarsest int // vertices per part at which coarsening ends
	smallest int // and not below this many in all
	tries    int // initial partitions; few where rounds of renewal follow, which gain more
	rounds   int // of FM per level
	patience int // of one FM search
	flows    int // rounds of flow refinement per level
	// reach is the share of a part that a flow network may hold; initialReach
	// the same on the coarsest graph of a bisection, where 0 means no flows.
	reach, initialReach float64
}

// config is what a preset stands for.
type config struct {
	bisection levelConfig
	kway      levelConfig
	// Sizes of the memetic search for 2 and for 64 parts; between and beyond
	// these they go with the logarithm.
	population, combinations [2]float64
	// renewals is how many rounds of partitioning groups of parts anew there
	// are instead, where that is possible ([task.renew]), again for 2 and 64.
	renewals [2]float64
	// starts is how many partitions the one to be renewed is chosen from, and
	// weightedStarts the same where vertex weights differ.
	starts, weightedStarts int
	// The sizes of the memetic search for two parts, where there is nothing to
	// renew (the population where vertex weights differ, if that is another),
	// and the vertices per part down to which graphs are coarsened then.
	pairPopulation, weightedPairPopulation, pairCombinations, pairCoarsest int
	// The same for the search for connected parts on a coarse graph.
	connectedPopulation, connectedCombinations [2]float64
	// The same for three and four connected parts, from annealed starts.
	fewPopulation, fewCombinations int
	// renewals where parts are to be connected, on graphs that are not large.
	connectedRenewals [2]float64
	// The most rounds of annealing, for unconstrained and for connected parts,
	// and the most tries of an annealing of connected ones.
	annealings, connectedAnnealings, connectedTries int
}

// at returns the value for k parts of a quantity given for 2 and 64.
func at(ends [2]float64, k int) int {
	share := (math.Log2(float64(k)) - 1) / 5
	return int(math.Round(ends[0] + (ends[1]-ends[0])*min(share, 1.5)))
}

var presets = [...]config{
	Fast: {
		bisection:             levelConfig{coarsest: 30, smallest: 80, tries: 2, rounds: 2, patience: 30, flows: 1, reach: 0.25, initialReach: 0.6},
		kway:                  levelConfig{coarsest: 60, smallest: 300, tries: 1, rounds: 3, patience: 30, flows: 2, reach: 0.15},
		population:            [2]float64{1, 1},
		pairPopulation:        2,
		pairCoarsest:          40,
		connectedPopulation:   [2]float64{10, 2},
		connectedCombinations: [2]float64{8, 1},
	},
	Eco: {
		bisection:             levelConfig{coarsest: 30, smallest: 80, tries: 1, rounds: 3, patience: 40, flows: 2, reach: 0.15, initialReach: 0.8},
		kway:                  levelConfig{coarsest: 60, smallest: 300, tries: 1, rounds: 4, patience: 40, flows: 4, reach: 0.25},
		population:            [2]float64{1.3, 3},
		combinations:          [2]float64{0, 6},
		renewals:              [2]float64{2.6, 7},
		starts:                1,
		pairPopulation:        3,
		pairCoarsest:          20,
		connectedPopulation:   [2]float64{28, 4},
		connectedCombinations: [2]float64{40, 4},
		fewPopulation:         24,
		fewCombinations:       96,
		connectedRenewals:     [2]float64{30, 60},
		connectedAnnealings:   4,
		connectedTries:        4_000_000,
	},
	Strong: {
		bisection:              levelConfig{coarsest: 30, smallest: 80, tries: 1, rounds: 3, patience: 40, flows: 2, reach: 0.15, initialReach: 0.8},
		kway:                   levelConfig{coarsest: 60, smallest: 300, tries: 1, rounds: 4, patience: 40, flows: 6, reach: 0.3},
		population:             [2]float64{3, 5},
		combinations:           [2]float64{2, 20},
		renewals:               [2]float64{14, 36},
		starts:                 3,
		weightedStarts:         12,
		pairPopulation:         8,
		weightedPairPopulation: 24,
		pairCombinations:       4,
		pairCoarsest:           20,
		connectedPopulation:    [2]float64{40, 6},
		connectedCombinations:  [2]float64{80, 8},
		fewPopulation:          40,
		fewCombinations:        240,
		connectedRenewals:      [2]float64{60, 150},
		annealings:             2,
		connectedAnnealings:    8,
		connectedTries:         16_000_000,
	},
}

// newState takes over part of all parts or of a bisection, which knows no
// distances.
func (t *task) newState(l *level, part []int32, limit []int64) *state {
	if len(limit) != len(t.distance) {
		return newState(l, part, limit, nil)
	}
	return newState(l, part, limit, t.distance)
}

// coarsen builds the hierarchy below l down to about target vertices.
func (t *task) coarsen(l *level, target int, heaviest int64, r *random) []*level {
	levels := []*level{l}
	// Clusterings and matchings suit different graphs; taking turns at random
	// also makes partitions differ, on which combining lives. With hubs a single
	// try is safer with matchings: clusters tie all that hangs on a hub to it.
	// Sorting millions of edges for a matching is not worth its time.
	merge := matchGlobally
	const many = 1 << 20
	single := t.hasty && t.hubs
	if r.below(2) == 0 && !single || len(l.g.Neighbours) > many {
		merge = clusterVertices
	}
	for l.g.Vertices() > target && !t.stopped() {
		toCoarse, coarse := merge(l, heaviest, r, t.stopped)
		if t.stopped() {
			break
		}
		if coarse*20 > l.g.Vertices()*19 {
			break
		}
		next := contract(l, toCoarse, coarse, t.workers, t.stopped)
		if next == nil {
			break
		}
		// The top level may be shared with other tasks: change a copy.
		finer := *l
		finer.toCoarse = toCoarse
		levels[len(levels)-1] = &finer
		l = next
		levels = append(levels, l)
	}
	return levels
}

// multilevel divides l into len(limit) parts: coarsen, partition the coarsest
// graph, refine on the way back.
func (t *task) multilevel(l *level, limit []int64, c levelConfig, r *random) []int32 {
	k := len(limit)
	target := max(c.coarsest*k, c.smallest)
	heaviest := l.g.TotalVertexWeight()/int64(target)*3/2 + 1
	levels := t.coarsen(l, target, heaviest, r)
	if t.stopped() {
		return splitInOrder(l, limit)
	}
	var part []int32
	if k == 2 {
		part = t.bestBisection(levels[len(levels)-1], limit, &c, r)
	} else {
		part = t.bestRecursive(levels[len(levels)-1], limit, &c, r)
	}
	return t.ascend(levels, part, limit, &c, r)
}

// ascend refines part, of the coarsest level, on every level upwards.
func (t *task) ascend(levels []*level, part []int32, limit []int64, c *levelConfig, r *random) []int32 {
	for i := len(levels) - 1; i >= 0; i-- {
		if i < len(levels)-1 {
			part = projectUp(part, levels[i].toCoarse)
		}
		t.refine(levels[i], part, limit, c, r)
	}
	return part
}

// bestRecursive takes the best of a few refined recursive bisections.
func (t *task) bestRecursive(l *level, limit []int64, c *levelConfig, r *random) []int32 {
	candidates := make([]*individual, c.tries)
	seeds := r.seeds(c.tries)
	t.workers.each(c.tries, func(i int) {
		r := newRandom(seeds[i])
		part := t.recursiveBisection(l, limit, r)
		if t.distance != nil && l.fixed == nil {
			permuteParts(t.newState(l, part, limit), t.stopped)
		}
		t.refine(l, part, limit, c, r)
		candidates[i] = t.measure(l, part, limit)
	})
	return bestOf(candidates).part
}

// search runs the whole of a preset: one partition that is renewed, or several
// that are combined.
func (t *task) search(l *level, limit []int64, r *random) []int32 {
	size, combinations := at(t.c.population, len(limit)), at(t.c.combinations, len(limit))
	renewals := at(t.c.renewals, len(limit))
	if t.uneven && t.c.population[0] > 2 {
		size, combinations = 2*size, 2*combinations
	}
	if t.contiguous {
		size, combinations = t.connectedEffort(l, len(limit), size, combinations)
		t.c.bisection.tries = triesOfConnected
		if t.searchesWidely(l) {
			renewals = at(t.c.connectedRenewals, len(limit))
		}
	}
	c, steps := t.c.kway, size+combinations
	starts := t.startsOf(l, len(limit))
	if len(limit) == 2 {
		c = t.c.bisection
		c.tries *= 10 * t.effort()
	}
	switch {
	case t.startsAnnealed(l, len(limit)):
		size, combinations = t.c.fewPopulation, t.c.fewCombinations
		steps = size + combinations
	case !t.plain():
	case len(limit) == 2:
		size, combinations = t.pairPopulation(l), t.c.pairCombinations
		c.coarsest, c.smallest = t.c.pairCoarsest, 2*t.c.pairCoarsest
		steps = size + combinations
	default:
		size, combinations, steps = 1, 0, 1+renewals+starts.trials()
		// Many rounds make up for few tries.
		t.uneven = t.uneven && renewals == 0
	}
	build := func(r *random) *individual {
		if t.startsAnnealed(l, len(limit)) {
			return t.annealedStart(l, limit, c, r)
		}
		if t.previous != nil {
			return t.measure(l, t.continuePrevious(l, limit, c, r), limit)
		}
		return t.renew(l, t.bestStart(l, limit, c, starts, r), limit, c, renewals, r)
	}
	if t.timed() {
		return t.evolveUntilStopped(l, limit, c, r, build).part
	}
	t.expect(steps + t.annealingPlan(l, len(limit)).rounds)
	return t.anneal(l, t.evolve(l, limit, c, size, combinations, r, build), limit, c, r).part
}

// fresh builds one partition by the way that suits what is asked for.
func (t *task) fresh(l *level, limit []int64, c levelConfig, r *random) []int32 {
	switch {
	case t.distance != nil && len(limit) == len(t.distance):
		return t.mapped(l, limit, c, r)
	case t.contiguous:
		return t.contiguously(l, limit, c, r)
	}
	return t.multilevel(l, limit, c, r)
}

// continuePrevious improves the given partition by a V-cycle and takes the
// better of that and a new one, which must pay for its migration.
func (t *task) continuePrevious(l *level, limit []int64, c levelConfig, r *random) []int32 {
	old := &level{g: l.g, fixed: l.fixed, label: t.previous}
	kept := t.measure(l, t.descend(old, t.previous, limit, c, r), limit)
	if t.stopped() {
		return kept.part
	}
	fresh := t.measure(l, t.fresh(l, limit, c, r), limit)
	return bestOf([]*individual{kept, fresh}).part
}

// refine improves part in place.
func (t *task) refine(l *level, part []int32, limit []int64, c *levelConfig, r *random) {
	if t.stopped() {
		return
	}
	s := t.newState(l, part, limit)
	if t.stopped() {
		return
	}
	fillEmptyParts(s)
	if t.contiguous {
		t.connectParts(s, c, r, false)
		t.refineFlows(s, c, r)
		return
	}
	f := t.newFM(s, c, r)
	f.workers = t.workers
	t.refineMoves(f, c.rounds)
	t.refineFlows(s, c, r)
}

func (t *task) refineFlows(s *state, c *levelConfig, r *random) {
	// On large graphs one narrow sweep has to do for a fast partition; with
	// hubs, from which networks spread to everything, edges count.
	const large, largeWithHubs = 200_000, 400_000
	rounds, reach := c.flows, c.reach
	if t.hasty && (len(s.part) > large || t.hubs && len(s.g.Neighbours) > largeWithHubs) {
		rounds, reach = 1, min(reach, 0.05)
	}
	if rounds > 0 {
		newFlowRefiner(s, r, reach, t).refine(rounds)
	}
}

// splitInOrder gives each part a run of consecutive vertices: what there is
// time for when a run is cancelled early.
func splitInOrder(l *level, limit []int64) []int32 {
	part := make([]int32, l.g.Vertices())
	var room, weight int64
	for _, x := range limit {
		room += x
	}
	total := l.g.TotalVertexWeight()
	p, filled := 0, limit[0]
	for v := range part {
		w := l.g.VertexWeights[v]
		// Fill in proportion to the limits.
		for p < len(limit)-1 && float64(weight)+float64(w)/2 > float64(filled)/float64(room)*float64(total) {
			p++
			filled += limit[p]
		}
		weight += w
		part[v] = int32(p)
		if l.fixed != nil && l.fixed[v] >= 0 {
			part[v] = l.fixed[v]
		}
	}
	return part
}
