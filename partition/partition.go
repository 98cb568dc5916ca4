package partition

import (
	"context"
	"sync/atomic"
	"time"

	"carina/internal/crash"
	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/graph"
	"carina/partition/refine"
)

// Partition divides g into opt.Parts parts.
//
// When ctx is cancelled it returns within about 100 ms the best partition
// found so far together with the context's error. Any other error comes with
// a nil result: an unsound option or a graph whose shape does not fit
// ([Graph.Validate] checks more, at some cost).
func Partition(ctx context.Context, g *graph.Graph, opt Options) (*Result, error) {
	clock := opt.clock()
	start := clock()
	if err := g.ValidateShape(); err != nil {
		return nil, err
	}
	if err := g.ValidateWeights(); err != nil {
		return nil, err
	}
	if err := opt.check(g.Vertices()); err != nil {
		return nil, err
	}
	if err := opt.checkSizes(g); err != nil {
		return nil, err
	}
	if opt.Parts == 1 || g.Vertices() == 0 || opt.Parts >= g.Vertices() && opt.Fixed == nil {
		return trivial(g, &opt), ctx.Err()
	}
	cancelled, release := haltOn(ctx, 0)
	defer release()
	l := newLimits(g, &opt, cancelled.Load)
	finest := &coarsen.Level{Graph: opt.searched(g), Fixed: fixedVertices(g, &opt, l)}
	t := &task{c: effortFor(finest.Graph, &opt), workers: parallel.New(opt.workers()), start: start, clock: clock, timeLimit: opt.TimeLimit, progress: opt.Progress,
		contiguous: opt.Contiguous, fast: opt.Preset == Fast, uneven: isUneven(finest.Graph)}
	t.hubs = !t.uneven && hasHubs(finest.Graph)
	if opt.Objective == MappingCost && opt.Parts > 2 {
		t.distance = opt.Distances
	}
	parts := t.searchFor(ctx, finest, l, &opt)
	graced, release := haltOn(ctx, grace)
	defer release()
	t.halt = graced
	parts = t.finish(ctx, finest, parts, l, &opt)
	return newResult(g, parts, l, &opt), ctx.Err()
}

// grace is how long after a run was cancelled its partition may still be
// brought within the limits.
const grace = 30 * time.Millisecond

// finishedInGrace is up to how many vertices a cancelled run's parts are still
// connected and their volumes refined: on more, setting out alone takes longer
// than the grace.
const finishedInGrace = 100_000

// haltOn returns a flag that is set a while after ctx is done.
func haltOn(ctx context.Context, after time.Duration) (halt *atomic.Bool, release func()) {
	halt = new(atomic.Bool)
	if ctx.Err() != nil && after == 0 {
		halt.Store(true)
	}
	stop := context.AfterFunc(ctx, func() {
		time.Sleep(after)
		halt.Store(true)
	})
	return halt, func() { stop() }
}

// searchFor searches until done, cancelled or out of time.
func (t *task) searchFor(ctx context.Context, finest *coarsen.Level, l *limits, opt *Options) []int32 {
	if opt.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go t.cancelInTime(ctx, cancel)
	}
	var release func()
	t.halt, release = haltOn(ctx, 0)
	defer release()
	searched := finest
	if opt.Previous != nil && opt.MigrationCosts != nil {
		g, fixed := anchored(finest.Graph, finest.Fixed, opt.Previous, opt.MigrationCosts, opt.Parts)
		searched = &coarsen.Level{Graph: g, Fixed: fixed}
	}
	if opt.Previous != nil {
		t.previous = completed(opt.Previous, searched, l)
	}
	return t.search(searched, l.effective, random.New(opt.Seed))[:finest.Graph.Vertices()]
}

// cancelInTime cancels ctx when the time limit has passed by the clock, which
// may run slower than time, or a little faster, so that it looks every so often.
func (t *task) cancelInTime(ctx context.Context, cancel context.CancelFunc) {
	defer crash.Guard()
	const longest = 10 * time.Millisecond
	for {
		left := t.timeLimit - (t.clock() - t.start)
		if left <= 0 {
			cancel()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(left, longest)):
		}
	}
}

// finish makes the partition meet what the search did not take into account.
func (t *task) finish(ctx context.Context, finest *coarsen.Level, parts []int32, l *limits, opt *Options) []int32 {
	r := random.New(opt.Seed)
	parts = t.settle(finest, parts, l, r)
	if ctx.Err() != nil && len(parts) > finishedInGrace {
		return parts
	}
	if opt.Contiguous && !t.stopped() {
		s := t.newState(finest, append([]int32(nil), parts...), l.effective)
		t.connectParts(s, &t.c.kway, r, false)
		before, after := t.measure(finest, parts, l.effective), t.measure(finest, s.Part, l.effective)
		if !before.better(after) {
			parts = s.Part
		}
	}
	if (opt.Objective == CommunicationVolume || opt.Objective == BottleneckVolume) && !t.stopped() {
		s := t.newState(finest, parts, l.effective)
		s.Sizes = opt.VertexSizes
		refine.Volume(s, opt.Objective == BottleneckVolume, r, opt.Contiguous, t.stopped)
	}
	return parts
}

// trivial handles one part, no vertices, and at least as many parts as
// vertices.
func trivial(g *graph.Graph, opt *Options) *Result {
	l := &limits{stated: statedLimits(g.TotalVertexWeight(), opt)}
	l.effective = l.stated
	parts := make([]int32, g.Vertices())
	if opt.Parts > 1 {
		// One vertex per part, the heaviest where the limit is largest.
		parts = onePerPart(g, l.stated)
	}
	return newResult(g, parts, l, opt)
}

// fixedVertices merges the caller's fixed vertices with those that got a part
// of their own.
func fixedVertices(g *graph.Graph, opt *Options, l *limits) []int32 {
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

// completed returns a copy of previous in which fixed vertices are where they
// must be and new ones (-1) in the part with most room.
func completed(previous []int32, l *coarsen.Level, lim *limits) []int32 {
	p := &packing{parts: make([]int32, l.Graph.Vertices()), weight: make([]int64, len(lim.effective))}
	var unplaced []int32
	for v := range int32(len(p.parts)) {
		to := int32(-1)
		if int(v) < len(previous) {
			to = previous[v]
		}
		if l.Fixed != nil && l.Fixed[v] >= 0 {
			to = l.Fixed[v]
		}
		if to < 0 {
			unplaced = append(unplaced, v)
		} else {
			p.put(l.Graph, v, to)
		}
	}
	for _, v := range unplaced {
		p.put(l.Graph, v, p.roomiest(lim))
	}
	return p.parts
}

// settle makes sure of feasibility: where refinement ended above the limits, a
// packing that keeps most vertices where they are takes its place, or else the
// one that is known to fit.
func (t *task) settle(l *coarsen.Level, parts []int32, lim *limits, r *random.Source) []int32 {
	if isSettled(l.Graph, parts, lim.effective) {
		return parts
	}
	s := t.newState(l, parts, lim.effective)
	refine.FillEmptyParts(s)
	if s.Overload() == 0 || refine.Rebalance(s, r, t.stopped) || t.stopped() {
		return s.Part
	}
	packed := packInPlace(l.Graph, l.Fixed, lim, s.Part, t.stopped)
	if packed == nil || packed.over > 0 {
		packed = packVertices(l.Graph, l.Fixed, lim, t.stopped)
	}
	if packed.over > 0 {
		return s.Part
	}
	refine.FillEmptyParts(t.newState(l, packed.parts, lim.effective))
	refined := append([]int32(nil), packed.parts...)
	t.refine(l, refined, lim.effective, &t.c.kway, r)
	return bestOf([]*individual{t.measure(l, refined, lim.effective), t.measure(l, packed.parts, lim.effective)}).part
}

// isSettled tells whether no part is empty or above its limit.
func isSettled(g *graph.Graph, parts []int32, limit []int64) bool {
	used := make([]bool, len(limit))
	for _, p := range parts {
		used[p] = true
	}
	for p, w := range g.PartWeights(parts, len(limit)) {
		if w > limit[p] || !used[p] {
			return false
		}
	}
	return true
}
