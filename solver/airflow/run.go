package airflow

import (
	"context"
	"errors"
	"fmt"
	"math"

	"carina/solver"
	"carina/solver/transport"
)

// quiet never ends: reports that follow a cancelled run still need the ranks
// to speak to each other.
var quiet = context.Background()

// Plan says how long to compute and what to do on the way.
type Plan struct {
	// Steps is the number of time steps; 0 means that Time counts.
	Steps int64
	// Time is in seconds.
	Time float64
	// AfterStart tells that Time begins when the start is over, see Settings.RampTime, and
	// a third of Least at the latest then.
	AfterStart bool
	// Tolerance ends the computation early when the flow is steady: when the
	// pressure drop, the inflow and the shares of all openings are known within it,
	// relatively, for a while, since they do not change any more, or as means over
	// time or of cycles (see package steadiness). Where no air enters and leaves it is the relative
	// change of the velocity in the time in which sound crosses the domain. 0 means
	// that it does not.
	Tolerance float64
	// Least is the time in seconds after which Tolerance ends the computation of a
	// flow, too, that fluctuates so much that its means would not be known within the
	// tolerance at the end of the plan. 0 means that it does not.
	Least float64
	// Watch is a tolerance by which the summary tells whether the flow became
	// steady, where Tolerance is 0; 0 means that it does not tell.
	Watch float64
	// Statistics are those to take; nil is none.
	Statistics *Averaging
	// Prepared is called on every rank when its device has what it needs; it may be
	// nil.
	Prepared func(*Rank)
	// Resume is called on every rank before Begin; it may load a state, after which the
	// computation goes on to the plan's end; it may be nil.
	Resume func(*Rank) error
	// Begin is called on every rank when all is ready for the first step; it may
	// be nil. An error of it must be the same on all ranks.
	Begin func() error
	// KeepStopped ends a computation that is stopped from outside as if the steps
	// so far were all: with a summary that says so, and Visit.
	KeepStopped bool
	// Between is done on every rank between steps, in this order, after reports,
	// steadiness and means.
	Between []Between
	// Once ends a flow that diverges at once. Else it goes back, at most three times, to
	// the last good state that was kept, or to the start, and goes on with a shorter
	// memory of third moments, a higher limiter, or the operator for coarser flow
	// where Automatic has chosen; Warn and Summary.GoneBack tell.
	Once bool
	// Diverged is called on every rank when the flow has diverged for good, with the
	// fields of the rank's own cells at most 100 steps before; it may be nil.
	Diverged func(*Rank, *Fields) error
	// Report is called on rank 0 every few steps; it may be nil.
	Report func(Progress)
	// Warn is called on rank 0 before the first step with what is likely to be
	// unstable or inaccurate, if anything; it may be nil.
	Warn func(warnings []string)
	// Announce is called on rank 0 before the first step with what is going to be
	// computed, and again after the first ones with how long it will take; it may be
	// nil.
	Announce func(Outlook)
	// Visit is called on every rank at the end, concurrently for the ranks
	// of one process, for instance to write its fields; it may be nil. It may
	// use the methods of Rank that all ranks call together if it does so on
	// all of them.
	Visit func(*Rank) error

	resumed      int64 // steps done before
	safeInterval int64 // 0 is the usual
}

// Between is something that is done between steps on every rank, see solver.Due.
type Between struct {
	// Every is how many steps lie between, rounded up to a multiple of CheckInterval; it
	// is done every CheckInterval steps and at the end if it is 0.
	Every int64
	// Do may use the methods of Rank that all ranks call together. It may save the state
	// and move cells.
	Do func(*Rank) error
}

// maxSteps keeps step numbers exact wherever they become reals.
const maxSteps = 1 << 53

// stepCount returns the number of steps for a time step in seconds and a start of so many
// steps, at least one.
func (p *Plan) stepCount(timeStep, start float64) (int64, error) {
	steps := float64(p.Steps)
	if p.Steps == 0 {
		steps = math.Max(1, math.Ceil(p.startOf(start)+p.Time/timeStep-1e-9))
	}
	if !(steps >= 1 && steps <= maxSteps) {
		return 0, fmt.Errorf("%.3g steps of %.3g s cannot be computed: give a number of steps from 1 to %.0e, or a time that fits", steps, timeStep, float64(maxSteps))
	}
	return int64(steps), nil
}

// startOf is how many steps of a start come before Time.
func (p *Plan) startOf(start float64) float64 {
	if p.AfterStart {
		return start
	}
	return 0
}

// leastSteps is Least in steps, given a start of so many.
func (p *Plan) leastSteps(timeStep, start float64) float64 {
	least := p.Least / timeStep
	if p.AfterStart {
		return max(least, start+least/3)
	}
	return least
}

// watchTolerance is the tolerance to watch the flow with; 0 means not to.
func (p *Plan) watchTolerance() float64 {
	if p.Tolerance > 0 {
		return p.Tolerance
	}
	return p.Watch
}

// stopped tells whether an error of a computation is that it was stopped from
// outside, and removes it where the plan is to keep what was reached.
func (p *Plan) stopped(err error) (bool, error) {
	if p.KeepStopped && errors.As(err, new(*solver.StoppedError)) {
		return true, nil
	}
	return false, err
}

// Warnings say what a plan asks for that is not computed as it says.
func (p *Plan) Warnings() []string {
	if p.Steps%2 == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d steps are computed instead of %d: populations stream in place, so the flow can be read after an even number of steps only", p.Steps+1, p.Steps)}
}

// RunRankOn computes one rank of the domain on a device of some kind, that of processors if
// the backend is nil, and returns the summary, which is the same on all ranks. On failure it
// makes the other ranks stop.
func RunRankOn(ctx context.Context, b Backend, domain *solver.Domain, settings Settings, plan Plan, t transport.Transport) (s *Summary, err error) {
	defer func() {
		var together transport.AgreedError
		if err != nil && !errors.Is(err, transport.ErrAborted) && !errors.As(err, &together) {
			t.Abort(err)
		}
	}()
	for a := (&attempt{domain: domain, start: domain, settings: settings}); ; {
		s, next, err := a.run(ctx, b, plan, t)
		if next == nil {
			return s, err
		}
		a = next
	}
}

// RunInProcess computes all ranks of the domain as goroutines of this process.
func RunInProcess(ctx context.Context, domain *solver.Domain, settings Settings, plan Plan) (*Summary, error) {
	return RunInProcessOn(ctx, nil, domain, settings, plan)
}

// RunInProcessOn is RunInProcess on devices of some kind, that of processors if the
// backend is nil.
func RunInProcessOn(ctx context.Context, b Backend, domain *solver.Domain, settings Settings, plan Plan) (*Summary, error) {
	summaries := make([]*Summary, domain.Ranks)
	err := transport.InProcess(domain.Ranks, func(t transport.Transport) (err error) {
		summaries[t.Rank()], err = RunRankOn(ctx, b, domain, settings, plan, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return summaries[0], nil
}
