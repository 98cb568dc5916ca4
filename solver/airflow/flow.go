package airflow

import (
	"fmt"

	"carina/solver"
	"carina/solver/lattice"
)

// Flow is what a device needs to know of a computation beside the cells, in
// lattice units.
type Flow struct {
	Domain   *solver.Domain
	Settings Settings
	Units    Units
	Warnings []string
	// Set are the velocities.
	Set *lattice.Set
	// Operator is the collision operator, never Automatic.
	Operator Collision
	// OmegaPlus and OmegaMinus are the relaxation rates.
	OmegaPlus, OmegaMinus float64
	// Force is the body force in the present step.
	Force [3]float64
	// Openings are those of the grid.
	Openings []OpeningCondition

	// flow knows what does not depend on the device.
	flow      *airflow
	rampSteps float64
	crossing  float64
	states    *openingStates
	profiles  []profile
}

// OpeningCondition is what one opening imposes.
type OpeningCondition struct {
	// Velocity tells whether a velocity is imposed in the present step (else a
	// pressure).
	Velocity bool
	// Area is that of the opening as voxelized, in cell faces.
	Area float64
	// Normal points out of the lumen.
	Normal [3]float64
	// EvenTime is how long stress stays out of equilibrium, in steps, Skew how many
	// times longer third moments do, and Forgetting the part of its memory that the
	// opening's absorption of sound forgets in a step.
	EvenTime, Skew, Forgetting float64
	// Inflow is the factor of the links' inflows in the present step, Density
	// the imposed deviation of the density and Gradient that along the normal,
	// per cell. Fastest is the largest velocity along the normal, negative, with
	// which air comes in where a pressure is imposed, and Transition the velocity up
	// to which it hardly moves.
	Inflow, Density, Gradient, Fastest, Transition float64
}

// NewFlow prepares the computation of a domain on a device.
func NewFlow(domain *solver.Domain, settings Settings) (*Flow, error) {
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	if settings.Layout == Dense {
		return nil, fmt.Errorf("the %s layout is not computed on a GPU; leave it out, or compute on the processor", Dense)
	}
	a, err := newAirflow(domain, settings)
	if err != nil {
		return nil, err
	}
	f := &Flow{Domain: domain, Settings: a.settings, Set: a.set, Units: a.units, Warnings: a.warnings, flow: a}
	tau := f.Units.RelaxationTime()
	f.Operator = f.Settings.operator(tau)
	f.OmegaPlus, f.OmegaMinus = 1/tau, 1/(0.5+f.Settings.Magic/(tau-0.5))
	if f.Operator == BGK {
		f.OmegaMinus = f.OmegaPlus
	}
	f.states = newOpeningStates(domain.Grid, a.areas, &a.settings, f.Units)
	for _, o := range f.states.list {
		f.Openings = append(f.Openings, OpeningCondition{Velocity: o.imposes(), Area: o.area, Normal: o.normal, EvenTime: o.evenTime, Skew: o.skew, Forgetting: o.forgetting})
	}
	f.profiles = a.profiles
	f.rampSteps, f.crossing = a.rampSteps, a.crossing()
	f.Prepare(0)
	return f, nil
}

// ReflectsWalls tells whether what comes back from walls is made of what the
// collision left in the cell: of the part that is even along the link, given the
// fraction q of the link at which the wall is, and the relaxation time τ,
// wρ + (q−τ)/(1−τ) (e − wρ).
func (f *Flow) ReflectsWalls() bool {
	scheme := f.Settings.wallScheme(f.Units.RelaxationTime())
	return scheme.reflects()
}

// Forced tells whether there is a body force at any time.
func (f *Flow) Forced() bool { return f.Settings.BodyForce != [3]float64{} }

// Prepare sets what acts in the step after the given number of steps: what the
// openings impose, in Openings, and the body force.
func (f *Flow) Prepare(steps int64) {
	f.states.prepare(float64(steps+1), f.rampSteps, f.Units)
	for i := range f.states.list {
		o := &f.states.list[i]
		f.Openings[i].Velocity = o.imposes()
		f.Openings[i].Inflow, f.Openings[i].Density, f.Openings[i].Gradient = o.inflow, o.density, o.gradient
		f.Openings[i].Fastest, f.Openings[i].Transition = o.fastest, o.transition
	}
	f.flow.setForce(steps)
	f.Force = f.flow.force
}

// Parameters are those of the collision in the present step, by their names in
// package collision.
func (f *Flow) Parameters() map[string]float64 { return f.flow.parameters() }

// Couples tells whether Couple is due after the given number of steps.
func (f *Flow) Couples(steps int64) bool { return steps%couplingInterval == 0 && f.states.couples() }

// Couple tells the openings what was measured at them in the last step, in
// fixed point (ToFixed): what has left, in cell volumes, and the sum of link
// areas times density of their cells.
func (f *Flow) Couple(outflow, areaDensity []int64) {
	f.states.couple(func(i int) (int64, int64) { return outflow[i], areaDensity[i] }, f.crossing, f.Units)
}

// ToFixed returns a number in fixed point, as an integer: sums of these do not
// depend on the order.
func ToFixed(v float64) int64 { return toFixed(v) }

// OpeningLink is what a device needs to know of a link that meets an opening.
type OpeningLink struct {
	// Area is the part of the opening's area that the link stands for, in cell
	// faces.
	Area float64
	// Inflow is what enters along the link where a velocity is imposed, for a
	// factor of one, in cell volumes per step.
	Inflow float64
	// Distance is how far inside the opening's plane the cell's centre lies, in
	// cells.
	Distance float64
}

// OpeningLink describes the link of cell (x, y, z) in a direction, an index in
// geometry.Directions, that meets the opening of the given index.
func (f *Flow) OpeningLink(x, y, z int32, direction, opening int) OpeningLink {
	b := linkBuilder{layout: &layout{set: f.Set}, grid: f.Domain.Grid, states: f.states.list, profiles: f.profiles}
	l := b.openingLink(x, y, z, direction, opening)
	return OpeningLink{Area: l.area, Inflow: l.inflow, Distance: l.distance}
}

// FlowState is the outcome of a computation on a device, in lattice units.
type FlowState struct {
	// Steps is how many were done, in Seconds.
	Steps   int64
	Seconds float64
	// PeakVelocity is the largest velocity, Fastest that of all checks after the
	// start.
	PeakVelocity, Fastest float64
	// Outflow leaves through each opening; AreaDensity is the sum of link
	// areas times density of its cells. Both are in fixed point, so
	// that their sums do not depend on the order.
	Outflow, AreaDensity []int64
	// Limited and Grain are those of Summary.
	Limited, Grain *float64
	Hash           uint64
	// Watch found out whether the flow is steady; may be nil.
	Watch *SteadyWatch
	Ranks []RankSummary
}

// Summary describes the outcome in SI units.
func (f *Flow) Summary(s *FlowState) *Summary {
	cells := f.Domain.CellCount()
	r := &Summary{
		FluidCells: cells, Spacing: f.Units.Spacing, TimeStep: f.Units.TimeStep,
		Steps: s.Steps, Time: float64(s.Steps) * f.Units.TimeStep, RelaxationTime: f.Units.RelaxationTime(),
		Mach: Mach(s.PeakVelocity), PeakVelocity: s.PeakVelocity * f.Units.Velocity(),
		StateHash: fmt.Sprintf("%016x", s.Hash), Warnings: f.Units.warnings(f.Warnings, max(s.PeakVelocity, s.Fastest)), Seconds: s.Seconds,
		Ranks: s.Ranks, Settings: f.flow.used(),
	}
	r.Settings.RampTime = f.rampSteps * f.Units.TimeStep
	if s.Seconds > 0 {
		r.MLUPS = float64(cells) * float64(s.Steps) / s.Seconds / 1e6
	}
	r.describe(&f.Settings, f.Units)
	r.Steady, r.VelocityChange = s.Watch.outcome()
	r.Openings = f.OpeningSummaries(s.Outflow, s.AreaDensity)
	r.Reynolds = f.flow.expected.reynolds(r.Openings, f.Units.KinematicViscosity)
	r.PressureDrop, r.MassBalance = balance(r.Openings)
	r.Limited, r.Grain = s.Limited, s.Grain
	return r
}

// OpeningSummaries describes the flow through the openings in SI units, from
// the sums of FlowState.
func (f *Flow) OpeningSummaries(outflow, areaDensity []int64) []OpeningSummary {
	return f.states.summaries(f.Domain.Grid, f.Units, func(i int) (int64, int64) { return outflow[i], areaDensity[i] })
}

// DivergedAt is the error of a flow that was found to have diverged at a cell.
func (f *Flow) DivergedAt(steps int64, cell [3]int32) error {
	return f.flow.divergedAt(steps, cell)
}

// Recall adds to the error of a flow that has diverged how fast it was there in
// the last good fields, by global number.
func (f *Flow) Recall(e *DivergedError, fields *Fields) {
	if f.Domain.Share != nil {
		return
	}
	pieces := make([]Piece, len(f.Domain.Grid.Runs))
	local := 0
	for i, run := range f.Domain.Grid.Runs {
		pieces[i] = Piece{Run: run, Global: int64(local), Local: local}
		local += int(run.X1 - run.X0)
	}
	e.Speed = speedNear(pieces, fields, e.Cell)
}

// DivergedVelocity is the velocity, in cells per step, at which a computation
// is given up, and CheckInterval how many steps pass between looks at it.
const (
	DivergedVelocity = divergedVelocity
	CheckInterval    = checkInterval
)

// Started tells whether the flow's smooth start is over after so many steps.
func (f *Flow) Started(steps int64) bool { return float64(steps) > f.rampSteps }

// WatchSteady begins to watch after so many steps for the flow to become
// steady.
func (f *Flow) WatchSteady(steps int64, tolerance float64) *SteadyWatch {
	return newSteadyWatch(steps, f.rampSteps, f.crossing, tolerance)
}

// FromFixed is the number that ToFixed made an integer of.
func FromFixed(v int64) float64 { return float64(v) / fixedPoint }

// GrainCells is the number of cells up to which a summary tells the grain.
const GrainCells = grainCells

// NewFields returns fields of that many cells, all zero.
func NewFields(cells int) *Fields { return newFields(cells) }
