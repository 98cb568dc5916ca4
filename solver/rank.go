package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	"carina/solver/collision"
	"carina/solver/kernel"
	"carina/solver/lattice"
	"carina/solver/transport"
)

// Rank is the part of a computation that one rank does. Its methods are
// called by all ranks together, in the same order.
type Rank struct {
	domain    *Domain
	settings  Settings
	units     Units
	expected  expected
	warnings  []string
	set       *lattice.Set
	layout    *layout
	state     state
	openings  *openingStates
	transport transport.Transport
	pool      *pool
	halo      *halo
	curve     *curve // nil unless walls are quadratic
	// update is the work of an even and an odd step on a chunk.
	update [2]func(chunk int, w *workspace)

	steps     int64 // done so far
	rampSteps float64
	fastest   float64 // after the start, in cells per step, as far as was checked
	timing    timing
	average   *average
	watch     *SteadyWatch // of the last advance
	lastGood  *Fields
	force     [3]float64 // in lattice units
}

// timing is where a rank's time went.
type timing struct {
	total, exchange time.Duration
	steps           int64
}

// NewRank prepares rank t.Rank() of the domain. If one rank fails, all do.
// Close it after use.
func NewRank(domain *Domain, settings Settings, t transport.Transport) (*Rank, error) {
	r, err := newRank(domain, settings, t)
	if err := transport.Agree(t, err); err != nil {
		return nil, err
	}
	if settings.Wall == Quadratic {
		if r.curve, err = newCurve(r); err != nil {
			return nil, err
		}
	}
	if settings.Initial != nil {
		r.initialize()
	}
	return r, nil
}

// newRank is what NewRank does without the other ranks.
func newRank(domain *Domain, settings Settings, t transport.Transport) (*Rank, error) {
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	if domain.Ranks != t.Size() {
		return nil, fmt.Errorf("the partition is for %d ranks and %d were started; start as many or partition again", domain.Ranks, t.Size())
	}
	if err := settings.validateConditions(domain.Grid); err != nil {
		return nil, err
	}
	r := &Rank{domain: domain, settings: settings, transport: t, set: settings.set()}
	areas, err := openingAreas(domain.Grid, r.set)
	if err != nil {
		return nil, err
	}
	if r.layout, err = newLayout(domain, t.Rank(), r.set, settings.Layout); err != nil {
		return nil, err
	}
	r.expected = expect(domain.Grid, &settings)
	if r.units, r.warnings, err = chooseUnits(domain.Grid, &settings, r.expected); err != nil {
		return nil, err
	}
	r.warnings = append(r.warnings, r.settings.settleWall(r.units.RelaxationTime())...)
	settings = r.settings
	r.openings = newOpeningStates(domain.Grid, areas, &settings, r.units)
	profiles, err := openingProfiles(domain.Grid, r.set, r.openings.list)
	if err != nil {
		return nil, err
	}
	if err := r.layout.findLinks(domain.Grid, settings.wallScheme(r.units.RelaxationTime()), r.openings.list, profiles); err != nil {
		return nil, err
	}
	r.openings.seen = make([]openingSample, len(r.layout.openings))
	for i, a := range areas {
		if o := &domain.Grid.Openings[i]; a == 0 {
			r.warnings = append(r.warnings, fmt.Sprintf("opening %d (%s) meets no cell and stays closed: choose a smaller spacing, or leave it out with --drop-opening %d", o.Number, o.Name, o.Number))
		}
	}
	r.rampSteps = r.chooseRamp()
	if err := r.newState(); err != nil {
		return nil, err
	}
	r.startPool()
	for odd := range r.update {
		r.update[odd] = func(i int, w *workspace) { r.state.step(&r.layout.chunks[i], odd == 1, r.openings, w) }
	}
	r.halo = newHalo(r.layout.peers, r.state, t)
	return r, nil
}

// newState allocates the populations.
func (r *Rank) newState() error {
	s := &r.settings
	tau := r.units.RelaxationTime()
	r.setForce(0)
	variant := collision.Variant{Name: string(s.operator(tau)), Set: r.set,
		Force: s.BodyForce != [3]float64{}, LargeEddy: s.Smagorinsky > 0}
	var err error
	switch s.Precision {
	case Double:
		r.state, err = newPopulations[float64, float64](r.layout, variant, r.parameters())
	case Half:
		r.state, err = newPopulations[float32, kernel.Float16](r.layout, variant, r.parameters())
	default:
		r.state, err = newPopulations[float32, float32](r.layout, variant, r.parameters())
	}
	return err
}

// setForce sets the body force of the step that begins after the given one.
func (r *Rank) setForce(steps int64) {
	factor := 1.0
	if w := r.settings.ForceWaveform; w != nil {
		factor = w.Factor((float64(steps) + 0.5) * r.units.TimeStep)
	}
	for a := range 3 {
		r.force[a] = factor * r.settings.BodyForce[a] / r.units.Acceleration()
	}
}

// parameters returns those of the collision.
func (r *Rank) parameters() map[string]float64 {
	s := &r.settings
	tau := r.units.RelaxationTime()
	return map[string]float64{
		collision.OmegaPlus:  1 / tau,
		collision.OmegaMinus: 1 / (0.5 + s.Magic/(tau-0.5)),
		collision.ForceX:     r.force[0], collision.ForceY: r.force[1], collision.ForceZ: r.force[2],
		collision.Magic: s.Magic, collision.RelaxationTime: tau,
		collision.EddyFactor:    18 * math.Sqrt2 * s.Smagorinsky * s.Smagorinsky,
		collision.LimiterFactor: s.limiterFactor(),
	}
}

// chooseRamp returns the start-up time in steps.
func (r *Rank) chooseRamp() float64 {
	if t := r.settings.RampTime; t != 0 {
		return max(0, t/r.units.TimeStep)
	}
	const crossings = 4
	return crossings * r.crossing()
}

// crossing is the number of steps in which sound crosses the domain.
func (r *Rank) crossing() float64 { return soundCrossing(r.domain.Grid) }

// pinnedCells is how many cells a rank must have for its workers to be pinned:
// waking a pinned worker takes longer, some microseconds.
const pinnedCells = 1 << 20

// startPool starts the workers.
func (r *Rank) startPool() {
	sharing := ranksSharing(r.transport)
	n := r.settings.Workers
	if n == 0 {
		n = max(1, runtime.GOMAXPROCS(0)/sharing)
	}
	var processors []int
	if sharing == 1 && r.layout.cells >= pinnedCells {
		processors = wholeMachine(n)
	}
	r.pool = newPool(n, processors)
	for _, w := range r.pool.workspaces {
		kernel.PrepareScratch(w.registers, r.set)
	}
}

// ranksSharing is how many ranks share this machine.
func ranksSharing(t transport.Transport) int {
	if _, local := t.(*transport.Local); local {
		return t.Size()
	}
	if n, err := strconv.Atoi(os.Getenv("OMPI_COMM_WORLD_LOCAL_SIZE")); err == nil && n > 0 {
		return n
	}
	return 1
}

// Close ends the rank's goroutines.
func (r *Rank) Close() {
	r.pool.close()
	r.halo.close()
}

// Units returns the conversion to SI units.
func (r *Rank) Units() Units { return r.units }

// Warnings returns what is likely to be unstable or inaccurate.
func (r *Rank) Warnings() []string { return r.warnings }

// Number is the number of the rank.
func (r *Rank) Number() int { return r.transport.Rank() }

// Time is how much time has been computed, in seconds.
func (r *Rank) Time() float64 { return float64(r.steps) * r.units.TimeStep }

// Progress is what a running computation reports.
type Progress struct {
	// Step of Steps is done, Time of EndTime in seconds.
	Step, Steps   int64
	Time, EndTime float64
	// MLUPS is millions of cell updates per second since the start.
	MLUPS float64
	// PeakVelocity is the largest velocity, in m/s.
	PeakVelocity float64
	// Change is the relative change of the velocity in the time in which sound
	// crosses the domain, NaN while it is not known.
	Change float64
}

// Advance computes the given number of steps, rounded up to an even one. It
// reports progress on rank 0 and stops early when ctx is done or the flow
// diverges. All ranks return at the same step.
func (r *Rank) Advance(ctx context.Context, steps int64, report func(Progress)) error {
	return r.advance(ctx, steps, &Plan{Report: report})
}

// advance is Advance with all that a plan asks for on the way.
func (r *Rank) advance(ctx context.Context, steps int64, plan *Plan) error {
	steps += steps & 1
	begin := time.Now()
	cells := float64(r.domain.Grid.Cells())
	watch := &rankWatch{SteadyWatch: newSteadyWatch(r.steps, r.rampSteps, r.crossing(), plan.WatchTolerance()), rank: r}
	if r.watch = watch.SteadyWatch; plan.Tolerance <= 0 {
		r.watch.Postpone(r.steps + steps)
	}
	for done := int64(0); done < steps; {
		n := min(checkInterval, steps-done)
		for range n {
			if err := r.step(); err != nil {
				return err
			}
		}
		done += n
		check, err := r.check(ctx)
		if err != nil {
			return r.diverged(err, plan)
		}
		if float64(r.steps) > r.rampSteps {
			r.fastest = max(r.fastest, check.peakVelocity)
		}
		if plan.Report != nil && r.Number() == 0 {
			plan.Report(Progress{
				Step: done, Steps: steps, Time: r.Time(), EndTime: r.Time() + float64(steps-done)*r.units.TimeStep,
				MLUPS:        cells * float64(done) / time.Since(begin).Seconds() / 1e6,
				PeakVelocity: check.peakVelocity * r.units.Velocity(),
				Change:       watch.Change,
			})
		}
		if err := r.observe(plan); err != nil {
			return err
		}
		if steady, err := watch.look(); err != nil || steady && plan.Tolerance > 0 {
			return err
		}
	}
	return nil
}

// observe does what a plan asks for between steps.
func (r *Rank) observe(plan *Plan) error {
	if plan.Diverged != nil {
		r.lastGood = r.Fields()
	}
	if r.average != nil {
		r.average.add(r.Fields())
	}
	if plan.Observe == nil {
		return nil
	}
	return plan.Observe(r)
}

// diverged hands over the last good fields when a flow has diverged.
func (r *Rank) diverged(cause error, plan *Plan) error {
	var diverged *DivergedError
	if plan.Diverged == nil || r.lastGood == nil || !errors.As(cause, &diverged) {
		return cause
	}
	// The speed is agreed on by all ranks.
	speed := []int64{int64(math.Float64bits(speedNear(r.Pieces(), r.lastGood, diverged.Cell)))}
	if err := r.transport.Reduce(transport.Max, speed); err != nil {
		return fmt.Errorf("%w; asking for its speed failed too: %w", cause, err)
	}
	diverged.Speed = math.Float64frombits(uint64(speed[0]))
	if err := plan.Diverged(r, r.lastGood); err != nil {
		return fmt.Errorf("%w; writing the last good state failed too: %w", cause, err)
	}
	return cause
}

// step computes one time step: chunks at the border first, then the others
// while the border is exchanged.
func (r *Rank) step() error {
	begin := time.Now()
	odd := r.steps%2 == 1
	if r.settings.ForceWaveform != nil {
		r.setForce(r.steps)
		r.state.retune(r.parameters())
	}
	r.openings.prepare(float64(r.steps+1), r.rampSteps, r.units)
	update := r.update[r.steps%2]
	r.pool.run(0, r.layout.crossing, update)
	r.halo.begin(odd)
	r.pool.run(r.layout.crossing, len(r.layout.chunks), update)
	computed := time.Now()
	err := r.halo.finish()
	if err == nil && r.curve != nil {
		err = r.curve.run(r, !odd)
	}
	if err == nil && (r.steps+1)%couplingInterval == 0 && r.openings.couples() {
		err = r.couple()
	}
	r.timing.exchange += time.Since(computed)
	r.timing.total += time.Since(begin)
	r.timing.steps++
	r.steps++
	if err != nil {
		return fmt.Errorf("exchanging the border after step %d: %w", r.steps, err)
	}
	return nil
}

// couple tells the openings how much flows through them.
func (r *Rank) couple() error {
	if err := r.sumOpenings(); err != nil {
		return err
	}
	sums := r.openings.sums
	r.openings.couple(func(i int) (int64, int64) { return sums[2*i], sums[2*i+1] }, r.crossing(), r.units)
	return nil
}
