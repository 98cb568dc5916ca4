package airflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/lattice"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// DivergedError says where and when a computation diverged.
type DivergedError struct {
	// Step and Time (in seconds) are when it was noticed, Cell where.
	Step int64
	Time float64
	Cell [3]int32
	// Mach and RelaxationTime are those planned.
	Mach, RelaxationTime float64
	Surroundings
	// Speed is the largest there in the last good state, in m/s; 0 where that is
	// not known.
	Speed float64
	// Unit is the length of a unit of the surface, UnitName its name; 0 where they
	// are not known.
	Unit     float64
	UnitName string

	units     Units
	planned   float64   // peak velocity, m/s
	operator  Collision // that computed
	automatic Collision // that Automatic would take
}

// Cells across a lumen and away from an opening below which they are too few.
const (
	wantedAcross = 8
	nearOpening  = 5
)

// divergedAt is the error of a flow that was found to have diverged at a cell.
func (r *airflow) divergedAt(steps int64, cell [3]int32) *DivergedError {
	automatic := r.settings
	automatic.Collision = Automatic
	tau := r.units.RelaxationTime()
	return &DivergedError{
		Step: steps, Time: float64(steps) * r.units.TimeStep, Cell: cell,
		Mach: Mach(r.expected.peakVelocity / r.units.Velocity()), RelaxationTime: tau,
		Surroundings: surroundingsOf(r.domain, cell), units: r.units, planned: r.expected.peakVelocity,
		operator: r.settings.Collision, automatic: automatic.operator(tau, r.expected.cellReynolds(r.units.Spacing, &r.settings)),
	}
}

// Error says what happened, where, and what to do.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("the flow diverged before step %d (%.4g s) at cell (%d, %d, %d), %s, at the planned Mach number %.3g and relaxation time %.4f; %s",
		e.Step, e.Time, e.Cell[0], e.Cell[1], e.Cell[2], e.where(), e.Mach, e.RelaxationTime, e.advice())
}

// where says where the cell is, and what is known of the flow there.
func (e *DivergedError) where() string {
	unit, name := e.Unit, " "+e.UnitName
	switch {
	case unit == 0:
		unit, name = 1e-3, " mm"
	case strings.ContainsAny(e.UnitName, "0123456789"):
		name = " of the surface's units"
	}
	p := r3.Scale(1/unit, e.Position)
	words := []string{fmt.Sprintf("at (%.5g, %.5g, %.5g)%s", p.X, p.Y, p.Z, name)}
	if e.Opening != "" {
		words = append(words, fmt.Sprintf("%s from %s", cells(e.ToOpening), e.Opening))
	}
	if e.Across > 0 {
		words = append(words, fmt.Sprintf("%s from the wall in a lumen of %s across", cells(e.ToWall), cells(e.Across)))
	}
	if e.Speed > 0 {
		words = append(words, fmt.Sprintf("where air moved at %s (%.2g cells per step) shortly before", quantity.Format(e.Speed, "m/s"), e.Speed/e.units.Velocity()))
	}
	return strings.Join(words, ", ")
}

// cells writes a length in cells.
func cells(n float64) string {
	if n >= 10 {
		return fmt.Sprintf("%.0f cells", n)
	}
	return fmt.Sprintf("%.2g cells", n)
}

// advice names what helps, the likeliest first.
func (e *DivergedError) advice() string {
	var list []string
	if e.Mach > largestMach {
		list = append(list, fmt.Sprintf("reduce the time step below %s", quantity.Format(e.units.TimeStep*largestMach/e.Mach, "s")))
	}
	if e.operator != e.automatic && (e.operator == BGK || e.operator == TRT || e.operator == Regularized) {
		list = append(list, fmt.Sprintf("leave the collision to auto, which takes %s here instead of %s", e.automatic, e.operator))
	}
	if words := e.finer(); words != "" {
		list = append(list, words)
	} else if len(list) == 0 {
		list = append(list, fmt.Sprintf("refine the spacing of %s", quantity.FormatLength(e.units.Spacing)))
	}
	if e.Opening != "" && e.ToOpening < nearOpening {
		list = append(list, fmt.Sprintf("cut %s where the lumen is wider or straighter, or impose something else there", e.Opening))
	}
	return strings.Join(list, "; ")
}

// finer says which spacing helps, where a finer one is wanted. That may be out of reach,
// and four times as fine helps already.
func (e *DivergedError) finer() string {
	const much = 4
	dx, wanted := e.units.Spacing, e.wantedSpacing()
	switch {
	case wanted >= dx:
		return ""
	case wanted < dx/much:
		return fmt.Sprintf("refine the spacing of %s to %s or finer: to resolve it all would take %s",
			quantity.FormatLength(dx), quantity.FormatLength(dx/much), quantity.FormatLength(wanted))
	}
	return fmt.Sprintf("refine the spacing of %s to %s", quantity.FormatLength(dx), quantity.FormatLength(wanted))
}

// wantedSpacing puts enough cells across the lumen and keeps the cell Reynolds number of
// the fastest air where no limiter acts, as the warning before the first step asks for.
func (e *DivergedError) wantedSpacing() float64 {
	dx := e.units.Spacing
	wanted := math.Inf(1)
	if e.Across > 0 && e.Across < wantedAcross {
		wanted = dx * e.Across / wantedAcross
	}
	// What is about to diverge is faster than it would be.
	if speed := cmp.Or(e.planned, e.Speed); speed > 0 {
		wanted = min(wanted, resolvedReynolds*e.units.KinematicViscosity/speed)
	}
	return wanted
}

// speedNear is the largest speed within two cells of a cell.
func speedNear(pieces []Piece, f *Fields, cell [3]int32) float64 {
	const reach = 2
	var square float64
	for _, p := range pieces {
		if p.Y < cell[1]-reach || p.Y > cell[1]+reach || p.Z < cell[2]-reach || p.Z > cell[2]+reach {
			continue
		}
		for x := max(p.X0, cell[0]-reach); x < min(p.X1, cell[0]+reach+1); x++ {
			i := p.Local + int(x-p.X0)
			u, v, w := float64(f.Velocity[0][i]), float64(f.Velocity[1][i]), float64(f.Velocity[2][i])
			square = max(square, u*u+v*v+w*w)
		}
	}
	return math.Sqrt(square)
}

const (
	// mostReturns is how often a flow that has diverged goes back.
	mostReturns = 3
	// safeInterval is how many steps lie between states that are kept to go back to.
	// Keeping one takes the time of some ten steps on processors and some hundred on
	// GPUs.
	safeInterval = 50_000
	// safeBytes is how large the states of all ranks together may be for that; larger
	// ones go back to the start.
	safeBytes = 2 << 30
	// safeVelocity is the largest velocity, in cells a step, of a state worth keeping.
	safeVelocity = divergedVelocity / 2
)

// GoneBack says how a flow that had diverged went on.
type GoneBack struct {
	// Step is where it was noticed, To the one that the flow went back to.
	Step int64 `json:"step"`
	To   int64 `json:"to_step"`
	// Collision, Memory and Limiter are what it went on with, see Settings.
	Collision Collision `json:"collision"`
	Memory    float64   `json:"memory"`
	Limiter   float64   `json:"limiter"`
}

// String says it in words.
func (g *GoneBack) String() string {
	to := "the start"
	if g.To > 0 {
		to = fmt.Sprintf("step %d", g.To)
	}
	with := fmt.Sprintf("the %s collision", g.Collision)
	if g.Collision != Cumulant {
		with += fmt.Sprintf(", its memory of third moments %.3g and its limiter %.3g", g.Memory, g.Limiter)
	}
	return fmt.Sprintf("the flow diverged before step %d, went back to %s and goes on with %s", g.Step, to, with)
}

// calmer returns settings that carry coarser flow than these do with an operator, which
// Automatic may have chosen; false where there are none.
func (s Settings) calmer(operator Collision, returns int) (Settings, bool) {
	const limiterFactor, usualLimiter = 1.5, 0.1
	switch {
	case s.Collision == Automatic && operator == TRT && s.set() == lattice.D3Q19:
		s.Collision = Recursive
	case s.Collision == Automatic && operator == TRT:
		s.Collision = Cumulant
	case operator != Recursive || s.Memory == 0 && s.Smagorinsky > 0:
		return s, false
	default:
		if s.Memory = min(1, s.Memory/2); s.Smagorinsky == 0 && (returns > 0 || s.Memory == 0) {
			s.Limiter = min(1, max(usualLimiter, limiterFactor*s.Limiter))
		}
	}
	return s, true
}

// attempt is a flow up to its end or until it diverges.
type attempt struct {
	domain   *solver.Domain
	settings Settings
	start    *solver.Domain // that of the first one
	safe     *solver.State  // what it begins from; nil is the start
	gone     []GoneBack     // before it
}

// run computes. Where the flow diverges and there is a calmer way, that is the next one;
// all ranks agree on it.
func (a *attempt) run(ctx context.Context, b Backend, plan Plan, t transport.Transport) (s *Summary, next *attempt, err error) {
	r, err := NewRankOn(b, a.domain, a.settings, t)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	steps, err := plan.stepCount(r.units.TimeStep, r.startSteps())
	if err != nil {
		return nil, nil, transport.AgreedError{Cause: err}
	}
	if err := a.begin(r, &plan, steps); err != nil {
		return nil, nil, err
	}
	err = r.advance(ctx, max(0, steps+steps&1-plan.resumed), &plan)
	if next := a.after(r, &plan, err); next != nil {
		return nil, next, nil
	}
	stopped, err := plan.stopped(r.diverged(err, &plan))
	if err != nil {
		return nil, nil, err
	}
	if s, err = r.Summary(); err != nil {
		return nil, nil, err
	}
	s.Interrupted, s.GoneBack = stopped && s.Steps < steps, a.gone
	if plan.Visit != nil {
		err = plan.Visit(r)
	}
	return s, nil, err
}

// begin says what is going to be computed, for the first time, and goes to where it
// begins.
func (a *attempt) begin(r *Rank, plan *Plan, steps int64) error {
	warnings := slices.Concat(r.warnings, plan.Warnings())
	r.warnings = warnings
	for i := range a.gone {
		r.warnings = append(r.warnings, a.gone[i].String())
	}
	if len(a.gone) > 0 {
		warnings = r.warnings[len(r.warnings)-1:]
		plan.Announce, plan.Prepared, plan.Begin = nil, nil, nil
	}
	if plan.Warn != nil && r.Number() == 0 && len(warnings) > 0 {
		plan.Warn(warnings)
	}
	if plan.Announce != nil && r.Number() == 0 {
		plan.Announce(r.outlook(plan, steps))
	}
	if plan.Prepared != nil {
		plan.Prepared(r)
	}
	resume := plan.Resume
	if a.safe != nil {
		resume = func(r *Rank) error { return r.LoadState([]*solver.State{a.safe}) }
	}
	if resume != nil {
		if err := resume(r); err != nil {
			return err
		}
		plan.resumed = r.engine.Steps()
	}
	if plan.Begin != nil {
		if err := plan.Begin(); err != nil {
			return transport.AgreedError{Cause: err}
		}
	}
	if operator := r.settings.Collision; !plan.Once && operator == Recursive {
		r.safe = &safeState{every: plan.safeInterval, spare: a.safe}
	}
	return nil
}

// after is how the flow goes on after an error; nil if it does not.
func (a *attempt) after(r *Rank, plan *Plan, cause error) *attempt {
	var diverged *DivergedError
	if plan.Once || len(a.gone) == mostReturns || !errors.As(cause, &diverged) {
		return nil
	}
	settings, ok := a.settings.calmer(r.settings.Collision, len(a.gone))
	if !ok {
		return nil
	}
	// A state that the flow has diverged from before is none to go back to again.
	next := &attempt{domain: a.start, start: a.start, settings: settings, gone: slices.Clone(a.gone)}
	gone := GoneBack{Step: diverged.Step, Collision: settings.Collision, Memory: settings.Memory, Limiter: settings.Limiter}
	if gone.Collision == Automatic { // which chooses as before
		gone.Collision = r.settings.Collision
	}
	if r.safe != nil && r.safe.state != nil {
		next.safe, next.domain, gone.To = r.safe.state, r.safe.domain, r.safe.state.Steps
	} else if plan.Resume != nil {
		gone.To = plan.resumed
	}
	next.gone = append(next.gone, gone)
	return next
}

// safeState is the last state that was good, for going back.
type safeState struct {
	every  int64         // steps between states; 0 is the usual
	state  *solver.State // nil until one is kept
	domain *solver.Domain
	spare  *solver.State
}

// keepsSafe is when states are kept to go back to; never where they are large.
func (r *Rank) keepsSafe() (list []solver.Due) {
	total := r.domain.CellCount() * int64(r.set.Q*r.settings.Precision.Bytes())
	if r.safe == nil || total > safeBytes {
		return nil
	}
	every := r.safe.every
	if every == 0 {
		every = safeInterval
	}
	return []solver.Due{{Every: every, Do: func(peak float64) (bool, error) {
		if peak > safeVelocity {
			return false, nil
		}
		s := r.safe
		state, err := r.SaveStateInto(s.spare)
		if err := transport.Agree(r.engine.Transport(), err); err != nil {
			return false, fmt.Errorf("keeping the state of step %s to go back to: %w", quantity.Grouped(r.engine.Steps()), err)
		}
		s.state, s.spare, s.domain = state, state, r.domain
		return false, nil
	}}}
}
