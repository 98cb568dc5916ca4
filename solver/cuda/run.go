package cuda

import (
	"context"
	"errors"
	"math"

	"carina/solver"
)

// Run computes a domain on GPUs as solver.RunInProcess does on the processor
// and returns the summary. Visit is called at the end, for instance to write
// the fields; it may be nil. The plan's own Visit is for ranks of the processor
// and is not called.
func Run(ctx context.Context, domain *solver.Domain, settings solver.Settings, plan solver.Plan, o Options, visit func(*Solver) error) (summary *solver.Summary, err error) {
	s, err := New(domain, settings, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if plan.Warn != nil && len(s.flow.Warnings) > 0 {
		plan.Warn(s.flow.Warnings)
	}
	steps := plan.Steps
	if steps == 0 {
		const rounding = 1e-9
		steps = int64(math.Ceil(plan.Time/s.flow.Units.TimeStep - rounding))
	}
	if err := s.Advance(ctx, steps, plan.Report); err != nil {
		return nil, err
	}
	if summary, err = s.Summary(); err != nil {
		return nil, err
	}
	if visit != nil {
		if err := visit(s); err != nil {
			return nil, err
		}
	}
	return summary, nil
}
