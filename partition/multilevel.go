package partition

import "sync/atomic"

// levelConfig sets how one kind of multilevel pass (bisections, or the whole
// into k parts) works.
type levelConfig struct {
	coarsest int // vertices per part at which coarsening ends
	smallest int // and not below this many in all
	tries    int // initial partitions
	rounds   int // of FM per level
	patience int // of one FM search
}

// config is what a preset stands for.
type config struct {
	bisection levelConfig
	kway      levelConfig
}

var presets = [...]config{
	Fast:   {bisection: levelConfig{30, 60, 8, 4, 60}, kway: levelConfig{40, 200, 2, 4, 40}},
	Eco:    {bisection: levelConfig{30, 60, 12, 6, 100}, kway: levelConfig{60, 300, 4, 6, 100}},
	Strong: {bisection: levelConfig{30, 60, 20, 10, 200}, kway: levelConfig{100, 500, 10, 10, 200}},
}

// task is one run's shared context.
type task struct {
	c    config
	halt *atomic.Bool
}

func (t *task) stopped() bool { return t.halt.Load() }

// coarsen builds the hierarchy below l down to about target vertices.
func (t *task) coarsen(l *level, target int, heaviest int64, r *random) []*level {
	levels := []*level{l}
	for l.g.Vertices() > target && !t.stopped() {
		toCoarse, coarse := matchGreedily(l, heaviest, r)
		if coarse*20 > l.g.Vertices()*19 {
			break
		}
		l.toCoarse = toCoarse
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
	for i := len(levels) - 1; i >= 0; i-- {
		if i < len(levels)-1 {
			part = projectUp(part, levels[i].toCoarse)
		}
		t.refine(levels[i], part, limit, &c, r)
	}
	return part
}

// bestRecursive takes the best of several recursive bisections, each refined.
func (t *task) bestRecursive(l *level, limit []int64, c *levelConfig, r *random) []int32 {
	var best []int32
	bestOver, bestCut := int64(0), int64(0)
	for try := 0; try < c.tries; try++ {
		part := t.recursiveBisection(l, limit, r)
		s := t.refine(l, part, limit, c, r)
		if over := s.overload(); best == nil || over < bestOver || over == bestOver && s.cut < bestCut {
			best, bestOver, bestCut = part, over, s.cut
		}
		if t.stopped() {
			break
		}
	}
	return best
}

// refine improves part in place.
func (t *task) refine(l *level, part []int32, limit []int64, c *levelConfig, r *random) *state {
	s := newState(l.g, l.fixed, len(limit), part, limit)
	fillEmptyParts(s)
	if t.stopped() {
		return s
	}
	rebalance(s, r)
	newFM(s, r, c.patience, t.stopped).refine(c.rounds)
	return s
}
