package airflow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"carina/solver"
	"carina/solver/airflow/steadiness"
	"carina/solver/transport"
)

// Rank is the part of a computation that one rank does. Its methods are called by
// all ranks together, in the same order.
type Rank struct {
	*airflow
	backend Backend
	engine  *solver.Rank
	layout  *solver.Layout
	kernel  Kernel
	fastest float64           // after the start, in cells per step, as far as was checked
	watch   *steadyWatch      // of the last advance, or of the state loaded since
	still   *steadiness.Watch // nil where it has nothing to watch
	sums    []int64           // those of openings
	summed  int64             // after how many steps
	keeps   bool              // the fields of the last check
	safe    *safeState        // nil where the flow does not go back
	// coming is a move that is being prepared beside the steps, nil where none is.
	coming *coming
}

// NewRank prepares rank t.Rank() of the domain on the processor. If one rank fails,
// all do. Close it after use.
func NewRank(domain *solver.Domain, settings Settings, t transport.Transport) (*Rank, error) {
	return NewRankOn(nil, domain, settings, t)
}

// NewRankOn is NewRank on a device of some kind, that of processors if the backend is
// nil. Ranks may be of several kinds.
func NewRankOn(b Backend, domain *solver.Domain, settings Settings, t transport.Transport) (*Rank, error) {
	if b == nil {
		b = processors{settings.Workers}
	}
	device, err := open(b, &settings, t)
	if err != nil {
		return nil, err
	}
	return prepared(b, device, domain, settings, t)
}

// Kernel is the flow on the rank's device.
func (r *Rank) Kernel() Kernel { return r.kernel }

// Engine is the rank as the engine has it.
func (r *Rank) Engine() *solver.Rank { return r.engine }

// Close ends the rank's goroutines.
func (r *Rank) Close() { r.engine.Close() }

// Units returns the conversion to SI units.
func (r *Rank) Units() Units { return r.units }

// Warnings returns what is likely to be unstable or inaccurate.
func (r *Rank) Warnings() []string { return r.warnings }

// Number is the number of the rank.
func (r *Rank) Number() int { return r.engine.Transport().Rank() }

// Time is how much time has been computed, in seconds.
func (r *Rank) Time() float64 { return float64(r.engine.Steps()) * r.units.TimeStep }

// Progress is what a running computation reports.
type Progress struct {
	// Step of Steps is done, Time of EndTime in seconds.
	Step, Steps   int64
	Time, EndTime float64
	// MLUPS is millions of cell updates per second since the start.
	MLUPS float64
	// PeakVelocity is the largest velocity, in m/s.
	PeakVelocity float64
	// Change is the largest relative error of what is known of the flow (see package steadiness),
	// NaN while it is not known; where no air enters and leaves, the relative change
	// of the velocity in the time in which sound crosses the domain.
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
	begin, first := time.Now(), r.engine.Steps()
	cells := float64(r.domain.CellCount())
	watch, speed := r.newWatch(plan, steps), pace{}
	if plan.Tolerance > 0 && watch.done() {
		return nil
	}
	if first > 0 && plan.Diverged != nil {
		if err := r.kernel.Keep(); err != nil {
			return err
		}
	}
	report := func(peak float64) (bool, error) {
		done := r.engine.Steps() - first
		if float64(r.engine.Steps()) > r.rampSteps {
			r.fastest = max(r.fastest, peak)
		}
		if plan.Announce != nil && r.Number() == 0 && done < steps {
			if whole, each := speed.told(done, steps, time.Since(begin).Seconds()); each > 0 {
				o := r.outlook(plan, steps)
				o.Seconds, o.MLUPS = whole, cells/each/1e6
				plan.Announce(o)
			}
		}
		if plan.Report != nil && r.Number() == 0 {
			plan.Report(Progress{
				Step: plan.resumed + done, Steps: plan.resumed + steps, Time: r.Time(), EndTime: r.Time() + float64(steps-done)*r.units.TimeStep,
				MLUPS:        cells * float64(done) / time.Since(begin).Seconds() / 1e6,
				PeakVelocity: peak * r.units.Velocity(),
				Change:       watch.change(),
			})
		}
		return false, nil
	}
	loop := solver.Loop{End: first + steps, Interval: checkInterval, LookWhenStopped: plan.KeepStopped, Dues: append([]solver.Due{
		{Do: report},
		{Do: func(peak float64) (bool, error) {
			steady, err := watch.compare(peak)
			return steady && plan.Tolerance > 0, err
		}},
		{Do: func(float64) (bool, error) { return false, r.sample(plan, first+steps) }},
	}, append(r.dues(plan), r.keepsSafe()...)...)}
	return r.explained(loop.Run(ctx, r.Engine))
}

// dues are what a plan asks for between steps, for this rank.
func (r *Rank) dues(plan *Plan) []solver.Due {
	list := make([]solver.Due, len(plan.Between))
	for i, b := range plan.Between {
		list[i] = solver.Due{Every: b.Every, Do: func(float64) (bool, error) { return false, b.Do(r) }}
	}
	return list
}

// sample keeps the present fields where a plan may need them, and adds them to the mean and
// the statistics.
func (r *Rank) sample(plan *Plan, last int64) error {
	if r.keeps = plan.Diverged != nil; r.keeps {
		if err := r.kernel.Keep(); err != nil {
			return err
		}
	}
	if err := r.kernel.AddToAverage(); err != nil {
		return err
	}
	return r.addStatistics(plan.Statistics, last)
}

// diverged hands over the last good fields when a flow has diverged.
func (r *Rank) diverged(cause error, plan *Plan) error {
	var diverged *DivergedError
	if plan.Diverged == nil || !errors.As(cause, &diverged) {
		return cause
	}
	lastGood, err := r.kernel.Kept()
	if err != nil {
		return fmt.Errorf("%w; fetching the last good state failed too: %w", cause, err)
	}
	// The speed is agreed on by all ranks, and whether they have kept the fields.
	agreed := []int64{0, 0}
	if lastGood == nil {
		agreed[1] = 1
	} else {
		agreed[0] = int64(math.Float64bits(speedNear(r.Pieces(), lastGood, diverged.Cell)))
	}
	if err := r.engine.Transport().Reduce(transport.Max, agreed); err != nil {
		return fmt.Errorf("%w; asking for its speed failed too: %w", cause, err)
	}
	if agreed[1] == 1 {
		return cause
	}
	diverged.Speed = math.Float64frombits(uint64(agreed[0]))
	if err := plan.Diverged(r, lastGood); err != nil {
		return fmt.Errorf("%w; writing the last good state failed too: %w", cause, err)
	}
	return cause
}
