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
}

// OpeningCondition is what one opening imposes.
type OpeningCondition struct {
	// Velocity tells whether a flow is imposed (else a pressure).
	Velocity bool
	// Area is that of the opening as voxelized, in cell faces.
	Area float64
	// Inflow is what enters per cell face at full strength.
	Inflow float64
	// Density is the imposed deviation of the density.
	Density float64
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
	f.Units, f.Warnings = chooseUnits(domain.Grid, &settings, f.expected)
	tau := f.Units.RelaxationTime()
	f.OmegaPlus, f.OmegaMinus = 1/tau, 1/(0.5+settings.Magic/(tau-0.5))
	if settings.Collision == BGK {
		f.OmegaMinus = f.OmegaPlus
	}
	for a := range 3 {
		f.Force[a] = settings.BodyForce[a] / f.Units.Acceleration()
	}
	for _, o := range newOpeningStates(domain.Grid, areas, &settings, f.Units).list {
		c := OpeningCondition{Velocity: o.imposes(), Area: o.area, Density: o.base}
		if o.area > 0 {
			c.Inflow = o.flow / o.area
		}
		f.Openings = append(f.Openings, c)
	}
	f.rampSteps = (&Rank{domain: domain, settings: settings, units: f.Units}).chooseRamp()
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
	case len(s.Conditions) > 0 || s.Waveform != nil || s.Profile != "" && s.Profile != Plug:
		what = "a condition at an opening other than a constant flow or pressure"
	default:
		return nil
	}
	return fmt.Errorf("%s is not computed on a GPU; leave it out or compute on the processor", what)
}

// Start is the strength of the inflow in the step after the given number of
// steps, growing from 0 to 1 while the flow starts.
func (f *Flow) Start(steps int64) float64 { return startFactor(float64(steps+1), f.rampSteps) }

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
	// areas times density of its cells.
	Outflow, AreaDensity []float64
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
		density := f.Openings[i].Density
		if f.Openings[i].Velocity {
			density = s.AreaDensity[i] / f.Openings[i].Area
		}
		r.Openings = append(r.Openings, OpeningSummary{
			Number: o.Number, Name: o.Name, Role: string(o.Role), Area: o.Area,
			Flow: -s.Outflow[i] * f.Units.FlowRate(), Pressure: density * f.Units.Pressure(),
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
