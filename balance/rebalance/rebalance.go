package rebalance

import (
	"context"
	"fmt"
	"math"
	"slices"

	"carina/partition/graph"
)

// Parts is the time, in seconds of a rank of speed 1, that a vertex costs by
// what its cells are: those without links to a wall, those with, and those with
// links to an opening.
type Parts [3]float64

// Rank is one that computes.
type Rank struct {
	// Kind is the number of the kind of device it has, Host that of its computer.
	Kind, Host int
	// Speed is a first guess, relative to Problem.Work of its kind.
	Speed float64
	// Cells is how many cells its memory holds; 0 for any.
	Cells int64
}

// Kind is a kind of device.
type Kind struct {
	// Work is what every vertex costs.
	Work []Parts
	// Inside and Between are the seconds of a byte sent within a host and to
	// another.
	Inside, Between float64
}

// Problem is what a job computes. Nothing of it changes but by Weigh and Limit.
type Problem struct {
	// Graph has a vertex for cells that always have one owner; edges weigh the bytes
	// that cross in a step, both ways together.
	Graph *graph.Graph
	Cells []int64 // of every vertex
	Kinds []Kind
	Ranks []Rank
}

// Measured is what ranks have measured since the last look.
type Measured struct {
	// Busy is the time, in seconds of a step, that each rank computed and did not
	// wait; 0 where it is not known.
	Busy []float64
	// Spread is the relative error of Busy, as a rank knows it from parts of the time, 0
	// where it does not; it may be nil.
	Spread []float64
	// Steps is how many that were, Left how many remain; 0 if nobody knows.
	Steps, Left int64
}

// Decision says which vertices move, or why none does.
type Decision struct {
	// Owners is the rank of every vertex from now on; nil: none moves.
	Owners []int32
	// Before and After are the predicted times of a step, in seconds, with the
	// present owners and with others, and Ideal that of work which could be divided
	// at will.
	Before, After, Ideal float64
	// Gain is the time saved until the horizon, Cost that of moving, in seconds.
	Gain, Cost float64
	// Moved is the number of cells that change owner, Busiest how many of them the
	// busiest rank sends or receives.
	Moved, Busiest int64
	// Speeds are those of the ranks, relative to their kind's.
	Speeds []float64
	// Why says in a few words what decided.
	Why string
	// Far tells that local moves end more than FarFromIdeal above the ideal: Distant
	// may find a better partition.
	Far bool
}

// Moves tells whether any cell does.
func (d *Decision) Moves() bool { return d.Owners != nil }

// String is the decision in a line.
func (d *Decision) String() string {
	what := "nothing moves"
	if d.Moves() {
		what = fmt.Sprintf("%d cells move", d.Moved)
	}
	return fmt.Sprintf("%s: %s; step %.3g ms, %.3g ms after, %.3g ms ideal; gain %.3g s, cost %.3g s", what, d.Why, 1e3*d.Before, 1e3*d.After, 1e3*d.Ideal, d.Gain, d.Cost)
}

// FarFromIdeal is how far local moves may end above the ideal before the graph
// is partitioned again.
const FarFromIdeal = 0.05

const (
	// leastGain is the fraction of a step that moving must save, beside what speeds are
	// uncertain by.
	leastGain = 0.04
	// assumedSteps is how long a move takes by the first guess, if nobody has told.
	assumedSteps = 15
	// forgiveness is how much of the trust in moves comes back with every look.
	forgiveness = 0.05
	// mostLooks bounds the horizon.
	mostLooks = 10
	// hysteresis is how much more than the cost the gain must be.
	hysteresis = 0.1
)

// Moving is what moving costs by the model: seconds for a move at all, and for
// each cell that the busiest rank sends or receives.
type Moving struct{ Fixed, PerCell float64 }

// Balancer follows a job.
type Balancer struct {
	// Moving is a first guess, 15 steps where it is left out; what moves have taken
	// replaces it.
	Moving Moving

	problem     *Problem
	owners      []int32
	speeds      *speeds
	lost        float64   // seconds since the last move that a better partition would have saved
	pending     float64   // cost of a move that waits for being confirmed
	busiest     int64     // cells of the busiest rank in the last move
	measured    bool      // a move has shown what it takes
	reliability float64   // part of the promised gain that moves have reached so far, 0 to 1
	last        *Decision // that moved, until its first look
	left        []int32   // the owners before it
	graph       []int32   // a partition by Distant, to be judged
}

// New returns a balancer for a job whose vertices have owners now.
func New(p *Problem, owners []int32) *Balancer {
	return &Balancer{problem: p, owners: slices.Clone(owners), speeds: newSpeeds(p), Moving: Moving{PerCell: 1e-7}, reliability: 1}
}

// Owners are the present ones.
func (b *Balancer) Owners() []int32 { return slices.Clone(b.owners) }

// Weigh says anew what every vertex costs, by kind of device, where that changes while a
// job runs, and what it has cost on average since the last look. It is called before each
// look.
func (b *Balancer) Weigh(work, since [][]Parts) {
	for k := range work {
		b.problem.Kinds[k].Work = work[k]
	}
	b.speeds.since = since
	b.speeds.weigh()
}

// Limit says anew how many cells the memory of each rank holds, 0 for any. It is called
// between looks.
func (b *Balancer) Limit(cells []int64) {
	for r, most := range cells {
		b.problem.Ranks[r].Cells = most
	}
}

// Look judges what was measured. What it decides counts as done: the next look is
// taken to be of the new owners.
func (b *Balancer) Look(ctx context.Context, m Measured) *Decision {
	now, d, least := b.judge(m)
	if least == 0 {
		return d
	}
	next := now.clone()
	next.level(ctx)
	if other := b.distant(ctx, now); other != nil && other.slowest() < next.slowest()*(1-leastGain/2) {
		next = other
	}
	b.graph = nil
	// Its sums have been changed move by move and are off by rounding: they are taken anew.
	next = next.anew()
	d.After = next.slowest()
	d.Ideal = math.Min(d.Ideal, next.ideal())
	d.Far = d.After > d.Ideal*(1+FarFromIdeal)
	b.decide(d, next, m, least, now.slowestRank())
	return d
}

// Speeds are those of the ranks as far as looks have found them, relative to the work of
// their kinds, and Factors what corrects that work by kind and by what the cells are.
func (b *Balancer) Speeds() []float64 { return slices.Clone(b.speeds.speed) }

// Factors are said with Speeds.
func (b *Balancer) Factors() []Parts { return slices.Clone(b.speeds.factors) }

// Watch is Look where no vertex can move: it judges whether that would be worth the while.
func (b *Balancer) Watch(m Measured) (d *Decision, differ bool) {
	_, d, least := b.judge(m)
	return d, least > 0
}

// judge takes over what was measured. Where ranks differ by more than noise, it returns
// how many times a better partition's time the present one must need for it to pay.
func (b *Balancer) judge(m Measured) (now *assignment, d *Decision, least float64) {
	b.speeds.observe(b.owners, m)
	now = b.assign(b.owners)
	b.learn(now, m.Busy)
	d = &Decision{Before: now.slowest(), Ideal: now.ideal(), Speeds: slices.Clone(b.speeds.speed)}
	d.After = d.Before
	if b.Moving.Fixed == 0 && !b.measured {
		b.Moving.Fixed = assumedSteps * d.Before
	}
	critical := now.slowestRank()
	doubt := b.doubt(critical)
	least = math.Exp(doubt) / (1 - leastGain)
	switch {
	case d.Before < d.Ideal/(1-leastGain):
		b.lost, d.Why = 0, "the ranks are balanced"
	case d.Before < d.Ideal*least:
		b.lost, d.Why = 0, "the difference may be noise"
	case doubt > leastGain && b.speeds.looks[critical] < 2:
		d.Why = "a difference between ranks whose speeds scatter waits for the next look"
	default:
		return now, d, least
	}
	b.pending = 0
	return now, d, 0
}

// Follow goes on from what another balancer has learned, which has watched the same ranks
// with their cells in other vertices.
func (b *Balancer) Follow(a *Balancer) {
	was, is := a.speeds.held(a.owners), b.speeds.held(b.owners)
	s := a.speeds
	s.of(b.problem)
	for r := range s.speed { // cells cut otherwise may weigh a little more
		factors := s.factors[b.problem.Ranks[r].Kind]
		if before := was[r].times(factors); before > 0 {
			s.speed[r] *= is[r].times(factors) / before
		}
	}
	b.speeds, b.lost, b.reliability, b.Moving = s, a.lost, a.reliability, a.Moving
}

// doubt is by how much the slowest rank may seem slower than it is, as a logarithm: of
// many ranks whose speeds scatter the slowest is so by chance the more.
func (b *Balancer) doubt(critical int32) float64 {
	uncertain := b.speeds.uncertainty(critical)
	if steady := 3 * uncertain; steady < leastGain {
		return steady
	}
	return (1.4 + math.Sqrt(2*math.Log(float64(len(b.problem.Ranks))))) * uncertain
}

// learn compares what the last move has promised with what it gains at the speeds of
// now: where these change from look to look, that is little, and moves must gain the more.
func (b *Balancer) learn(now *assignment, busy []float64) {
	if b.last == nil {
		b.reliability += (1 - b.reliability) * forgiveness
		return
	}
	before := b.assign(b.left)
	with, without := 0.0, 0.0
	for r, seconds := range busy {
		if now.work[r] > 0 {
			with = math.Max(with, seconds+now.crossing[r])
			without = math.Max(without, seconds*before.work[r]/now.work[r]+before.crossing[r])
		}
	}
	reached := (without - with) / (b.last.Before - b.last.After)
	b.reliability += (math.Min(1, math.Max(0, reached)) - b.reliability) / 2
	b.last = nil
}

// assign returns the loads of owners by what is known of ranks.
func (b *Balancer) assign(owners []int32) *assignment {
	return newAssignment(b.problem, b.speeds.seconds, b.speeds.speed, owners)
}

// decide weighs a gain against its cost.
func (b *Balancer) decide(d *Decision, next *assignment, m Measured, least float64, critical int32) {
	moved, busiest := b.problem.moved(b.owners, next.owners)
	d.Cost = b.Moving.Fixed + b.Moving.PerCell*float64(busiest)
	saved := d.Before - d.After
	if moved == 0 || d.Before < d.After*least {
		b.pending, d.Why = 0, "no other partition is much better"
		return
	}
	steps := float64(max(1, m.Steps))
	b.lost += saved * steps
	horizon := steps * b.speeds.lasts(critical)
	if m.Left > 0 {
		horizon = math.Min(horizon, float64(m.Left))
	}
	// What was lost already tells as much of the future as how long the present
	// speeds have lasted, but no more than what remains.
	d.Gain = math.Max(saved*horizon, b.lost) * b.reliability
	if m.Left > 0 {
		d.Gain = math.Min(d.Gain, saved*float64(m.Left))
	}
	switch {
	case d.Gain < d.Cost*(1+hysteresis):
		b.pending, d.Why = 0, "moving costs more than it gains"
		return
	case d.Cost > d.Before*steps && b.pending == 0:
		b.pending, d.Why = d.Cost, "a dear move waits for the next look"
		return
	}
	b.lost, b.pending, b.busiest = 0, 0, busiest
	d.Owners, d.Moved, d.Busiest, d.Why = slices.Clone(next.owners), moved, busiest, "it gains more than moving costs"
	b.left, b.owners, b.last = b.owners, slices.Clone(next.owners), d
	b.speeds.hasMoved()
}

// Took tells what the last move that was decided has taken, in seconds.
func (b *Balancer) Took(seconds float64) {
	b.measured = true
	expected := b.Moving.Fixed + b.Moving.PerCell*float64(b.busiest)
	if expected <= 0 || !(seconds > 0) {
		b.Moving.Fixed = math.Max(0, seconds)
		return
	}
	by := seconds / expected
	b.Moving.Fixed *= by
	b.Moving.PerCell *= by
}

// Held is Work of the present owners.
func (b *Balancer) Held() []float64 { return b.Work(b.owners) }

// Work is that of every rank, in seconds of one of speed 1, by the cost model as it was
// given. It may be called beside Look.
func (b *Balancer) Work(owners []int32) []float64 {
	held := make([]float64, len(b.problem.Ranks))
	for v, r := range owners {
		held[r] += b.problem.Kinds[b.problem.Ranks[r].Kind].Work[v].times(Parts{1, 1, 1})
	}
	return held
}

// Exchanging is the time that every rank exchanges in a step, in seconds.
func (b *Balancer) Exchanging() []float64 { return b.assign(b.owners).crossing }

// moved counts the cells that change owner, and those that the busiest rank sends
// or receives.
func (p *Problem) moved(from, to []int32) (all, busiest int64) {
	busy := make([]int64, len(p.Ranks))
	for v, q := range to {
		if was := from[v]; was != q {
			all += p.Cells[v]
			busy[was] += p.Cells[v]
			busy[q] += p.Cells[v]
		}
	}
	return all, slices.Max(busy)
}
