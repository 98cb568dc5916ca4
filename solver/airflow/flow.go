package airflow

import (
	"fmt"

	"carina/solver"
	"carina/solver/airflow/opening"
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
	Openings []opening.Imposed

	// flow knows what does not depend on the device.
	flow      *airflow
	rampSteps float64
	states    *opening.States
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
	f.states, f.rampSteps = a.openings.Clone(), a.rampSteps
	f.Openings = make([]opening.Imposed, len(f.states.List))
	f.Prepare(0)
	return f, nil
}

// ReflectsWalls tells whether what comes back from walls is made of what the
// collision left in the cell: of the part that is even along the link, given the
// fraction q of the link at which the wall is, and the relaxation time τ,
// wρ + (q−τ)/(1−τ) (e − wρ).
func (f *Flow) ReflectsWalls() bool {
	scheme := f.Settings.wallScheme(f.Units.RelaxationTime())
	return scheme.Reflects
}

// Forced tells whether there is a body force at any time.
func (f *Flow) Forced() bool { return f.Settings.BodyForce != [3]float64{} }

// Prepare sets what acts in the step after the given number of steps: what the
// openings impose, in Openings, and the body force.
func (f *Flow) Prepare(steps int64) {
	f.states.Prepare(float64(steps+1), f.rampSteps)
	for i := range f.states.List {
		f.Openings[i] = f.states.List[i].Imposed
	}
	f.flow.setForce(steps)
	f.Force = f.flow.force
}

// Parameters are those of the collision in the present step, by their names in
// package collision.
func (f *Flow) Parameters() map[string]float64 { return f.flow.parameters() }

// Couples tells whether Couple is due after the given number of steps.
func (f *Flow) Couples(steps int64) bool {
	return steps%opening.CouplingInterval == 0 && f.states.Coupled()
}

// Couple tells the openings what was measured at them in the last step, in
// fixed point (ToFixed): what has left, in cell volumes, and the sum of link
// areas times density of their cells.
func (f *Flow) Couple(outflow, areaDensity []int64) {
	f.states.Couple(func(i int) (float64, float64) { return FromFixed(outflow[i]), FromFixed(areaDensity[i]) })
}

// SaveGlobal is what the openings know of earlier steps, as in solver.State.
func (f *Flow) SaveGlobal() []byte { return f.states.Save() }

// LoadGlobal takes over what SaveGlobal has returned.
func (f *Flow) LoadGlobal(data []byte) error { return f.states.Load(data) }

// OpeningLink describes the link of cell (x, y, z) in a direction, an index in
// geometry.Directions, to the opening of the given index.
func (f *Flow) OpeningLink(x, y, z int32, direction, number int) opening.Link {
	return f.states.Link(x, y, z, direction, number)
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
	r.PressureDrop, r.MassBalance = dropAndBalance(r.Openings)
	r.Limited, r.Grain = s.Limited, s.Grain
	return r
}

// OpeningSummaries describes the flow through the openings in SI units, from
// the sums of FlowState.
func (f *Flow) OpeningSummaries(outflow, areaDensity []int64) []OpeningSummary {
	return openingSummaries(f.states, f.Domain.Grid, f.Units, func(i int) (int64, int64) { return outflow[i], areaDensity[i] })
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
// is given up, and CheckInterval how many steps pass between checks of it.
const (
	DivergedVelocity = divergedVelocity
	CheckInterval    = checkInterval
)

// Started tells whether the flow's smooth start is over after so many steps.
func (f *Flow) Started(steps int64) bool { return float64(steps) > f.rampSteps }

// WatchSteady begins to watch after so many steps for the flow to become
// steady.
func (f *Flow) WatchSteady(steps int64, tolerance float64) *SteadyWatch {
	return newSteadyWatch(steps, f.rampSteps, f.flow.crossing(), tolerance)
}

// GrainCells is the number of cells up to which a summary tells the grain.
const GrainCells = grainCells

// NewFields returns fields of that many cells, all zero.
func NewFields(cells int) *Fields { return newFields(cells) }
