package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"carina/balance"
	"carina/internal/crash"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/transport"
)

// Rebalancing lets cells change owner while a job runs: between steps rank 0 looks at
// the time that every rank has computed and decides.
type Rebalancing struct {
	// Every is how many steps lie between looks; 0 chooses, so that looks take little.
	Every int64
	// Partition is what the job began with.
	Partition *balance.Partition
	// Dear returns what tells how many of n own cells in a row, from a global number on,
	// cost much just now, where others cost little; nil: all cost what the partition's cost
	// model says.
	Dear func(c Computation) (func(first int64, n int32) int64, error)
	// Hear is told of every look, on rank 0; it may be nil.
	Hear func(Look)

	// measured replaces the clock, for tests: how long a step of a rank with so many
	// cells took.
	measured func(rank int, step int64, cells float64) time.Duration
	// patient makes steps wait for what is prepared beside them, however long, for tests.
	patient bool

	domain  *solver.Domain
	left    func(Computation) int64
	ranks   []looker
	ctx     context.Context
	watch   *balance.Watch // until cells are cut, on rank 0
	blind   error          // there is no watch
	once    sync.Once
	cutting chan struct{} // closed when the following is there
	failed  error
	// rebalancer decides on rank 0; cut is the job's cells by its cuboids.
	rebalancer *balance.Rebalancer
	cut        *solver.Domain
	pieces     []solver.Piece // of these, where some cells are dear
	distant    chan []int32   // a partition that is being made beside the job
	took       float64        // seconds of the last move
	// owners are of the cuboids since the last move, speeds those of the ranks then, on
	// rank 0; nil where nothing has moved.
	owners []int32
	speeds []float64
	looked bool // on rank 0
}

// Look is what a look has found, and what became of it.
type Look struct {
	Step int64
	// Busy is the time, in seconds of a step, that each rank computed, Seconds that of a
	// step altogether.
	Busy    []float64
	Seconds float64
	*balance.Decision
	// Shares are of the cells, by rank, before.
	Shares []float64
	// Took is how long moving took, in seconds.
	Took float64
}

// looker is what a rank remembers between looks.
type looker struct {
	timing solver.Timing  // when parts began, or the last of them ended
	parts  []balance.Part // since the last look
	total  time.Duration  // of these, with what was exchanged
	begun  bool
	// first is the step after which they began, next that of the next look.
	first, next int64
	// cuts tells that cells are being cut; owners are of the cuboids of then.
	cuts   bool
	owners []int32
	moving *moving // what waits for being prepared, nil where nothing does
}

// moving is a move that was decided and is being prepared beside the steps.
type moving struct {
	look   Look // of rank 0
	domain *solver.Domain
	owners []int32
	next   int64 // how many steps after it the next look is
	done   <-chan struct{}
}

// foreseer is a Computation that prepares moves beside the steps: that pays where others than
// the host's cores compute.
type foreseer interface {
	Prepare(domain *solver.Domain) (done <-chan struct{})
}

const (
	// warmUp is how many steps pass at most before the first measurement.
	warmUp = 4 * airflow.CheckInterval
	// leastLook is how many steps lie between looks at least, where nobody says how many.
	leastLook = 8 * airflow.CheckInterval
	// mostOfLooks is the share of time that looks may take, mostOfMoves that of moves.
	mostOfLooks, mostOfMoves = 0.004, 0.05
	// spreadUnit is what spreads are told in.
	spreadUnit = 1e-6
)

// Start prepares looks at a computation on the domain that its partition says. Left tells
// how many steps remain. It is called once in each process.
func (b *Rebalancing) Start(ctx context.Context, domain *solver.Domain, left func(Computation) int64) {
	b.ctx, b.domain, b.left, b.ranks, b.cutting = ctx, domain, left, make([]looker, domain.Ranks), make(chan struct{})
	b.watch, b.blind = balance.NewWatch(b.Partition, nil, nil)
}

// between is what is done between the steps of a job.
func (b *Rebalancing) between(ctx context.Context, j *Job) Between {
	b.Start(ctx, j.Domain, func(c Computation) int64 {
		if j.Plan.Steps > 0 {
			return j.Plan.Steps - c.Engine().Steps()
		}
		return int64((j.Plan.Time - c.Time()) * float64(c.Engine().Steps()) / max(c.Time(), 1e-300))
	})
	return Between{Do: func(v *View) error { return b.Look(v.rank) }}
}

// startCutting cuts the cells beside the job, once in each process.
func (b *Rebalancing) startCutting() {
	b.once.Do(func() {
		go func() {
			defer crash.Guard()
			defer close(b.cutting)
			d := b.domain
			if b.rebalancer, b.failed = balance.NewRebalancer(b.ctx, b.Partition, d.Grid, nil, nil); b.failed != nil {
				b.failed = fmt.Errorf("preparing to balance while it runs: %w", b.failed)
				return
			}
			b.cut = &solver.Domain{Grid: d.Grid, Segments: b.rebalancer.Segments(), Owners: b.rebalancer.Owners(), Boxes: b.rebalancer.Cuboids(), Ranks: d.Ranks, Periodic: d.Periodic}
			if b.Dear != nil {
				b.pieces, b.failed = b.cut.Pieces(true)
			}
		}()
	})
}

// besideDevices tells, alike on all ranks, whether devices compute beside the host: it has
// the time to prepare what may be needed.
func besideDevices(c Computation) bool { return c.Engine().Layout().Domain.Unit() > 1 }

// endCuttingAhead lets the first look be of cells that have been cut, where all ranks have
// them in time.
func (b *Rebalancing) endCuttingAhead(c Computation, own *looker) error {
	if own.cuts || own.owners != nil || !besideDevices(c) {
		return nil
	}
	ready := []int64{0}
	select {
	case <-b.cutting:
		ready[0] = 1
	default:
	}
	if err := c.Engine().Transport().Reduce(transport.Min, ready); err != nil {
		return fmt.Errorf("preparing to balance while it runs: %w", err)
	}
	own.cuts = ready[0] == 1
	return nil
}

// endCutting waits for the cells that are being cut.
func (b *Rebalancing) endCutting(own *looker, t transport.Transport) error {
	<-b.cutting
	if err := transport.Agree(t, b.failed); err != nil {
		return err
	}
	if own.cuts, own.owners = false, b.cut.Owners; t.Rank() == 0 && b.Dear == nil {
		b.rebalancer.Follow(b.watch)
	}
	return nil
}

// begin begins to measure a part.
func (own *looker) begin(c Computation) {
	own.timing = c.Engine().Timing()
	if watch, ok := c.Engine().Device().(solver.Stopwatch); ok {
		watch.Start(c.Engine().Period())
	}
}

// measure adds a part to what a rank has measured since the last look, where it has steps
// of all kinds or a look is due.
func (b *Rebalancing) measure(c Computation, own *looker) error {
	timing, was := c.Engine().Timing(), own.timing
	if timing.Steps-was.Steps < int64(c.Engine().Period()) && c.Engine().Steps() < own.next {
		return nil
	}
	total := timing.Total - was.Total
	busy := total - (timing.Exchange - was.Exchange)
	steps := max(1, timing.Steps-was.Steps)
	part := balance.Part{Seconds: busy.Seconds() / float64(steps), Steps: steps}
	if watch, ok := c.Engine().Device().(solver.Stopwatch); ok {
		var err error
		if part.Seconds, err = watch.Stop(); err != nil {
			return fmt.Errorf("looking at the balance: %w", err)
		}
	}
	own.begin(c)
	if b.measured != nil {
		rank := c.Engine().Transport().Rank()
		part.Seconds = b.measured(rank, c.Engine().Steps(), b.shares(own.owners)[rank]*float64(b.domain.CellCount())).Seconds()
	}
	own.parts, own.total = append(own.parts, part), own.total+total
	return nil
}

// Look looks, where it is time, and moves. All ranks call it between steps, each after as
// many.
func (b *Rebalancing) Look(c Computation) error {
	t, step := c.Engine().Transport(), c.Engine().Steps()
	own := &b.ranks[t.Rank()]
	if b.domain.Ranks == 1 {
		return nil
	}
	if !own.begun { // what happens first is no measurement
		if b.blind != nil {
			return fmt.Errorf("preparing to balance while it runs: %w", b.blind)
		}
		if c.Engine().Timing().Steps >= min(warmUp, cmp.Or(b.Every, warmUp)) {
			own.begin(c)
			own.begun, own.first, own.next = true, step, step+cmp.Or(b.Every, leastLook)
			if own.cuts = b.Dear != nil; own.cuts || besideDevices(c) {
				b.startCutting() // how dear cells are is counted by what is cut
			}
		}
		return nil
	}
	if own.moving != nil {
		return b.movePrepared(c, own)
	}
	if err := b.measure(c, own); err != nil || step < own.next {
		return err
	}
	if err := b.endCuttingAhead(c, own); err != nil {
		return err
	}
	if own.cuts {
		if err := b.endCutting(own, t); err != nil {
			return err
		}
	}
	begin := time.Now() // what is prepared once does not make looks rare
	if b.Dear != nil {
		if err := b.weigh(c, own.owners); err != nil {
			return err
		}
	}
	steps := max(1, step-own.first)
	most, err := c.Engine().Capacity()
	if err := transport.Agree(t, err); err != nil {
		return fmt.Errorf("looking at the balance: %w", err)
	}
	measured := make([]int64, 3*t.Size()+1)
	mean, spread := balance.Mean(own.parts)
	measured[t.Rank()], measured[t.Size()+t.Rank()] = int64(1e9*mean), int64(spread/spreadUnit)
	measured[2*t.Size()+1+t.Rank()] = most
	if t.Rank() == 0 {
		measured[2*t.Size()] = int64(own.total) / steps
	}
	if err := t.Reduce(transport.Sum, measured); err != nil {
		return fmt.Errorf("looking at the balance: %w", err)
	}
	var message []byte
	var l Look
	if t.Rank() == 0 {
		var differ bool
		l, differ = b.decide(c, measured, steps, own.owners)
		message = b.encode(&l, own.owners, step, steps, time.Since(begin), differ)
	}
	message, err = transport.Broadcast(t, 0, message)
	if err != nil {
		return fmt.Errorf("looking at the balance: %w", err)
	}
	next, cuts, owners := decode(message, own.owners)
	if own.cuts = cuts; cuts {
		b.startCutting()
	}
	if owners != nil {
		m := &moving{look: l, domain: b.domainOf(owners), owners: owners, next: next - step}
		if f, ok := c.(foreseer); ok && besideDevices(c) {
			m.done, own.moving = f.Prepare(m.domain), m
			return nil
		}
		if err := b.move(c, m); err != nil {
			return err
		}
		own.owners, l = owners, m.look
	}
	b.goOn(c, own, next-step, l)
	return nil
}

// goOn begins to measure what the next look judges, in so many steps.
func (b *Rebalancing) goOn(c Computation, own *looker, next int64, l Look) {
	step := c.Engine().Steps()
	own.first, own.next, own.parts, own.total = step, step+next, own.parts[:0], 0
	own.begin(c)
	if c.Engine().Transport().Rank() == 0 && b.Hear != nil {
		b.Hear(l)
	}
}

// movePrepared moves when all ranks have prepared that.
func (b *Rebalancing) movePrepared(c Computation, own *looker) error {
	if b.patient {
		<-own.moving.done
	}
	ready := []int64{0}
	select {
	case <-own.moving.done:
		ready[0] = 1
	default:
	}
	if err := c.Engine().Transport().Reduce(transport.Min, ready); err != nil {
		return fmt.Errorf("preparing to move cells: %w", err)
	}
	if ready[0] == 0 {
		return nil
	}
	m := own.moving
	own.moving = nil
	if err := b.move(c, m); err != nil {
		return err
	}
	own.owners = m.owners
	b.goOn(c, own, m.next, m.look)
	return nil
}

// end tells, on rank 0, of a move that was still being prepared when the job ended.
func (b *Rebalancing) end() {
	m := b.ranks[0].moving
	if m == nil || b.Hear == nil {
		return
	}
	d := *m.look.Decision
	d.Owners, d.Moved, d.Busiest, d.Why = nil, 0, 0, "the run ended while the move was being prepared"
	m.look.Decision = &d
	b.Hear(m.look)
}

// Moved is who owns the cells since the last move, by the speeds that ranks had then. It is
// known on rank 0 when the job is over, and nil where nothing has moved.
func (b *Rebalancing) Moved() *balance.Partition {
	if b == nil || b.owners == nil {
		return nil
	}
	return b.rebalancer.Partition(b.owners, b.speeds)
}

// ErrNoLook says why there is no calibrated partition.
var ErrNoLook = errors.New("no look has measured the ranks, so no partition is written: compute more steps, on two ranks or more, or look more often, as with --rebalance every=100")

// Calibrated is who owns the cells when the job is over, with the speeds of the ranks and
// the costs of cells as looks have found them. It is known on rank 0.
func (b *Rebalancing) Calibrated() (*balance.Partition, error) {
	switch {
	case b == nil || !b.looked:
		return nil, ErrNoLook
	case b.owners == nil: // what follows the watch shares what it has learned
		return b.Partition.Calibrated(b.domain.Grid, b.watch)
	}
	return b.Moved().Calibrated(b.domain.Grid, b.rebalancer.Balancer)
}

// domainOf is the job's with owners of the cuboids.
func (b *Rebalancing) domainOf(owners []int32) *solver.Domain {
	domain := *b.cut
	domain.Owners, domain.Work = owners, b.rebalancer.Work(owners)
	for r := range domain.Work {
		domain.Work[r] /= b.Partition.Ranks[r].Speed
	}
	return &domain
}

// move gives the cells of cuboids to their owners.
func (b *Rebalancing) move(c Computation, m *moving) error {
	begin := time.Now()
	if err := c.Move(m.domain); err != nil {
		return err
	}
	t := c.Engine().Transport()
	took := []int64{int64(time.Since(begin))}
	if err := t.Reduce(transport.Max, took); err != nil {
		return fmt.Errorf("moving cells: %w", err)
	}
	if t.Rank() == 0 {
		l := &m.look
		l.Took = 1e-9 * float64(took[0])
		b.took, b.owners, b.speeds = l.Took, m.owners, l.Speeds
		b.rebalancer.Took(l.Took)
	}
	return nil
}
