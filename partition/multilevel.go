package partition

import (
	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/flow"
	"carina/partition/refine"
)

// newState takes over part of all parts or of a bisection, which knows no
// distances.
func (t *task) newState(l *coarsen.Level, part []int32, limit []int64) *refine.State {
	if len(limit) != len(t.distance) {
		return refine.NewState(l.Graph, l.Fixed, part, limit, nil)
	}
	return refine.NewState(l.Graph, l.Fixed, part, limit, t.distance)
}

// coarsen builds the hierarchy below l down to about target vertices. With hubs
// a single try is safer with matchings: clusters tie all that hangs on a hub
// to it.
func (t *task) coarsen(l *coarsen.Level, target int, heaviest int64, r *random.Source) []*coarsen.Level {
	return coarsen.Hierarchy(l, target, heaviest, t.fast && t.hubs, r, t.workers, t.stopped)
}

// multilevel divides l into len(limit) parts: coarsen, partition the coarsest
// graph, refine on the way back.
func (t *task) multilevel(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source) []int32 {
	k := len(limit)
	target := max(c.coarsest*k, c.smallest)
	heaviest := l.Graph.TotalVertexWeight()/int64(target)*3/2 + 1
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
func (t *task) ascend(levels []*coarsen.Level, part []int32, limit []int64, c *levelConfig, r *random.Source) []int32 {
	for i := len(levels) - 1; i >= 0; i-- {
		if i < len(levels)-1 {
			part = coarsen.ProjectUp(part, levels[i].ToCoarse)
		}
		t.refine(levels[i], part, limit, c, r)
	}
	return part
}

// bestRecursive takes the best of a few refined recursive bisections.
func (t *task) bestRecursive(l *coarsen.Level, limit []int64, c *levelConfig, r *random.Source) []int32 {
	candidates := make([]*individual, c.tries)
	seeds := r.Seeds(c.tries)
	t.workers.Each(c.tries, func(i int) {
		r := random.New(seeds[i])
		part := t.recursiveBisection(l, limit, r)
		if t.distance != nil && l.Fixed == nil {
			refine.Permute(t.newState(l, part, limit), t.stopped)
		}
		t.refine(l, part, limit, c, r)
		candidates[i] = t.measure(l, part, limit)
	})
	return bestOf(candidates).part
}

// refine improves part in place.
func (t *task) refine(l *coarsen.Level, part []int32, limit []int64, c *levelConfig, r *random.Source) {
	if t.stopped() {
		return
	}
	s := t.newState(l, part, limit)
	if t.stopped() {
		return
	}
	refine.FillEmptyParts(s)
	if t.contiguous {
		t.connectParts(s, c, r, false)
		t.refineFlows(s, c, r)
		return
	}
	f := t.newFM(s, c, r)
	f.Workers = t.workers
	t.refineMoves(s, f, r, c.rounds)
	t.refineFlows(s, c, r)
}

func (t *task) refineFlows(s *refine.State, c *levelConfig, r *random.Source) {
	// On large graphs one narrow sweep has to do for a fast partition; with
	// hubs, from which networks spread to everything, edges count.
	const large, largeWithHubs = 200_000, 400_000
	rounds, reach := c.flows, c.reach
	if t.fast && (len(s.Part) > large || t.hubs && len(s.Graph.Neighbours) > largeWithHubs) {
		rounds, reach = 1, min(reach, 0.05)
	}
	if rounds > 0 {
		flow.NewRefiner(s, r, reach, t.contiguous, t.workers, t.stopped).Refine(rounds)
	}
}

// splitInOrder gives each part a run of consecutive vertices: what there is
// time for when a run is cancelled early.
func splitInOrder(l *coarsen.Level, limit []int64) []int32 {
	part := make([]int32, l.Graph.Vertices())
	var room, weight int64
	for _, x := range limit {
		room += x
	}
	total := l.Graph.TotalVertexWeight()
	p, filled := 0, limit[0]
	for v := range part {
		w := l.Graph.VertexWeights[v]
		// Fill in proportion to the limits.
		for p < len(limit)-1 && float64(weight)+float64(w)/2 > float64(filled)/float64(room)*float64(total) {
			p++
			filled += limit[p]
		}
		weight += w
		part[v] = int32(p)
		if l.Fixed != nil && l.Fixed[v] >= 0 {
			part[v] = l.Fixed[v]
		}
	}
	return part
}
