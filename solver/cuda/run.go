package cuda

import (
	"context"
	"errors"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/transport"
)

// Run computes a domain on GPUs as airflow.RunInProcess does on the processor
// and returns the summary. The plan's own Observe, Diverged and Visit are for
// ranks of the processor and are not called; the hooks are. Where there are
// several processes, all call it together and get the same; on failure one
// makes the others stop.
func Run(ctx context.Context, domain *solver.Domain, settings airflow.Settings, plan airflow.Plan, o Options, hooks Hooks) (summary *airflow.Summary, err error) {
	defer func() {
		var agreed transport.AgreedError
		if t := o.Transport; t != nil && err != nil && !errors.Is(err, transport.ErrAborted) && !errors.As(err, &agreed) {
			t.Abort(err)
		}
	}()
	s, err := New(domain, settings, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.flow.Warnings = append(s.flow.Warnings, plan.Warnings()...)
	if plan.Warn != nil && s.Rank() == 0 && len(s.flow.Warnings) > 0 {
		plan.Warn(s.flow.Warnings)
	}
	if hooks.Memory != nil {
		hooks.Memory(s.MemoryUses())
	}
	steps, err := plan.StepCount(s.flow.Units.TimeStep)
	if err != nil {
		return nil, transport.AgreedError{Cause: err}
	}
	if plan.Begin != nil {
		if err := plan.Begin(); err != nil {
			return nil, transport.AgreedError{Cause: err}
		}
	}
	stopped, err := plan.Stopped(s.advance(ctx, steps, &plan, &hooks))
	if err != nil {
		return nil, err
	}
	if stopped {
		if err := s.observe(&hooks); err != nil {
			return nil, err
		}
	}
	if summary, err = s.Summary(); err != nil {
		return nil, err
	}
	summary.Interrupted = stopped && summary.Steps < steps
	if hooks.Visit != nil {
		if err := hooks.Visit(s); err != nil {
			return nil, err
		}
	}
	return summary, nil
}
