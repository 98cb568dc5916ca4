package airflow

import (
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
	// States are those of the openings.
	States *opening.States

	// flow knows what does not depend on the device.
	flow *airflow
}

// NewFlow checks settings and describes the flow on a domain as devices are told it.
func NewFlow(domain *solver.Domain, settings Settings) (*Flow, error) {
	a, err := newAirflow(domain, settings)
	if err != nil {
		return nil, err
	}
	return newFlow(a), nil
}

// newFlow describes a flow to a device.
func newFlow(a *airflow) *Flow {
	f := &Flow{Domain: a.domain, Settings: a.settings, Set: a.set, Units: a.units, States: a.openings.Clone(), flow: a}
	tau := f.Units.RelaxationTime()
	f.Operator = f.Settings.Collision
	f.OmegaPlus, f.OmegaMinus = 1/tau, 1/(0.5+f.Settings.Magic/(tau-0.5))
	if f.Operator == BGK {
		f.OmegaMinus = f.OmegaPlus
	}
	f.Openings = make([]opening.Imposed, len(f.States.List))
	f.Prepare(0)
	return f
}

// Physics is the flow as processors compute it.
func (f *Flow) Physics() solver.Physics { return f.flow }

// ReflectsWalls tells whether what comes back from walls is made of what the
// collision left in the cell: of the part that is even along the link, given the
// fraction q of the link at which the wall is, and the relaxation time τ,
// wρ + (q−τ)/(1−τ) (e − wρ).
func (f *Flow) ReflectsWalls() bool {
	scheme := f.flow.wallScheme()
	return scheme.Reflects
}

// Forced tells whether there is a body force at any time.
func (f *Flow) Forced() bool { return f.Settings.BodyForce != [3]float64{} }

// Prepare sets what acts in the step after the given number of steps: what the
// openings impose, in Openings, and the body force.
func (f *Flow) Prepare(steps int64) {
	f.States.Prepare(float64(steps+1), f.flow.rampSteps)
	for i := range f.States.List {
		f.Openings[i] = f.States.List[i].Imposed
	}
	f.SetForce(steps)
}

// SetForce sets the body force of the step after the given number of steps.
func (f *Flow) SetForce(steps int64) {
	f.flow.setForce(steps)
	f.Force = f.flow.force
}

// Parameters are those of the collision in the present step, by their names in
// package collision.
func (f *Flow) Parameters() map[string]float64 { return f.flow.parameters() }

// Couple tells the openings what was measured at them in the last step, by turns
// what has left, in cell volumes, and the sum of link weights times density of their
// cells, in fixed point.
func (f *Flow) Couple(sums []int64) {
	f.States.Couple(func(i int) (float64, float64) { return fromFixed(sums[2*i]), fromFixed(sums[2*i+1]) })
}

// OpeningLink describes the link of cell (x, y, z) in a direction, an index in
// geometry.Directions, to the opening of the given index.
func (f *Flow) OpeningLink(x, y, z int32, direction, number int) opening.Link {
	return f.States.Link(x, y, z, direction, number)
}

// DivergedVelocity is the velocity, in cells per step, at which a computation
// is given up, and CheckInterval how many steps pass between checks of it.
const (
	DivergedVelocity = divergedVelocity
	CheckInterval    = checkInterval
)

// Ambient is the pressure, in Pa, to which those of the flow are relative after so
// many steps.
func (f *Flow) Ambient(steps int64) float64 { return f.flow.ambientAfter(steps) }

// NewFields returns fields of that many cells, all zero.
func NewFields(cells int) *Fields { return newFields(cells) }
