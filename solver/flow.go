package solver

import (
	"fmt"

	"carina/solver/lattice"
)

// Flow is what a device needs to know of a computation beside the cells, in
// lattice units.
type Flow struct {
	Domain   *Domain
	Settings Settings
	Units    Units
	Warnings []string
	// OmegaPlus and OmegaMinus are the relaxation rates.
	OmegaPlus, OmegaMinus float64
	// Force is the body force.
	Force [3]float64
	// Openings are those of the grid.
	Openings []OpeningCondition

	expected  expected
	rampSteps float64
	crossing  float64
	states    *openingStates
	profiles  []profile
}

// OpeningCondition is what one opening imposes.
type OpeningCondition struct {
	// Velocity tells whether a velocity is imposed (else a pressure).
	Velocity bool
	// Area is that of the opening as voxelized, in cell faces.
	Area float64
	// Inflow is the factor of the links' inflows in the present step, Density
	// the imposed deviation of the density.
	Inflow, Density float64
}

// NewFlow prepares the computation of a domain on a device.
func NewFlow(domain *Domain, settings Settings) (*Flow, error) {
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	if settings.Collision == Automatic {
		settings.Collision = TRT
	}
	if err := settings.deviceSupports(); err != nil {
		return nil, err
	}
	areas, err := openingAreas(domain.Grid, lattice.D3Q19)
	if err != nil {
		return nil, err
	}
	f := &Flow{Domain: domain, Settings: settings, expected: expect(domain.Grid, &settings)}
	if f.Units, f.Warnings, err = chooseUnits(domain.Grid, &settings, f.expected); err != nil {
		return nil, err
	}
	tau := f.Units.RelaxationTime()
	f.OmegaPlus, f.OmegaMinus = 1/tau, 1/(0.5+settings.Magic/(tau-0.5))
	if settings.Collision == BGK {
		f.OmegaMinus = f.OmegaPlus
	}
	for a := range 3 {
		f.Force[a] = settings.BodyForce[a] / f.Units.Acceleration()
	}
	f.states = newOpeningStates(domain.Grid, areas, &settings, f.Units)
	for _, o := range f.states.list {
		f.Openings = append(f.Openings, OpeningCondition{Velocity: o.imposes(), Area: o.area})
	}
	if f.profiles, err = openingProfiles(domain.Grid, lattice.D3Q19, f.states.list); err != nil {
		return nil, err
	}
	rank := &Rank{domain: domain, settings: settings, units: f.Units}
	f.rampSteps, f.crossing = rank.chooseRamp(), rank.crossing()
	f.Prepare(0)
	return f, nil
}

// deviceSupports says what of the settings devices do not compute.
func (s *Settings) deviceSupports() error {
	what := ""
	switch {
	case s.Collision != TRT && s.Collision != BGK:
		what = "the collision " + string(s.Collision)
	case s.set() != lattice.D3Q19:
		what = "the lattice " + string(s.Lattice)
	case s.Smagorinsky != 0:
		what = "an eddy viscosity"
	case s.ForceWaveform != nil:
		what = "a body force that changes with time"
	default:
		return nil
	}
	return fmt.Errorf("%s is not computed on a GPU; leave it out or compute on the processor", what)
}

// Prepare sets what the openings impose in the step after the given number of
// steps, in Openings.
func (f *Flow) Prepare(steps int64) {
	f.states.prepare(float64(steps+1), f.rampSteps, f.Units)
	for i := range f.states.list {
		f.Openings[i].Inflow, f.Openings[i].Density = f.states.list[i].inflow, f.states.list[i].density
	}
}

// Couples tells whether Couple is due after the given number of steps.
func (f *Flow) Couples(steps int64) bool { return steps%couplingInterval == 0 && f.states.couples() }

// Couple tells the openings what has left through them in the last step, in
// cell volumes, in fixed point (ToFixed).
func (f *Flow) Couple(outflow []int64) {
	f.states.couple(func(i int) float64 { return float64(outflow[i]) / fixedPoint }, f.crossing, f.Units)
}

// ToFixed returns a number in fixed point, as an integer: sums of these do not
// depend on the order.
func ToFixed(v float64) int64 { return toFixed(v) }

// LinkInflow is what enters along a link of a cell where the opening imposes a
// velocity, for a factor of one, in cell volumes per step.
func (f *Flow) LinkInflow(direction, opening int, x, y, z int32) float64 {
	if state := &f.states.list[opening]; state.condition.Kind == MovingWall {
		return wallMomentum(lattice.D3Q19, direction+1, state.velocity)
	}
	return f.LinkArea(direction, opening) * f.profiles[opening](cellCenter(f.Domain.Grid, x, y, z))
}

// LinkArea is the area that a link along geometry.Directions[direction] stands
// for where it meets the opening of the given index, in cell faces.
func (f *Flow) LinkArea(direction, opening int) float64 {
	return linkArea(lattice.D3Q19, direction+1, &f.Domain.Grid.Openings[opening])
}

// FlowState is the outcome of a computation on a device, in lattice units.
type FlowState struct {
	// Steps is how many were done, in Seconds.
	Steps   int64
	Seconds float64
	// PeakVelocity is the largest velocity.
	PeakVelocity float64
	// Outflow leaves through each opening; AreaDensity is the sum of link
	// areas times density of its cells. Both are in fixed point, so
	// that their sums do not depend on the order.
	Outflow, AreaDensity []int64
	Hash                 uint64
	Bytes                int64
	Device               string
}

// Summary describes the outcome in SI units.
func (f *Flow) Summary(s *FlowState) *Summary {
	cells := f.Domain.Grid.Cells()
	r := &Summary{
		FluidCells: cells, Spacing: f.Units.Spacing, TimeStep: f.Units.TimeStep,
		Steps: s.Steps, Time: float64(s.Steps) * f.Units.TimeStep, RelaxationTime: f.Units.RelaxationTime(),
		Mach: Mach(s.PeakVelocity), PeakVelocity: s.PeakVelocity * f.Units.Velocity(),
		Reynolds:  f.expected.meanInletVelocity * f.expected.inletDiameter / f.Units.KinematicViscosity,
		StateHash: fmt.Sprintf("%016x", s.Hash), Warnings: f.Warnings, Seconds: s.Seconds,
	}
	rank := RankSummary{FluidCells: cells, Bytes: s.Bytes, Device: s.Device}
	if s.Seconds > 0 {
		r.MLUPS = float64(cells) * float64(s.Steps) / s.Seconds / 1e6
		rank.StepSeconds = s.Seconds / float64(s.Steps)
	}
	r.Ranks = []RankSummary{rank}
	for i, o := range f.Domain.Grid.Openings {
		density := f.states.list[i].base
		if f.Openings[i].Velocity && f.Openings[i].Area > 0 {
			density = float64(s.AreaDensity[i]) / fixedPoint / f.Openings[i].Area
		}
		r.Openings = append(r.Openings, OpeningSummary{
			Number: o.Number, Name: o.Name, Role: string(o.Role), Area: o.Area,
			Flow: -float64(s.Outflow[i]) / fixedPoint * f.Units.FlowRate(), Pressure: density * f.Units.Pressure(),
		})
	}
	r.PressureDrop, r.MassBalance = balance(r.Openings)
	return r
}

// DivergedAt is the error of a flow that was found to have diverged at a cell.
func (f *Flow) DivergedAt(steps int64, cell [3]int32) error {
	return &DivergedError{steps, float64(steps) * f.Units.TimeStep, cell,
		Mach(f.expected.peakVelocity / f.Units.Velocity()), f.Units.RelaxationTime()}
}

// DivergedVelocity is the velocity, in cells per step, at which a computation
// is given up, and CheckInterval how many steps pass between looks at it.
const (
	DivergedVelocity = divergedVelocity
	CheckInterval    = checkInterval
)

// NewFields returns fields of that many cells, all zero.
func NewFields(cells int) *Fields { return newFields(cells) }
