package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/transport"
)

// Hooks are called on the way of a computation; any may be nil.
type Hooks struct {
	// Memory is called before the first step with what the ranks of this
	// process take of their GPUs.
	Memory func([]MemoryUse)
	// Observe is called every 50 steps.
	Observe func(*Solver) error
	// Diverged is called when the flow has diverged, with the fields by global
	// number at most 100 steps before. They take 16 bytes a cell on the devices;
	// where those are not free it is not called.
	Diverged func(*Solver, *airflow.Fields) error
	// Visit is called at the end, for instance to write the fields.
	Visit func(*Solver) error
}

// Advance computes the given number of steps, rounded up to an even one,
// reports progress, and stops early when ctx is done or the flow diverges.
func (s *Solver) Advance(ctx context.Context, steps int64, report func(airflow.Progress)) error {
	return s.advance(ctx, steps, &airflow.Plan{Report: report}, &Hooks{})
}

// advance is Advance with all that a plan asks for on the way.
func (s *Solver) advance(ctx context.Context, steps int64, plan *airflow.Plan, hooks *Hooks) error {
	steps += steps & 1
	begin := time.Now()
	cells := float64(s.flow.Domain.CellCount())
	watch := newSteadyWatch(s, plan.WatchTolerance())
	if s.watch = watch.SteadyWatch; plan.Tolerance <= 0 {
		s.watch.Postpone(s.steps + steps)
	}
	for done := int64(0); done < steps; {
		n := min(airflow.CheckInterval, steps-done)
		from := time.Now()
		for range n {
			if err := s.Step(); err != nil {
				return err
			}
		}
		if err := s.synchronize(); err != nil {
			return err
		}
		s.seconds += time.Since(from).Seconds()
		done += n
		peak, err := s.check()
		if err != nil {
			return s.diverged(err, hooks)
		}
		if s.flow.Started(s.steps) {
			s.fastest = max(s.fastest, peak)
		}
		if err := s.stopped(ctx); err != nil {
			return err
		}
		if plan.Report != nil && s.Rank() == 0 {
			u := s.flow.Units
			plan.Report(airflow.Progress{
				Step: done, Steps: steps, Time: s.Time(), EndTime: s.Time() + float64(steps-done)*u.TimeStep,
				MLUPS:        cells * float64(done) / time.Since(begin).Seconds() / 1e6,
				PeakVelocity: peak * u.Velocity(), Change: watch.Change,
			})
		}
		if err := s.observe(hooks); err != nil {
			return err
		}
		if steady, err := watch.observe(); err != nil || steady && plan.Tolerance > 0 {
			return err
		}
	}
	return nil
}

// stopped is an error on all ranks where one is asked to stop.
func (s *Solver) stopped(ctx context.Context) error {
	asked := []int64{0}
	if ctx.Err() != nil {
		asked[0] = 1
	}
	if err := s.reduce(transport.Max, asked); err != nil || asked[0] == 0 {
		return err
	}
	return transport.AgreedError{Cause: &solver.StoppedError{Step: s.steps, Cause: cmp.Or(ctx.Err(), context.Canceled)}}
}

// Time is how much time has been computed, in seconds.
func (s *Solver) Time() float64 { return float64(s.steps) * s.flow.Units.TimeStep }

// observe does what is asked for between steps.
func (s *Solver) observe(hooks *Hooks) error {
	if hooks.Diverged != nil {
		if err := s.keepFields(); err != nil {
			return err
		}
	}
	if err := s.addToAverage(); err != nil {
		return err
	}
	if hooks.Observe == nil {
		return nil
	}
	return hooks.Observe(s)
}

// diverged hands over the last good fields when a flow has diverged.
func (s *Solver) diverged(cause error, hooks *Hooks) error {
	var diverged *airflow.DivergedError
	if hooks.Diverged == nil || !errors.As(cause, &diverged) {
		return cause
	}
	fields, err := s.keptFields()
	if err == nil && fields != nil {
		s.flow.Recall(diverged, fields)
		err = hooks.Diverged(s, fields)
	}
	if err != nil {
		return fmt.Errorf("%w; writing the last good state failed too: %w", cause, err)
	}
	return cause
}
