package partition

// individual is a complete partition of the finest graph.
type individual struct {
	part []int32
	over int64
	cut  int64
}

// better tells whether a is to be preferred to b: less weight above the
// limits first, then the smaller cut.
func (a *individual) better(b *individual) bool {
	if a.over != b.over {
		return a.over < b.over
	}
	return a.cut < b.cut
}

func (t *task) individualOf(l *level, part []int32, limit []int64) *individual {
	s := newState(l.g, l.fixed, len(limit), part, limit)
	return &individual{part, s.overload(), s.cut}
}

// overlay numbers the classes of vertices that are together in both
// partitions.
func overlay(a, b []int32, k int) []int32 {
	number := make([]int32, k*k)
	label := make([]int32, len(a))
	next := int32(0)
	for v := range a {
		at := int(a[v])*k + int(b[v])
		if number[at] == 0 {
			next++
			number[at] = next
		}
		label[v] = number[at] - 1
	}
	return label
}

// combine lets the better of two partitions take over what is good in the
// other (KaFFPaE, Sanders and Schulz 2012): no edge cut by either is
// contracted, so both live on the coarsest graph, and refinement starts there
// from the better one.
func (t *task) combine(l *level, a, b *individual, limit []int64, c levelConfig, r *random) *individual {
	if b.better(a) {
		a, b = b, a
	}
	top := &level{g: l.g, fixed: l.fixed, label: overlay(a.part, b.part, len(limit))}
	part := t.descend(top, a.part, limit, c, r)
	return t.individualOf(l, part, limit)
}

// descend coarsens l along its labels, carries part down and refines it on
// the way back.
func (t *task) descend(l *level, part []int32, limit []int64, c levelConfig, r *random) []int32 {
	target := max(c.coarsest*len(limit), c.smallest)
	heaviest := l.g.TotalVertexWeight()/int64(target)*3/2 + 1
	levels := t.coarsen(l, target, heaviest, r)
	for _, finer := range levels[:len(levels)-1] {
		part = projectDown(part, finer.toCoarse, coarseVertices(finer.toCoarse))
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

// brood is the number of combinations computed side by side; fixed, so that
// the result does not depend on the number of workers.
const brood = 4

// evolve builds a population of size partitions of l and then replaces, as
// often as told, the worse of two by their combination. It returns the best.
func (t *task) evolve(l *level, limit []int64, c levelConfig, size, combinations int, r *random, build func(r *random) []int32) *individual {
	population := make([]*individual, max(size, 1))
	seeds := r.seeds(len(population))
	t.workers.each(len(population), func(i int) {
		population[i] = t.individualOf(l, build(newRandom(seeds[i])), limit)
	})
	for done := 0; done < combinations && len(population) > 1 && !t.stopped(); {
		n := min(brood, combinations-done, len(population)/2)
		t.combineSome(l, limit, c, population, n, r)
		done += n
	}
	best := population[0]
	for _, p := range population[1:] {
		if p.better(best) {
			best = p
		}
	}
	return best
}

// combineSome pairs up 2n members at random, and every pair's child replaces
// the worse of its parents, to whom it is never inferior.
func (t *task) combineSome(l *level, limit []int64, c levelConfig, population []*individual, n int, r *random) {
	order := r.permutation(len(population))
	seeds := r.seeds(n)
	children := make([]*individual, n)
	t.workers.each(n, func(i int) {
		children[i] = t.combine(l, population[order[2*i]], population[order[2*i+1]], limit, c, newRandom(seeds[i]))
	})
	for i, child := range children {
		worse := order[2*i]
		if population[worse].better(population[order[2*i+1]]) {
			worse = order[2*i+1]
		}
		population[worse] = child
	}
}
