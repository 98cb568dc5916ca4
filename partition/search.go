package partition

import (
	"carina/internal/random"
	"carina/partition/coarsen"
)

// search runs the whole of a preset: one partition that is renewed, or several
// that are combined.
func (t *task) search(l *coarsen.Level, limit []int64, r *random.Source) []int32 {
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
	build := func(r *random.Source) *individual {
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
func (t *task) fresh(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source) []int32 {
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
func (t *task) continuePrevious(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source) []int32 {
	old := &coarsen.Level{Graph: l.Graph, Fixed: l.Fixed, Label: t.previous}
	kept := t.measure(l, t.descend(old, t.previous, limit, c, r), limit)
	if t.stopped() {
		return kept.part
	}
	fresh := t.measure(l, t.fresh(l, limit, c, r), limit)
	return bestOf([]*individual{kept, fresh}).part
}
