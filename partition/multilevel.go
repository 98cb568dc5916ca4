package partition

import (
	"math"
	"sync/atomic"
)

// levelConfig sets how one kind of multilevel pass (bisections, or the whole
// into k parts) works.
type levelConfig struct {
	coarsest int // vertices per part at which coarsening ends
	smallest int // and not below this many in all
	tries    int // initial partitions
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
	// population and combinations of the memetic search for 64 parts; fewer
	// parts take proportionally, by their logarithm, fewer.
	population, combinations float64
}

var presets = [...]config{
	Fast: {
		bisection: levelConfig{coarsest: 30, smallest: 60, tries: 6, rounds: 2, patience: 30, flows: 1, reach: 0.1, initialReach: 0.8},
		kway:      levelConfig{coarsest: 60, smallest: 200, tries: 1, rounds: 2, patience: 30, flows: 1, reach: 0.1},
	},
	Eco: {
		bisection:    levelConfig{coarsest: 30, smallest: 80, tries: 12, rounds: 3, patience: 40, flows: 2, reach: 0.15, initialReach: 0.8},
		kway:         levelConfig{coarsest: 200, smallest: 300, tries: 1, rounds: 4, patience: 40, flows: 4, reach: 0.3},
		population:   2.5,
		combinations: 3,
	},
	Strong: {
		bisection:    levelConfig{coarsest: 30, smallest: 80, tries: 12, rounds: 3, patience: 40, flows: 2, reach: 0.15, initialReach: 0.8},
		kway:         levelConfig{coarsest: 200, smallest: 300, tries: 1, rounds: 4, patience: 40, flows: 6, reach: 0.4},
		population:   8,
		combinations: 16,
	},
}

// task is one run's shared context.
type task struct {
	c       config
	halt    *atomic.Bool
	workers *workers
}

func (t *task) stopped() bool { return t.halt.Load() }

// coarsen builds the hierarchy below l down to about target vertices.
func (t *task) coarsen(l *level, target int, heaviest int64, r *random) []*level {
	levels := []*level{l}
	// Clusterings and matchings suit different graphs; taking turns at random
	// also makes partitions differ, on which combining lives.
	merge := matchGlobally
	if r.below(2) == 0 {
		merge = clusterVertices
	}
	for l.g.Vertices() > target && !t.stopped() {
		toCoarse, coarse := merge(l, heaviest, r)
		if coarse*20 > l.g.Vertices()*19 {
			break
		}
		// The top level may be shared with other tasks: change a copy.
		finer := *l
		finer.toCoarse = toCoarse
		levels[len(levels)-1] = &finer
		l = contract(l, toCoarse, coarse)
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
	return t.evolve(l, limit, *c, c.tries, 0, r, func(r *random) []int32 {
		part := t.recursiveBisection(l, limit, r)
		t.refine(l, part, limit, c, r)
		return part
	}).part
}

// search runs the whole of a preset: one or more multilevel partitions,
// combined.
func (t *task) search(l *level, limit []int64, r *random) []int32 {
	depth := math.Log2(float64(len(limit))) / 6
	size := int(math.Round(t.c.population * depth))
	combinations := int(math.Round(t.c.combinations * depth))
	c := t.c.kway
	if len(limit) == 2 {
		c = t.c.bisection
		c.tries *= 3
	}
	return t.evolve(l, limit, c, size, combinations, r, func(r *random) []int32 {
		return t.multilevel(l, limit, c, r)
	}).part
}

// refine improves part in place.
func (t *task) refine(l *level, part []int32, limit []int64, c *levelConfig, r *random) *state {
	s := newState(l.g, l.fixed, len(limit), part, limit)
	fillEmptyParts(s)
	if t.stopped() {
		return s
	}
	rebalance(s, r)
	f := newFM(s, r, c.patience, t.stopped)
	f.slack = heaviestOf(l.g)
	f.refine(c.rounds)
	if c.flows > 0 {
		newFlowRefiner(s, r, c.reach, t).refine(c.flows)
	}
	return s
}
