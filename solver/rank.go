package solver

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver/saved"
	"carina/solver/transport"
)

// Options of a rank.
type Options struct {
	// Dense stores the boxes of all cuboids whole.
	Dense bool
	// ExchangeEvery lets ranks exchange what crosses once in so many steps, with the same
	// bits: meanwhile each computes its ghosts itself, fewer from phase to phase, and
	// has as many more of them. That pays where messages take long and ranks have few
	// cells. It is for physics whose programs are OnGhosts; 0 is 1.
	ExchangeEvery int
}

// Rank is the part of a computation that one rank does. Its methods are called
// by all ranks together, in the same order.
type Rank struct {
	layout    *Layout
	device    Device
	transport transport.Transport
	options   Options
	fields    []Field
	arrays    []int32 // first of each field
	kinds     []Kind  // by array
	kernels   []Kernel
	reach
	states       []*state
	phases       [][]phase
	exchanges    []*Exchange // each once, one way
	steps        int64       // done
	timing       Timing
	finder       *Finder      // while the rank is prepared
	recordKernel RecordKernel // the kernel, if it is one
	peer         Peer         // the device, where others are of its kind
	watch        Stopwatch    // the device, if it is one
	mixed        bool         // devices are of several kinds
	identity     saved.Identity
	closed       bool
	// alike tells which other ranks have such devices; nil where the device is no Peer
	// or the only one.
	alike func(rank int) bool
	// linked is the same of a device that is a Linker.
	linked func(rank int) bool
	expanded
}

// Timing is where a rank's time went.
type Timing struct {
	Total, Exchange time.Duration
	Steps           int64
}

// phase is a phase bound to the rank.
type phase struct {
	name string
	work []Work
	// order is the blocks, the first border of them at the border.
	order  []Block
	border int
	// fetch is also run after loading.
	fetch *Exchange
	// early exchanges begin when the border is done, late ones when all is.
	early, late []*Exchange
	reductions  []reducing
	number      int
	every       int64 // steps
}

// reducing is a reduction of one physics after a phase, with room for its values.
type reducing struct {
	*Reduction
	reducer Reducer
	values  []int64
}

// NewRank prepares rank t.Rank() of a domain. All ranks call it together: if one
// fails, all do. Close it after use.
func NewRank(domain *Domain, physics Together, device Device, t transport.Transport, o Options) (*Rank, error) {
	return newRank(domain, nil, physics, device, t, o)
}

// newRank is NewRank with what all ranks have prepared for it, or nil.
func newRank(domain *Domain, prepared *Prepared, physics Together, device Device, t transport.Transport, o Options) (*Rank, error) {
	r := &Rank{device: device, transport: t, options: o}
	r.watch, _ = device.(Stopwatch)
	if err := r.prepare(domain, prepared, physics); err != nil {
		device.Close()
		return nil, err
	}
	return r, nil
}

// prepare does what NewRank says.
func (r *Rank) prepare(domain *Domain, prepared *Prepared, physics Together) (err error) {
	if prepared == nil {
		if domain, _, err = Rounded(domain, r.device.Unit(), r.transport); err != nil {
			return err
		}
	}
	if err := r.findPeers(); err != nil {
		return err
	}
	programs, asks, err := r.bind(domain, prepared, physics)
	if err := transport.Agree(r.transport, err); err != nil {
		return err
	}
	if err := r.join(); err != nil {
		return err
	}
	plan := r.plan(programs, asks)
	if err := transport.Agree(r.transport, plan.failed); err != nil {
		return err
	}
	if err := r.agree(plan.requests); err != nil {
		return fmt.Errorf("preparing the exchange: %w", err)
	}
	plan.finish()
	if err := r.link(); err != nil {
		return err
	}
	r.finder = nil
	if err := r.identify(); err != nil {
		return err
	}
	// Kernels have filled the cells.
	if err := r.updateGhosts(); err != nil {
		return fmt.Errorf("preparing the exchange: %w", err)
	}
	return nil
}

// bind does what needs no other rank: it numbers cells, allocates fields and
// makes kernels.
func (r *Rank) bind(domain *Domain, prepared *Prepared, list Together) (programs []Program, asks []asking, err error) {
	if domain.Ranks != r.transport.Size() {
		return nil, nil, fmt.Errorf("the partition is for %s and %d started; start as many or partition again", quantity.Count(domain.Ranks, "rank"), r.transport.Size())
	}
	if len(list) == 0 {
		return nil, nil, errors.New("there is no physics to compute; give at least one")
	}
	first := 0
	for _, p := range list {
		program := p.Program().moved(first)
		programs = append(programs, program)
		first += len(p.Fields())
		r.offsets = program.offsets(r.offsets)
	}
	for i := range programs {
		if len(programs[i].Steps) != len(programs[0].Steps) || len(programs[i].State) != len(programs[0].State) {
			return nil, nil, errors.New("physics that run together must have cycles of the same length")
		}
	}
	if err := agreeOnPhases(programs); err != nil {
		return nil, nil, err
	}
	r.fields = list.Fields()
	for _, f := range r.fields {
		r.arrays = append(r.arrays, int32(len(r.kinds)))
		for range f.Values {
			r.kinds = append(r.kinds, f.Kind)
		}
	}
	if r.hasPeersAlone() {
		r.offsets = nil // nothing crosses that the engine sees to
	}
	if err := r.expand(programs); err != nil {
		return nil, nil, err
	}
	if prepared == nil {
		prepared = &Prepared{physics: make([]any, len(list))}
		if prepared.finder, err = newFinder(domain, r.transport.Rank(), r.reach, r.options.Dense); err != nil {
			return nil, nil, err
		}
		prepared.finder.finish()
	}
	r.finder = prepared.finder
	r.layout = r.finder.Layout
	if err := r.device.Allocate(r.layout, r.fields); err != nil {
		return nil, nil, err
	}
	first = 0
	for i, p := range list {
		b := &Binding{Finder: r.finder, Foreseen: prepared.physics[i], Device: r.device, Before: slices.Clone(r.kernels), first: first, fields: r.fields, arrays: r.arrays, asked: asking{}}
		kernel, err := p.Bind(b)
		if err != nil {
			return nil, nil, err
		}
		if err := programs[len(r.kernels)].fits(kernel); err != nil {
			return nil, nil, err
		}
		r.kernels, asks = append(r.kernels, kernel), append(asks, b.asked)
		if recordKernel, ok := kernel.(RecordKernel); ok {
			r.recordKernel = recordKernel
		}
		first += len(p.Fields())
	}
	if r.recordKernel != nil && len(r.kernels) > 1 {
		return nil, nil, errors.New("this device computes one physics alone; compute several on the processor")
	}
	return programs, asks, nil
}

// agreeOnPhases refuses physics whose same phase is in other steps.
func agreeOnPhases(programs []Program) error {
	for i, phases := range programs[0].Steps {
		for k := range programs[1:] {
			others := programs[1+k].Steps[i]
			for j := range min(len(phases), len(others)) {
				if max(1, phases[j].Every) != max(1, others[j].Every) {
					return fmt.Errorf("phase %q is in every %d steps and %q, which runs with it, in every %d; let both be in the same", phases[j].Name, max(1, phases[j].Every), others[j].Name, max(1, others[j].Every))
				}
			}
		}
	}
	return nil
}

// fits refuses a kernel that cannot do the reductions of its program.
func (p *Program) fits(kernel Kernel) error {
	for _, phases := range p.Steps {
		for i := range phases {
			f := &phases[i]
			if f.Reduce == nil {
				continue
			}
			if _, ok := kernel.(Reducer); !ok {
				return fmt.Errorf("phase %q reduces and its kernel, %T, is no Reducer: give it Collect and Apply", f.Name, kernel)
			}
			if f.Reduce.Every < 1 || f.Reduce.Values < 0 {
				return fmt.Errorf("phase %q reduces %d values every %d steps: give at least 0 values and 1 step", f.Name, f.Reduce.Values, f.Reduce.Every)
			}
		}
	}
	return nil
}

// array is the first of a field.
func (r *Rank) array(field int) int32 { return r.arrays[field] }

// moved is a program whose fields begin at a number.
func (p Program) moved(first int) Program {
	move := func(list []Slot) []Slot {
		list = slices.Clone(list)
		for i := range list {
			list[i].Field += first
		}
		return list
	}
	var q Program
	for _, phases := range p.Steps {
		phases = slices.Clone(phases)
		for i := range phases {
			f := &phases[i]
			f.Reads, f.Return, f.Fetch = move(f.Reads), move(f.Return), move(f.Fetch)
		}
		q.Steps = append(q.Steps, phases)
	}
	for _, s := range p.State {
		q.State = append(q.State, move(s))
	}
	q.OnGhosts = p.OnGhosts
	return q
}

// offsets adds those of all slots to a list, each once.
func (p *Program) offsets(list []geometry.Offset) []geometry.Offset {
	add := func(slots []Slot) {
		for i := range slots {
			if !slots[i].own() && !slices.Contains(list, slots[i].Offset) {
				list = append(list, slots[i].Offset)
			}
		}
	}
	for _, phases := range p.Steps {
		for i := range phases {
			add(phases[i].Reads)
			add(phases[i].Return)
			add(phases[i].Fetch)
		}
	}
	for _, s := range p.State {
		add(s)
	}
	return list
}

// Step computes one step. It does not allocate.
func (r *Rank) Step() error {
	begin := time.Now()
	var waited time.Duration
	for _, k := range r.kernels {
		if err := k.Begin(r.steps); err != nil {
			return fmt.Errorf("step %d: %w", r.steps+1, err)
		}
	}
	if r.watch != nil {
		if err := r.watch.Next(); err != nil {
			return fmt.Errorf("step %d: %w", r.steps+1, err)
		}
	}
	phases := r.phases[r.steps%int64(len(r.phases))]
	for i := range phases {
		p := &phases[i]
		if (r.steps+1)%p.every != 0 {
			continue
		}
		if err := r.run(p, Side{true, p.order[:p.border]}); err != nil {
			return err
		}
		if len(p.early) > 0 {
			if err := r.device.Begin(p.early, false); err != nil {
				return fmt.Errorf("exchanging the border after step %d: %w", r.steps+1, err)
			}
		}
		if err := r.run(p, Side{false, p.order[p.border:]}); err != nil {
			return err
		}
		computed := time.Now()
		if err := r.combine(p); err != nil {
			return fmt.Errorf("exchanging the border after step %d: %w", r.steps+1, err)
		}
		waited += time.Since(computed)
	}
	r.timing.Exchange += waited
	r.timing.Total += time.Since(begin)
	r.timing.Steps++
	r.steps++
	return nil
}

// run does the work of a phase on a side.
func (r *Rank) run(p *phase, s Side) error {
	for _, w := range p.work {
		if err := r.device.Run(w, s); err != nil {
			return fmt.Errorf("phase %q of step %d: %w", p.name, r.steps+1, err)
		}
	}
	return nil
}

// combine waits for what crosses after a phase and does its reduction.
func (r *Rank) combine(p *phase) error {
	if len(p.early) > 0 {
		if err := r.device.End(); err != nil {
			return err
		}
	}
	if len(p.late) > 0 {
		if err := r.exchange(p.late); err != nil {
			return err
		}
	}
	for i := range p.reductions {
		d := &p.reductions[i]
		if (r.steps+1)%d.Every != 0 {
			continue
		}
		clear(d.values)
		if err := d.reducer.Collect(p.number, d.values); err != nil {
			return err
		}
		if err := r.transport.Reduce(d.Operation, d.values); err != nil {
			return err
		}
		d.reducer.Apply(p.number, d.values)
	}
	return nil
}

// exchange does exchanges when all blocks are done.
func (r *Rank) exchange(list []*Exchange) error {
	if err := r.device.Begin(list, true); err != nil {
		return err
	}
	return r.device.End()
}

// wait waits for the steps that were begun.
func (r *Rank) wait() error {
	begin := time.Now()
	if err := r.device.Wait(); err != nil {
		return fmt.Errorf("step %d: %w", r.steps, err)
	}
	r.timing.Total += time.Since(begin)
	return nil
}

// Close ends what the device runs, once.
func (r *Rank) Close() {
	if !r.closed {
		r.closed = true
		r.device.Close()
	}
}

// Layout is that of the rank's cells.
func (r *Rank) Layout() *Layout { return r.layout }

// Device is that of the rank.
func (r *Rank) Device() Device { return r.device }

// Kernel returns that of a physics, by its number among those together.
func (r *Rank) Kernel(number int) Kernel { return r.kernels[number] }

// Transport connects the rank with the others.
func (r *Rank) Transport() transport.Transport { return r.transport }

// Steps is how many were done.
func (r *Rank) Steps() int64 { return r.steps }

// mostPeriod is how many steps a period has at most.
const mostPeriod = 16

// Period is in how many steps all kinds of them occur, as often as later: those of the
// cycle, and those with and without what is done in every so many.
func (r *Rank) Period() int {
	n := len(r.phases)
	with := func(every int64) {
		if m := int(every); m > 1 && n%m > 0 {
			n = n / gcd(n, m) * m
		}
	}
	for _, phases := range r.phases {
		for i := range phases {
			with(phases[i].every)
			for k := range phases[i].reductions {
				with(phases[i].reductions[k].Every)
			}
		}
	}
	return min(n, mostPeriod)
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// Timing is where the time of all steps went.
func (r *Rank) Timing() Timing { return r.timing }

// Identity is what the rank's states belong to.
func (r *Rank) Identity() saved.Identity { return r.identity }

// AddTiming adds where the time of earlier steps went, which another rank has done.
func (r *Rank) AddTiming(t Timing) {
	r.timing.Total += t.Total
	r.timing.Exchange += t.Exchange
	r.timing.Steps += t.Steps
}

// Bytes is the memory held for cells and exchanges, without that of kernels.
func (r *Rank) Bytes() int64 {
	n := r.device.Bytes() + r.layout.bytes()
	for _, x := range r.exchanges {
		n += x.bytes()
	}
	for _, phases := range r.phases {
		for i := range phases {
			n += blockBytes * int64(len(phases[i].order))
		}
	}
	return n
}
