package partition

import (
	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/refine"
)

// annealingPlan is how a partition is annealed at the end of its search.
type annealingPlan struct {
	rounds int // at most
	tries  int // of one annealing
	// heats are the temperatures at which annealings side by side begin, in mean
	// weights of a cut edge: what is cool enough for many small parts leaves two
	// large ones as they are, and what moves these melts the others.
	heats []float64
}

// annealingPlan returns a plan without rounds where there is to be no annealing:
// it knows neither distances nor what moving costs, and takes long on large graphs.
func (t *task) annealingPlan(l *coarsen.Level, k int) annealingPlan {
	n := l.Graph.Vertices()
	switch {
	case t.distance != nil || t.previous != nil || !t.searchesWidely(l):
		return annealingPlan{}
	case t.contiguous:
		const perVertex = 4000 // is enough on small graphs
		return annealingPlan{t.c.connectedAnnealings, min(t.c.connectedTries, perVertex*n), []float64{0.5, 1, 3, 6, 16}}
	case k == 2: // gain next to nothing
		return annealingPlan{}
	}
	return annealingPlan{t.c.annealings, at([2]float64{0, 60}, k) * n, []float64{0.5, 1, 2, 4}}
}

// anneal improves a partition by rounds of annealings side by side, each of
// which begins with the best so far, until a round finds nothing.
func (t *task) anneal(l *coarsen.Level, found *individual, limit []int64, c levelConfig, r *random.Source) *individual {
	plan := t.annealingPlan(l, len(limit))
	for range plan.rounds {
		if t.stopped() {
			break
		}
		outcomes := make([]*individual, len(plan.heats))
		seeds := r.Seeds(len(outcomes))
		t.workers.Each(len(outcomes), func(i int) {
			outcomes[i] = t.annealOnce(l, found, limit, c, plan.tries, plan.heats[i], random.New(seeds[i]))
		})
		best := bestOf(outcomes)
		t.report("annealing", 1, best)
		if !best.better(found) {
			break
		}
		found = best
	}
	return found
}

// annealOnce returns the partition it begins with if it finds nothing better.
func (t *task) annealOnce(l *coarsen.Level, from *individual, limit []int64, c levelConfig, tries int, heat float64, r *random.Source) *individual {
	if from.over > 0 || from.broken > 0 || from.cut == 0 || t.stopped() {
		return from
	}
	s := t.newState(l, append([]int32(nil), from.part...), limit)
	refine.NewAnnealing(s, t.contiguous, r).Run(tries, heat*s.MeanCutEdge(), t.stopped)
	if s.Cut >= from.cut {
		return from
	}
	annealed := &individual{part: s.Part, cut: s.Cut}
	refined := append([]int32(nil), s.Part...)
	t.refine(l, refined, limit, &c, r)
	return bestOf([]*individual{annealed, t.measure(l, refined, limit)})
}

// startsAnnealed tells whether connected parts are searched for by combining
// partitions made quickly, each of which is annealed. Of three and four parts, which
// branches of a tree of tubes share one matters most, and many starts find that out
// sooner than a good one that is worked on for long. Two parts leave less to choose.
func (t *task) startsAnnealed(l *coarsen.Level, k int) bool {
	return t.contiguous && k > 2 && k <= fewParts && t.annealingPlan(l, k).rounds > 0
}

// annealedStart makes one partition of few connected parts in a way drawn at random.
func (t *task) annealedStart(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source) *individual {
	build := t.connectedAfterwards
	if r.Below(2) == 0 {
		build = t.tiedByCorridors
	}
	return t.annealMember(l, build(l, limit, c, r), limit, c, r)
}

// annealMember anneals a member of a population of connected parts at a temperature
// drawn at random, if there are few parts or a time limit.
func (t *task) annealMember(l *coarsen.Level, member *individual, limit []int64, c levelConfig, r *random.Source) *individual {
	plan := t.annealingPlan(l, len(limit))
	switch {
	case !t.contiguous || plan.rounds == 0 || t.stopped():
		return member
	case t.startsAnnealed(l, len(limit)):
		const most, perVertex, enough = 500_000, 500, 4 // the hottest takes more tries
		plan.tries, plan.heats = min(most, perVertex*l.Graph.Vertices()), plan.heats[:enough]
	case !t.timed():
		return member
	}
	return t.annealOnce(l, member, limit, c, plan.tries, plan.heats[r.Below(len(plan.heats))], r)
}
