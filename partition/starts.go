package partition

import (
	"slices"

	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/graph"
)

// startPlan is how the partition that is renewed in many rounds is found.
type startPlan struct {
	starts    int // partitions made
	finalists int // the best of them, which are renewed for a few rounds before the best is taken
}

// roundsOfFinalist is how many rounds of renewal each finalist gets.
const roundsOfFinalist = 3

// trials is how many rounds of renewal there are before the choice.
func (p startPlan) trials() int {
	if p.finalists == 1 {
		return 0
	}
	return p.finalists * roundsOfFinalist
}

// startsOf plans for k parts. Where vertex weights differ, few parts that fit
// are alike: one partition may be a tenth better than another, and renewal
// changes which is best.
func (t *task) startsOf(l *coarsen.Level, k int) startPlan {
	const finalists = 4
	switch {
	case t.c.starts <= 1 || !t.plain() || k == 2:
		return startPlan{1, 1}
	case weightsDiffer(l.Graph) && !t.timed():
		return startPlan{t.c.weightedStarts, finalists}
	}
	return startPlan{t.c.starts * t.effort(), 1}
}

// pairPopulation is how many partitions into two parts are made to be combined.
func (t *task) pairPopulation(l *coarsen.Level) int {
	if t.c.weightedPairPopulation > 0 && weightsDiffer(l.Graph) {
		return t.c.weightedPairPopulation
	}
	return t.c.pairPopulation
}

// weightsDiffer tells whether vertex weights differ from their mean by more
// than a third of it in the root mean square.
func weightsDiffer(g *graph.Graph) bool {
	const much = 1. / 3
	var squares float64
	for _, w := range g.VertexWeights {
		squares += float64(w) * float64(w)
	}
	n, sum := float64(g.Vertices()), float64(g.TotalVertexWeight())
	return squares*n > (1+much*much)*sum*sum
}

// bestStart builds partitions side by side and returns the best: rounds of
// renewal leave the large features of a partition as they are.
func (t *task) bestStart(l *coarsen.Level, limit []int64, c levelConfig, plan startPlan, r *random.Source) *individual {
	if plan.starts == 1 {
		return t.measure(l, t.fresh(l, limit, c, r), limit)
	}
	found := make([]*individual, plan.starts)
	seeds := r.Seeds(len(found))
	t.workers.Each(len(found), func(i int) {
		if i == 0 || !t.stopped() {
			found[i] = t.measure(l, t.fresh(l, limit, c, random.New(seeds[i])), limit)
		}
	})
	if plan.finalists == 1 || t.stopped() {
		return bestOf(found)
	}
	slices.SortStableFunc(found, (*individual).compare)
	finalists := found[:plan.finalists]
	seeds = r.Seeds(len(finalists))
	t.workers.Each(len(finalists), func(i int) {
		finalists[i] = t.renew(l, finalists[i], limit, c, roundsOfFinalist, random.New(seeds[i]))
	})
	return bestOf(finalists)
}

// effort multiplies the tries on graphs whose vertex weights differ much:
// there one bisection may be twice as good as another.
func (t *task) effort() int {
	if t.uneven {
		return 3
	}
	return 1
}

// isUneven tells whether the heaviest vertex is far above the average.
func isUneven(g *graph.Graph) bool {
	const far = 8
	return g.Heaviest()/far > g.TotalVertexWeight()/int64(g.Vertices())
}
