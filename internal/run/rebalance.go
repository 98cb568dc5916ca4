package run

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
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
	// Dear tells how many of n own cells in a row, from a global number on, cost much just
	// now, where others cost little; nil: all cost what the partition's cost model says.
	Dear func(c Computation, first int64, n int32) int64
	// Hear is told of every look, on rank 0; it may be nil.
	Hear func(Look)

	// measured replaces the clock, for tests: how long a step of a rank with so many
	// cells took.
	measured func(rank int, step int64, cells float64) time.Duration

	domain     *solver.Domain
	left       func(Computation) int64
	once       sync.Once
	rebalancer *balance.Rebalancer
	failed     error
	cut        *solver.Domain // the job's cells by the rebalancer's cuboids
	pieces     []solver.Piece // of these, where some cells are dear
	ranks      []looker
	distant    chan []int32 // a partition that is being made beside the job
	ctx        context.Context
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
	timing solver.Timing
	next   int64   // step of the next look; 0: none was
	owners []int32 // of the rebalancer's cuboids
}

const (
	// warmUp is how many steps pass before the first measurement, and the least between
	// looks.
	warmUp = 2 * airflow.CheckInterval
	// mostOfLooks is the share of time that looks may take.
	mostOfLooks = 0.004
)

// Start prepares looks at a computation on the domain that its partition says. Left tells
// how many steps remain. It is called once in each process.
func (b *Rebalancing) Start(ctx context.Context, domain *solver.Domain, left func(Computation) int64) {
	b.ctx, b.domain, b.left, b.ranks = ctx, domain, left, make([]looker, domain.Ranks)
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

// prepare cuts the cells, once in each process.
func (b *Rebalancing) prepare() error {
	b.once.Do(func() {
		d := b.domain
		if b.rebalancer, b.failed = balance.NewRebalancer(b.ctx, b.Partition, d.Grid, nil, nil); b.failed != nil {
			b.failed = fmt.Errorf("preparing to balance while it runs: %w", b.failed)
			return
		}
		b.cut = &solver.Domain{Grid: d.Grid, Segments: b.rebalancer.Segments(), Owners: b.rebalancer.Owners(), Boxes: b.rebalancer.Cuboids(), Ranks: d.Ranks, Periodic: d.Periodic}
		if b.Dear != nil {
			b.pieces, b.failed = b.cut.Pieces(true)
		}
	})
	return b.failed
}

// Look looks, where it is time, and moves. All ranks call it between steps.
func (b *Rebalancing) Look(c Computation) error {
	t, step, timing := c.Engine().Transport(), c.Engine().Steps(), c.Engine().Timing()
	own := &b.ranks[t.Rank()]
	if step < own.next || b.domain.Ranks == 1 {
		return nil
	}
	if own.next == 0 {
		own.next, own.timing = step+max(warmUp, b.Every), timing
		if step < warmUp {
			own.next = 0 // what happens first is no measurement
		}
		return nil
	}
	if err := transport.Agree(t, b.prepare()); err != nil {
		return err
	}
	begin := time.Now() // what is prepared once does not make looks rare
	if own.owners == nil {
		own.owners = b.cut.Owners
	}
	if b.Dear != nil {
		if err := b.weigh(c, own.owners); err != nil {
			return err
		}
	}
	steps := max(1, timing.Steps-own.timing.Steps)
	busy := make([]int64, t.Size()+1)
	busy[t.Rank()] = int64(timing.Total-own.timing.Total-(timing.Exchange-own.timing.Exchange)) / steps
	if b.measured != nil {
		busy[t.Rank()] = int64(b.measured(t.Rank(), step, b.shares(own.owners)[t.Rank()]*float64(b.cut.CellCount())))
	}
	if t.Rank() == 0 {
		busy[t.Size()] = int64(timing.Total-own.timing.Total) / steps
	}
	if err := t.Reduce(transport.Sum, busy); err != nil {
		return fmt.Errorf("looking at the balance: %w", err)
	}
	var message []byte
	var l Look
	if t.Rank() == 0 {
		l = b.decide(c, busy, steps, own.owners)
		message = b.encode(&l, own.owners, step, steps, time.Since(begin))
	}
	message, err := transport.Broadcast(t, 0, message)
	if err != nil {
		return fmt.Errorf("looking at the balance: %w", err)
	}
	next, owners := decode(message, own.owners)
	if owners != nil {
		if err := b.move(c, owners, &l); err != nil {
			return err
		}
		own.owners = owners
	}
	own.next, own.timing = next, c.Engine().Timing()
	if t.Rank() == 0 && b.Hear != nil {
		b.Hear(l)
	}
	return nil
}

// weigh counts the cells that are dear.
func (b *Rebalancing) weigh(c Computation, owners []int32) error {
	t := c.Engine().Transport()
	dear := make([]int64, len(owners))
	for i := range b.pieces {
		if p := &b.pieces[i]; int(owners[p.Cuboid]) == t.Rank() {
			dear[p.Cuboid] += b.Dear(c, p.Global, p.Cells())
		}
	}
	if err := t.Reduce(transport.Sum, dear); err != nil {
		return fmt.Errorf("counting cells that cost much: %w", err)
	}
	if t.Rank() == 0 {
		b.rebalancer.Weigh(dear)
	}
	return nil
}

// decide judges what was measured.
func (b *Rebalancing) decide(c Computation, busy []int64, steps int64, owners []int32) Look {
	l := Look{Step: c.Engine().Steps(), Seconds: 1e-9 * float64(busy[len(busy)-1]), Shares: b.shares(owners)}
	for _, ns := range busy[:len(busy)-1] {
		l.Busy = append(l.Busy, 1e-9*float64(ns))
	}
	select {
	case owners := <-b.distant:
		b.rebalancer.Found(owners)
		b.distant = nil
	default:
	}
	l.Decision = b.rebalancer.Look(b.ctx, balance.Measured{Busy: l.Busy, Steps: steps, Left: max(1, b.left(c))})
	if l.Far && b.distant == nil {
		done := make(chan []int32, 1)
		b.distant = done
		find := b.rebalancer.Distant(steps)
		go func() {
			defer crash.Guard()
			// What fails is not found.
			owners, _ := find(b.ctx)
			done <- owners
		}()
	}
	return l
}

// shares are of the cells, by rank.
func (b *Rebalancing) shares(owners []int32) []float64 {
	list := make([]float64, b.cut.Ranks)
	all := float64(b.cut.CellCount())
	for i := range b.cut.Segments {
		s := &b.cut.Segments[i]
		list[owners[s.Cuboid]] += float64(s.X1-s.X0) / all
	}
	return list
}

// encode says when the next look is, and which cuboids have which owners from now on.
func (b *Rebalancing) encode(l *Look, owners []int32, step, steps int64, took time.Duration) []byte {
	next := b.Every
	if next == 0 {
		next = max(steps/2, warmUp, int64(took.Seconds()/mostOfLooks/max(l.Seconds, 1e-9)))
	}
	words := binary.LittleEndian.AppendUint64(nil, uint64(step+next))
	for i, owner := range l.Owners {
		if owner != owners[i] {
			words = binary.LittleEndian.AppendUint32(words, uint32(i))
			words = binary.LittleEndian.AppendUint32(words, uint32(owner))
		}
	}
	return words
}

// decode returns what encode has said; no owners where none changes.
func decode(words []byte, before []int32) (next int64, owners []int32) {
	next = int64(binary.LittleEndian.Uint64(words))
	if words = words[8:]; len(words) > 0 {
		owners = slices.Clone(before)
	}
	for ; len(words) > 0; words = words[8:] {
		owners[binary.LittleEndian.Uint32(words)] = int32(binary.LittleEndian.Uint32(words[4:]))
	}
	return next, owners
}

// move gives the cells of cuboids to their owners.
func (b *Rebalancing) move(c Computation, owners []int32, l *Look) error {
	begin := time.Now()
	domain := *b.cut
	domain.Owners, domain.Work = owners, b.rebalancer.Work(owners)
	for r := range domain.Work {
		domain.Work[r] /= b.Partition.Ranks[r].Speed
	}
	if err := c.Move(&domain); err != nil {
		return err
	}
	took := []int64{int64(time.Since(begin))}
	t := c.Engine().Transport()
	if err := t.Reduce(transport.Max, took); err != nil {
		return fmt.Errorf("moving cells: %w", err)
	}
	if t.Rank() == 0 {
		l.Took = 1e-9 * float64(took[0])
		b.rebalancer.Took(l.Took)
	}
	return nil
}
