package partition

import (
	"cmp"
	"math"

	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/graph"
)

// individual is a complete partition of the finest graph.
type individual struct {
	part []int32
	over int64
	// broken counts surplus pieces of parts if contiguous parts are wanted.
	broken int
	cut    int64
}

// compare is negative if a is to be preferred to b: less weight above the
// limits first, then connected parts if wanted, then the smaller cut.
func (a *individual) compare(b *individual) int {
	return cmp.Or(cmp.Compare(a.over, b.over), cmp.Compare(a.broken, b.broken), cmp.Compare(a.cut, b.cut))
}

// better tells whether a is to be preferred to b.
func (a *individual) better(b *individual) bool { return a.compare(b) < 0 }

// overlay numbers the classes of vertices that are together in both
// partitions.
func overlay(a, b []int32, k int) []int32 {
	number := make(map[int64]int32)
	label := make([]int32, len(a))
	for v := range a {
		pair := int64(a[v])*int64(k) + int64(b[v])
		n, ok := number[pair]
		if !ok {
			n = int32(len(number))
			number[pair] = n
		}
		label[v] = n
	}
	return label
}

// measure returns part as an individual.
func (t *task) measure(l *coarsen.Level, part []int32, limit []int64) *individual {
	result := &individual{part: part}
	for p, w := range l.Graph.PartWeights(part, len(limit)) {
		result.over += max(w-limit[p], 0)
	}
	if len(limit) == len(t.distance) {
		result.cut = MappingCostOf(l.Graph, part, t.distance)
	} else {
		result.cut = EdgeCutOf(l.Graph, part)
	}
	switch {
	case !t.contiguous:
	case t.stopped():
		// No time to count: what is finished goes first.
		result.broken = math.MaxInt
	default:
		result.broken = len(graph.Pieces(l.Graph, part)) - len(limit)
	}
	return result
}

// combine lets the better of two partitions take over what is good in the
// other (KaFFPaE, Sanders and Schulz 2012): no edge cut by either is
// contracted, so both live on the coarsest graph, and refinement starts there
// from the better one.
func (t *task) combine(l *coarsen.Level, a, b *individual, limit []int64, c levelConfig, r *random.Source) *individual {
	if b.better(a) {
		a, b = b, a
	}
	top := &coarsen.Level{Graph: l.Graph, Fixed: l.Fixed, Label: overlay(a.part, b.part, len(limit))}
	child := t.measure(l, t.descend(top, a.part, limit, c, r), limit)
	if a.better(child) {
		return a // rebalancing on a coarse level may have cost more than it gained
	}
	return child
}

// deepest is the number of vertices per part down to which descend coarsens:
// far, since there is no initial partition to be found, only groups to be
// moved as one.
const deepest = 15

// descend coarsens l along its labels, carries part down and refines it on
// the way back.
func (t *task) descend(l *coarsen.Level, part []int32, limit []int64, c levelConfig, r *random.Source) []int32 {
	target := max(deepest*len(limit), c.smallest/2)
	heaviest := l.Graph.TotalVertexWeight()/int64(target)*3/2 + 1
	levels := t.coarsen(l, target, heaviest, r)
	for _, finer := range levels[:len(levels)-1] {
		part = coarsen.ProjectDown(part, finer.ToCoarse, coarseVertices(finer.ToCoarse))
	}
	if len(levels) == 1 {
		part = append([]int32(nil), part...)
	}
	return t.ascend(levels, part, limit, &c, r)
}

func coarseVertices(toCoarse []int32) int {
	n := int32(-1)
	for _, c := range toCoarse {
		n = max(n, c)
	}
	return int(n + 1)
}

// offspring is the number of combinations computed side by side; fixed, so that
// the result does not depend on the number of workers.
const offspring = 4

// evolve builds a population of size partitions of l and then combines pairs
// of it as often as told; given a time limit it goes on until stopped. It
// returns the best.
func (t *task) evolve(l *coarsen.Level, limit []int64, c levelConfig, size, combinations int, r *random.Source, build func(r *random.Source) *individual) *individual {
	population := make([]*individual, max(size, 1))
	seeds := r.Seeds(len(population))
	t.workers.Each(len(population), func(i int) {
		if i > 0 && t.stopped() {
			return
		}
		population[i] = build(random.New(seeds[i]))
		t.report("partitioning", 1, population[i])
	})
	best, idle := bestOf(population), 0
	for done := 0; done < combinations && len(population) > 1 && !t.stopped(); done += offspring {
		t.combineSome(l, limit, c, population, min(offspring, combinations-done), r, nil)
		if now := bestOf(population); now.better(best) {
			best, idle = now, 0
		} else if idle++; t.generationsWithoutGain > 0 && idle >= t.generationsWithoutGain {
			break
		}
	}
	return best
}

// bestOf passes over members that were not built because the run was stopped;
// there is always a first.
func bestOf(population []*individual) *individual {
	best := population[0]
	for _, p := range population[1:] {
		if p != nil && p.better(best) {
			best = p
		}
	}
	return best
}

// combineSome computes n children side by side and lets each take the place
// of the member most like it among those not better. Parents are drawn at
// random; one time in immigration (if build is given) the second is built anew.
// Children are renewed or, of three and four connected parts, annealed; with a time
// limit, other connected ones are both.
func (t *task) combineSome(l *coarsen.Level, limit []int64, c levelConfig, population []*individual, n int, r *random.Source, build func(r *random.Source) *individual) {
	seeds := r.Seeds(n)
	children := make([]*individual, n)
	t.workers.Each(n, func(i int) {
		if t.stopped() {
			return
		}
		r := random.New(seeds[i])
		a := r.Below(len(population))
		b := (a + 1 + r.Below(len(population)-1)) % len(population)
		first, second := population[a], population[b]
		if build != nil && r.Below(immigration) == 0 {
			second = build(r)
		}
		child := t.combine(l, first, second, limit, c, r)
		if !t.startsAnnealed(l, len(limit)) {
			child = t.renew(l, child, limit, c, renewalsOfChild, r)
		}
		child = t.annealMember(l, child, limit, c, r)
		children[i] = child
		t.report("combining", 1, child)
	})
	for _, child := range children {
		if child != nil {
			replaceSimilar(l.Graph, population, child, t.stopped)
		}
	}
}

// immigration is how many combinations there are, on average, to one with a
// partition built anew.
const immigration = 8

// renewalsOfChild is how many rounds of renewal a child gets.
const renewalsOfChild = 2

// replaceSimilar puts child in the place of the member most like it, in cut
// edges, among those not better than it (KaFFPaE's rule, which keeps the
// population diverse); a copy of a member is dropped. When stopped it takes the
// first place it finds: any will do for the last child.
func replaceSimilar(g *graph.Graph, population []*individual, child *individual, stop func() bool) {
	place, nearest := -1, int64(0)
	for i, p := range population {
		if p.better(child) {
			continue
		}
		if stop() {
			place = i
			break
		}
		d := difference(g, p.part, child.part)
		if place < 0 || d < nearest {
			place, nearest = i, d
		}
	}
	if place >= 0 {
		population[place] = child
	}
}

// difference counts the adjacency entries that one partition cuts and the
// other does not.
func difference(g *graph.Graph, a, b []int32) int64 {
	var n int64
	for v := range a {
		for _, u := range g.NeighboursOf(int32(v)) {
			if (a[v] == a[u]) != (b[v] == b[u]) {
				n++
			}
		}
	}
	return n
}

// evolveUntilStopped is the memetic search proper: the population grows as
// long as that takes no more than a third of the time, then pairs are
// combined until time is up.
func (t *task) evolveUntilStopped(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source, build func(r *random.Source) *individual) *individual {
	const largest = 40
	var population []*individual
	for len(population) == 0 || len(population) < largest && !t.stopped() && (len(population) < 2*offspring || t.elapsed() < 0.33) {
		members := make([]*individual, offspring)
		seeds := r.Seeds(offspring)
		t.workers.Each(offspring, func(i int) {
			if len(population)+i > 0 && t.stopped() {
				return
			}
			r := random.New(seeds[i])
			members[i] = build(r)
			if t.contiguous && !t.startsAnnealed(l, len(limit)) {
				members[i] = t.anneal(l, members[i], limit, c, r)
			}
			t.report("partitioning", 0, members[i])
		})
		population = append(population, members...)
	}
	for !t.stopped() {
		t.combineSome(l, limit, c, population, offspring, r, build)
	}
	return bestOf(population)
}
