package partition

import (
	"context"
	"sync/atomic"
)

// Result is a partition and its figures, recomputed from scratch.
type Result struct {
	// Parts holds the part of every vertex, 0 to Options.Parts-1.
	Parts []int32
	// Cut is the weight of the edges between different parts.
	Cut int64
	// CommunicationVolume sums, over all vertices, the number of other parts
	// the vertex has neighbours in; BottleneckVolume is the largest such sum
	// of a single part.
	CommunicationVolume, BottleneckVolume int64
	// PartWeights is the weight of each part.
	PartWeights []int64
	// Limits holds ⌈(1+ε)·target⌉ for each part.
	Limits []int64
	// Imbalance is the largest part weight over its target, minus 1.
	Imbalance float64
	// Feasible tells whether every part is within Limits.
	Feasible bool
	// Unreachable tells that whole vertices are too heavy for Limits, so that
	// some parts were allowed more: a vertex heavier than a part gets a part
	// to itself.
	Unreachable bool
	// EmptyParts is the number of parts without a vertex: zero unless there
	// are more parts than vertices.
	EmptyParts int
}

// Partition divides g into opt.Parts parts.
//
// When ctx is cancelled it returns within about 100 ms the best partition
// found so far together with the context's error. Any other error comes with
// a nil result: an unsound option or a graph whose shape does not fit
// ([Graph.Validate] checks more, at some cost).
func Partition(ctx context.Context, g *Graph, opt Options) (*Result, error) {
	if err := g.validateShape(); err != nil {
		return nil, err
	}
	if err := g.validateWeights(); err != nil {
		return nil, err
	}
	if err := opt.check(g.Vertices()); err != nil {
		return nil, err
	}
	if opt.Parts == 1 || g.Vertices() == 0 || opt.Parts >= g.Vertices() && opt.Fixed == nil {
		return trivial(g, &opt), nil
	}
	l := newLimits(g, &opt)
	halt := new(atomic.Bool)
	defer context.AfterFunc(ctx, func() { halt.Store(true) })()
	t := &task{c: presets[opt.Preset], halt: halt, workers: newWorkers(opt.workers())}
	finest := &level{g: g.weighted(), fixed: fixedVertices(g, &opt, l)}
	parts := t.search(finest, l.effective, newRandom(opt.Seed))
	parts = t.settle(finest, parts, l, newRandom(opt.Seed))
	return newResult(g, parts, l.stated, &opt), ctx.Err()
}

// trivial handles one part, no vertices, and at least as many parts as
// vertices.
func trivial(g *Graph, opt *Options) *Result {
	parts := make([]int32, g.Vertices())
	if opt.Parts > 1 {
		// One vertex per part, the heaviest where the limit is largest.
		l := &limits{stated: statedLimits(g.TotalVertexWeight(), opt)}
		parts = onePerPart(g, l.stated)
	}
	return newResult(g, parts, statedLimits(g.TotalVertexWeight(), opt), opt)
}

// fixedVertices merges the caller's fixed vertices with those that got a part
// of their own.
func fixedVertices(g *Graph, opt *Options, l *limits) []int32 {
	if opt.Fixed != nil {
		return opt.Fixed
	}
	if l.own == nil {
		return nil
	}
	fixed := make([]int32, g.Vertices())
	for v := range fixed {
		fixed[v] = -1
	}
	for v, p := range l.own {
		fixed[v] = p
	}
	return fixed
}

// settle makes sure of feasibility: where refinement ended above the limits,
// the packing that is known to fit takes its place.
func (t *task) settle(l *level, parts []int32, lim *limits, r *random) []int32 {
	s := newState(l.g, l.fixed, len(lim.effective), parts, lim.effective)
	fillEmptyParts(s)
	if s.overload() == 0 || rebalance(s, r) {
		return s.part
	}
	packed := packVertices(l.g, l.fixed, lim)
	if packed.over > 0 {
		return s.part
	}
	t.refine(l, packed.parts, lim.effective, &t.c.kway, r)
	return packed.parts
}
