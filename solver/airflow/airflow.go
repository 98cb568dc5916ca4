package airflow

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/airflow/collision"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/update"
	"carina/solver/lattice"
	"carina/solver/streaming"
	"carina/solver/transport"
)

// airflow is what is computed, alike on all ranks and devices, as a physics of the
// engine.
type airflow struct {
	domain    *solver.Domain
	settings  Settings
	units     Units
	expected  expected
	warnings  []string
	ambient   ambient // to which pressures are relative
	set       *lattice.Set
	faces     *opening.Faces
	openings  *opening.States // before the first step
	rampSteps float64
	// carries tells whether the kernel leaves the velocity for others.
	carries bool
	force   [3]float64 // in lattice units, in the present step
	// like is how large the tables were of the cells that the rank had before.
	like update.Sizes
}

var _ solver.Physics = (*airflow)(nil)

// Carrier returns the airflow of settings as a physics that others can run together
// with: its kernel leaves the velocity of the block at hand (Velocity).
func Carrier(domain *solver.Domain, settings Settings) (solver.Physics, error) {
	a, err := newAirflow(domain, settings)
	if err != nil {
		return nil, err
	}
	a.carries = true
	return a, nil
}

// newAirflow makes all choices that settings leave open.
func newAirflow(domain *solver.Domain, settings Settings) (*airflow, error) {
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	if err := opening.ValidateConditions(settings.Conditions, domain.Grid); err != nil {
		return nil, err
	}
	a := &airflow{domain: domain, set: settings.set(), expected: expect(domain.Grid, &settings)}
	var err error
	if a.faces, err = opening.NewFaces(domain.Grid, a.set); err != nil {
		return nil, err
	}
	a.ambient = settings.ambient(domain.Grid.Openings, a.faces.Areas)
	settings.relateTo(a.ambient)
	if a.units, a.warnings, err = chooseUnits(domain, &settings, a.expected); err != nil {
		return nil, err
	}
	settings.Collision = settings.operator(a.units.RelaxationTime(), a.expected.cellReynolds(domain.Grid.Spacing, &settings))
	a.warnings = append(a.warnings, settings.settleWall(a.units.RelaxationTime())...)
	a.warnings = append(a.warnings, settings.stored(domain.Grid)...)
	a.settings = settings
	a.rampSteps = settings.rampSteps(domain.Grid, a.units.TimeStep)
	if a.openings, err = opening.New(a.faces, a.openingChoice()); err != nil {
		return nil, err
	}
	a.setForce(0)
	return a, nil
}

// openingChoice is what is chosen for openings.
func (a *airflow) openingChoice() *opening.Choice {
	s, u := &a.settings, a.units
	tau := u.RelaxationTime()
	return &opening.Choice{Conditions: s.Conditions, FlowRate: s.FlowRate, Profile: s.Profile, Waveform: s.Waveform,
		Units:   opening.Units{TimeStep: u.TimeStep, Velocity: u.Velocity(), FlowRate: u.FlowRate(), Pressure: u.Pressure()},
		TauPlus: tau, TauMinus: s.tauMinus(tau), Differences: a.forgottenAtOpenings(), Stress: a.stressForgottenAtOpenings(), Crossing: a.crossing(), Moving: s.Initial != nil,
		Sudden: s.Initial == nil && a.rampSteps < suddenCrossings*a.crossing()}
}

// suddenCrossings is a start so short, in crossings of the domain by sound, that what leaves
// overshoots by a tenth and more.
const suddenCrossings = 10

// warnOfClosed warns of openings that meet no cell.
func (a *airflow) warnOfClosed() {
	for i, area := range a.faces.Areas {
		o := &a.domain.Grid.Openings[i]
		switch {
		case area > 0:
		case o.Resolved(a.domain.Grid.Spacing):
			a.warnings = append(a.warnings, fmt.Sprintf("opening %d (%s) meets no cell and stays closed, although it is wide enough: its branch is cut off from the inlet on the way, so mend the surface there, choose a smaller spacing, or leave it out with --drop-opening %d", o.Number, o.Name, o.Number))
		default:
			a.warnings = append(a.warnings, fmt.Sprintf("opening %d (%s) meets no cell and stays closed: choose a smaller spacing, or leave it out with --drop-opening %d", o.Number, o.Name, o.Number))
		}
	}
}

// warnOfEqualPressures warns of outlets beside each other that have one pressure and are of
// very different width, as those of an airway that was cut somewhere are.
func (a *airflow) warnOfEqualPressures() {
	const wide = 4 // times the area of the narrowest
	count, least, most := map[float64]int{}, map[float64]float64{}, map[float64]float64{}
	for i, area := range a.faces.Areas {
		o := &a.domain.Grid.Openings[i]
		c, given := a.settings.Conditions[o.Number]
		if o.Role != geometry.Outlet || area == 0 || given && (c.Kind != opening.ImposedPressure || c.Waveform != nil) {
			continue
		}
		p := c.Pressure
		if count[p]++; count[p] == 1 {
			least[p] = o.Area
		}
		least[p], most[p] = min(least[p], o.Area), max(most[p], o.Area)
	}
	for _, p := range slices.Sorted(maps.Keys(count)) {
		if count[p] > 1 && most[p] > wide*least[p] {
			a.warnings = append(a.warnings, fmt.Sprintf("%d outlets have %s beside each other, the widest with %.3g times the area of the narrowest: the lengths to which the branches were cut decide how the flow divides, so give them shares or Windkessels, as carina init does",
				count[p], quantity.Format(p, "Pa"), most[p]/least[p]))
		}
	}
}

// kind is that of a population in memory.
func (p Precision) kind() solver.Kind {
	switch p {
	case Double:
		return solver.Float64
	case Half:
		return solver.Float16
	}
	return solver.Float32
}

// Fields are the populations.
func (a *airflow) Fields() []solver.Field {
	f := solver.Field{Name: "populations", Values: a.set.Q, Kind: a.settings.Precision.kind()}
	if a.settings.Precision == Half {
		f.Scale = collision.Scale
	}
	return []solver.Field{f}
}

// Phases of a step.
const (
	streamPhase = iota
	wallPhase   // of quadratic walls
)

// Program streams in place.
func (a *airflow) Program() solver.Program {
	p := streaming.Program(0, geometry.Directions[:a.set.Q-1])
	quadratic := a.settings.Wall == Quadratic
	for i := range p.Steps {
		if quadratic {
			p.Steps[i][streamPhase].Asks = true
			p.Steps[i] = append(p.Steps[i], solver.Phase{Name: "walls"})
		}
		if a.openings.Coupled() {
			last := &p.Steps[i][len(p.Steps[i])-1]
			last.Reduce = &solver.Reduction{Operation: transport.Sum, Values: 2 * len(a.openings.List), Every: opening.CouplingInterval}
		}
	}
	return p
}

// setForce sets the body force of the step that begins after the given one.
func (a *airflow) setForce(steps int64) {
	factor := 1.0
	if w := a.settings.ForceWaveform; w != nil {
		factor = w.Factor((float64(steps) + 0.5) * a.units.TimeStep)
	}
	for axis := range 3 {
		a.force[axis] = factor * a.settings.BodyForce[axis] / a.units.Acceleration()
	}
}

// parameters returns those of the collision.
func (a *airflow) parameters() map[string]float64 {
	s := &a.settings
	tau := a.units.RelaxationTime()
	parameters := map[string]float64{
		collision.OmegaPlus:  1 / tau,
		collision.OmegaMinus: 1 / (0.5 + s.Magic/(tau-0.5)),
		collision.ForceX:     a.force[0], collision.ForceY: a.force[1], collision.ForceZ: a.force[2],
		collision.Magic: s.Magic, collision.RelaxationTime: tau,
		collision.EddyFactor:    18 * math.Sqrt2 * s.Smagorinsky * s.Smagorinsky,
		collision.LimiterFactor: s.limiterFactor(),
	}
	a.forgetting(tau, parameters)
	collision.CumulantRates(1/tau, parameters)
	parameters[collision.ThirdLimit] *= a.thirdLimitFactor()
	return parameters
}

// variant is the collision as its kernels are called.
func (a *airflow) variant() collision.Variant {
	s := &a.settings
	return collision.Variant{Name: string(s.Collision), Set: a.set,
		Force: s.BodyForce != [3]float64{}, LargeEddy: s.Smagorinsky > 0}
}

// crossing is the number of steps in which sound crosses the domain.
func (a *airflow) crossing() float64 { return soundCrossing(a.domain.Grid) }

// startSteps is how many steps the start takes: 0 where nothing rises in it.
func (a *airflow) startSteps() float64 {
	if !a.settings.rises(a.domain.Grid) {
		return 0
	}
	return a.rampSteps
}

// started is which part of what openings prescribe has been reached after so many steps
// of a start; nil where that is all.
func (a *airflow) started(steps int64) *float64 {
	start := a.startSteps()
	if float64(steps) >= start {
		return nil
	}
	part := opening.StartFactor(float64(steps), start)
	return &part
}
