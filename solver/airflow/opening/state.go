package opening

import (
	"math"
	"slices"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// Imposed is what one opening imposes in the present step, in lattice units.
type Imposed struct {
	// Velocity tells whether a velocity is imposed in the present step (else a
	// pressure).
	Velocity bool
	// Area is that of the opening as voxelized, in cell faces.
	Area float64
	// Weight is the sum of the links' weights.
	Weight float64
	// Normal points out of the lumen.
	Normal [3]float64
	// TauPlus is the relaxation time of the stress, in steps, and TauRatio that of
	// third moments over it.
	TauPlus, TauRatio float64
	// Differences is the part of its differences of third moments that a cell at the
	// opening forgets in a step, over its speed; see sample.thirdMoments.
	Differences float64
	// Stress is the part of its stress that a cell at the opening without walls forgets
	// in a step, over its speed; see sample.forgetStress.
	Stress float64
	// Forgetting is the part of its memory that the opening's absorption of sound
	// forgets in a step: all where a controller prescribes the flow, which absorbs
	// by itself.
	Forgetting float64
	// Returning is the part of a sudden change of what leaves that returns.
	Returning float64
	// Inflow is what enters per cell face of mean profile.
	Inflow float64
	// Density is the imposed deviation of the density, Gradient that along the
	// normal, per cell.
	Density, Gradient float64
	// Fastest is the largest velocity along the normal, negative, with which air
	// comes in through a cell where a pressure is imposed, and Transition the
	// velocity up to which it hardly moves.
	Fastest, Transition float64
}

// State is one opening, on every rank and device alike, in lattice units.
type State struct {
	Imposed
	condition Condition
	profile   func(position r3.Vec) float64 // of mean one
	// flow is what enters through the opening at factor one, in cell volumes
	// per step.
	flow float64
	// velocity is that of a moving wall, in cells per step.
	velocity [3]float64
	// For pressure openings: what leaves (cell volumes per step) as measured
	// last, and smoothed over different times.
	outflow, fast, smooth float64
	// peak is the largest absolute value of fast so far.
	peak float64
	// base is the density that belongs to the condition; stored is that of a
	// Windkessel's compliance.
	base, stored float64
	// forgetting is Forgetting from the second step on.
	forgetting float64
	controller controller
}

// Units are what one lattice unit is in SI units: a step in seconds, a cell per
// step in m/s, a cell volume per step in m³/s, and the pressure of a relative
// density of one in Pa.
type Units struct{ TimeStep, Velocity, FlowRate, Pressure float64 }

// Choice is what is chosen for all openings of a grid.
type Choice struct {
	// Conditions are those of openings by number. Without one, inlets share
	// FlowRate by area, with Profile and Waveform, and outlets have pressure zero.
	Conditions map[int]Condition
	FlowRate   float64
	Profile    Profile
	Waveform   Waveform
	Units      Units
	// TauPlus and TauMinus are the relaxation times of the stress and of third moments,
	// in steps.
	TauPlus, TauMinus float64
	// Differences and Stress are those of Imposed.
	Differences, Stress float64
	// Crossing is the number of steps in which sound crosses the domain.
	Crossing float64
	// Moving tells that air moves at the start, Sudden that the flow starts at once.
	Moving, Sudden bool
}

// States are all openings of a grid.
type States struct {
	List     []State
	faces    *Faces
	units    Units
	crossing float64
	time     float64 // of the present step
	moving   bool
}

// New prepares the openings of a grid.
func New(f *Faces, choice *Choice) (*States, error) {
	s := &States{List: make([]State, len(f.Areas)), faces: f, units: choice.Units, crossing: choice.Crossing, moving: choice.Moving}
	var shared float64
	for i := range f.Areas {
		c, given := choice.Conditions[f.grid.Openings[i].Number]
		if !given && f.grid.Openings[i].Role == geometry.Inlet {
			c = Condition{Kind: ImposedFlow, Profile: choice.Profile, Waveform: choice.Waveform}
			shared += f.Areas[i]
		}
		if c.Kind == "" {
			c.Kind = ImposedPressure
		}
		s.List[i] = s.newState(i, c, choice)
	}
	returning := f.returning(choice)
	for i, a := range f.Areas {
		s.List[i].Returning = returning
		if _, given := choice.Conditions[f.grid.Openings[i].Number]; !given && s.List[i].condition.Kind == ImposedFlow {
			s.List[i].flow = choice.FlowRate / s.units.FlowRate * a / shared
		}
	}
	return s, f.setProfiles(s.List)
}

// newState is opening i with its condition.
func (s *States) newState(i int, c Condition, choice *Choice) State {
	n := s.faces.grid.Openings[i].Normal
	state := State{condition: c, flow: c.Flow / s.units.FlowRate, Imposed: Imposed{
		Area: s.faces.Areas[i], Weight: s.faces.weight(i), Normal: [3]float64{n.X, n.Y, n.Z},
		TauPlus: choice.TauPlus, TauRatio: choice.TauMinus / choice.TauPlus, Differences: choice.Differences, Stress: choice.Stress, Forgetting: 1 / (absorptionCrossings * choice.Crossing)}}
	if c.Kind == ImposedFlow {
		state.Forgetting = 1
	}
	state.forgetting = state.Forgetting
	if c.Kind == Windkessel {
		state.smooth = c.startFlow(CouplingInterval*s.units.TimeStep) / s.units.FlowRate
	}
	for axis, v := range c.Velocity {
		state.velocity[axis] = v / s.units.Velocity
	}
	return state
}

// Clone is a copy for a rank, whose openings go on by themselves.
func (s *States) Clone() *States {
	c := *s
	c.List = slices.Clone(s.List)
	return &c
}

// Prepare sets what the openings impose in the step that ends at the given
// time, in steps, where the flow starts within ramp steps.
func (s *States) Prepare(time, ramp float64) {
	s.time = time
	start := StartFactor(time, ramp)
	for i := range s.List {
		o, factor := &s.List[i], start
		if o.condition.Waveform != nil {
			factor = o.condition.Waveform.Factor(time * s.units.TimeStep)
		}
		switch o.condition.Kind {
		case ImposedFlow:
			if o.Area > 0 {
				o.Inflow = o.flow * factor / o.Area
			}
			o.control(-o.flow*factor, sinceCoupling(time))
			o.Density = o.controlled()
		case MovingWall:
			o.Inflow = factor
		default:
			if o.condition.Kind == ImposedPressure {
				o.base = o.condition.Pressure / s.units.Pressure * factor
			}
			o.Density = o.base
		}
		o.Velocity = o.condition.Kind == ImposedFlow && !o.controller.on || o.condition.Kind == MovingWall
		o.Forgetting = o.forgetting
		if s.moving && time <= 1 { // what is there at the start is no sound
			o.Forgetting = 1
		}
		o.Gradient, o.Fastest, o.Transition = o.developedGradient(), o.fastestInflow(), o.transitionSpeed()
	}
}

// StartFactor is the smooth start-up of the flow, ½(1−cos πt/T), with time and ramp in steps.
func StartFactor(time, ramp float64) float64 {
	if time >= ramp {
		return 1
	}
	return 0.5 * (1 - math.Cos(math.Pi*time/ramp))
}

// developedGradient is the gradient of the density along the normal in
// developed laminar flow through a round opening (Hagen and Poiseuille: p
// falls by 8πμQ/A² per length). It places the pressure on the plane of the
// opening, from which the centres of its cells lie apart. A Windkessel may start with
// more flow than there has been.
func (s *State) developedGradient() float64 {
	area, flow := max(s.Area, 1), max(-s.peak, min(s.peak, s.smooth))
	return -8 * math.Pi * (s.TauPlus - 0.5) * flow / (area * area)
}

// fastestInflow is the velocity of air that enters on the axis of the strongest
// developed flow through a round opening so far, twice the mean.
func (s *State) fastestInflow() float64 {
	return -2 * s.peak / max(s.Area, 1)
}

// MeanDensity is that on the opening, given the sum of weight times density of its
// links: as imposed, or as measured where a flow is.
func (s *State) MeanDensity(weighted float64) float64 {
	if kind := s.condition.Kind; (kind == ImposedFlow || kind == MovingWall) && s.Area > 0 {
		return weighted / s.Weight
	}
	return s.base
}
