package airflow

import (
	"fmt"
	"math"
	"slices"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// ConditionKind names what happens at an opening.
type ConditionKind string

// The kinds of conditions.
const (
	// ImposedFlow prescribes what enters (negative: leaves). Its profile is
	// imposed while air enters; air that leaves brings its own.
	ImposedFlow ConditionKind = "flow"
	// ImposedPressure prescribes the pressure on the opening's plane.
	ImposedPressure ConditionKind = "pressure"
	// FlowShare prescribes which part of all that leaves leaves here, by
	// moving the pressure until it does.
	FlowShare ConditionKind = "share"
	// MovingWall is a wall that moves along itself.
	MovingWall ConditionKind = "moving wall"
	// Windkessel lets air out through a resistance into a compliance that
	// drains through a second resistance (RCR); without compliance it is a
	// resistance.
	Windkessel ConditionKind = "windkessel"
)

// ConditionKinds lists the kinds of conditions.
var ConditionKinds = []ConditionKind{ImposedFlow, ImposedPressure, FlowShare, MovingWall, Windkessel}

// Profile names how the velocity is distributed over an opening with
// prescribed flow.
type Profile string

// The profiles.
const (
	// Plug is the same velocity everywhere.
	Plug Profile = "plug"
	// Parabolic is that of a circular pipe of the opening's area.
	Parabolic Profile = "parabolic"
	// Developed is that of a long straight tube of the opening's shape.
	Developed Profile = "developed"
)

// Profiles lists the profiles.
var Profiles = []Profile{Plug, Parabolic, Developed}

// Condition is what happens at an opening.
type Condition struct {
	Kind ConditionKind
	// Flow is what enters, in m³/s.
	Flow float64
	// Profile is that of an ImposedFlow; empty means Plug.
	Profile Profile
	// Shape is a profile of one's own, by position in metres and up to a
	// factor; it takes the place of Profile.
	Shape func(position r3.Vec) float64
	// Velocity is that of a MovingWall, in m/s.
	Velocity [3]float64
	// Pressure is in Pa; of a Windkessel, that behind it.
	Pressure float64
	// Share is a part of one. The shares of all openings that have one add up
	// to what is left by the others, and are scaled to do so.
	Share float64
	// ProximalResistance and DistalResistance are in Pa·s/m³, Compliance in
	// m³/Pa.
	ProximalResistance, DistalResistance, Compliance float64
	// Waveform is a factor of Flow, Velocity or Pressure over time; nil means one, after
	// the smooth start.
	Waveform Waveform
}

// validate says what is wrong with a condition, if anything.
func (c *Condition) validate() error {
	if err := oneOf("kind of condition", c.Kind, ConditionKinds); err != nil {
		return err
	}
	if c.Profile != "" {
		if err := oneOf("profile", c.Profile, Profiles); err != nil {
			return err
		}
	}
	for _, q := range []figure{
		{"flow", c.Flow, -largestFlow, largestFlow, " m³/s"},
		{"pressure", c.Pressure, -largestPressure, largestPressure, " Pa"},
		{"share", c.Share, 0, 1e6, ""},
		{"proximal resistance", c.ProximalResistance, 0, 1e18, " Pa·s/m³"},
		{"distal resistance", c.DistalResistance, 0, 1e18, " Pa·s/m³"},
		{"compliance", c.Compliance, 0, 1e6, " m³/Pa"},
	} {
		if err := q.check(); err != nil {
			return err
		}
	}
	if c.Kind == FlowShare && c.Share == 0 {
		return fmt.Errorf("the share of the flow is zero; close the opening instead")
	}
	return nil
}

// validateConditions checks the conditions against the openings of a grid.
func (s *Settings) validateConditions(grid *geometry.Grid) error {
	for number, c := range s.Conditions {
		if !slices.ContainsFunc(grid.Openings, func(o geometry.Opening) bool { return o.Number == number }) {
			return fmt.Errorf("there is a condition for opening %d, but the grid has %d openings and none of that number", number, len(grid.Openings))
		}
		if err := c.validate(); err != nil {
			return fmt.Errorf("opening %d: %w", number, err)
		}
	}
	return nil
}

// Constants of the coupling between openings and the flow through them.
const (
	// couplingInterval is how many steps pass between measurements of the
	// flow. Sound needs many times longer through any opening's tube.
	couplingInterval = 10
	// fastSteps is the time over which the flow is smoothed that a pressure
	// opening answers. An answer to every change at once would only meet its
	// own echo.
	fastSteps = 40
	// smoothSteps is the time over which the flow into a Windkessel is
	// smoothed; it keeps resistances above the wave impedance stable.
	smoothSteps = 100
	// shareSteps is the time in which a pressure opening corrects its share.
	shareSteps = 1000
)

// impedance is Z = c_s/A (density one): the pressure, as a density, that goes
// with a flow in a travelling wave is 3 c_s q/A.
func (s *openingState) impedance() float64 { return math.Sqrt(3) / max(s.area, 1) }

// couples tells whether any opening reacts to the flow.
func (o *openingStates) couples() bool { return couples(o.list) }

func couples(list []openingState) bool {
	return slices.ContainsFunc(list, func(s openingState) bool { return s.condition.Kind != MovingWall })
}

// couple takes over what was measured at the openings in the last step, for
// each what leaves (cell volumes per step) and the sum of area times density,
// in fixed point. Sound crosses the domain in crossing steps.
func (o *openingStates) couple(measured func(i int) (outflow, areaDensity int64), crossing float64, u Units) {
	var leaving, shares float64
	for i := range o.list {
		s := &o.list[i]
		outflow, areaDensity := measured(i)
		s.outflow = FromFixed(outflow)
		if s.condition.Kind == FlowShare {
			leaving += s.outflow
			shares += s.condition.Share
		}
		s.fast += (s.outflow - s.fast) * couplingInterval / fastSteps
		s.peak = max(s.peak, math.Abs(s.fast))
		s.smooth += (s.outflow - s.smooth) * couplingInterval / smoothSteps
		switch s.condition.Kind {
		case Windkessel:
			s.drain(u)
		case ImposedFlow:
			s.correct(FromFixed(areaDensity)/max(s.area, 1), crossing)
		}
	}
	if shares == 0 {
		return
	}
	var mean float64
	for i := range o.list {
		if s := &o.list[i]; s.condition.Kind == FlowShare {
			want := leaving * s.condition.Share / shares
			s.base += s.impedance() * (s.smooth - want) * couplingInterval / shareSteps
			mean += s.base * s.condition.Share / shares
		}
	}
	// The pressures of all are known up to a constant only: their mean is zero.
	for i := range o.list {
		if s := &o.list[i]; s.condition.Kind == FlowShare {
			s.base -= mean
		}
	}
}

// drain advances a Windkessel by one coupling interval, implicitly:
// C dp/dt = Q − (p − p_out)/R_distal, and p_opening = p + R_proximal·Q.
func (s *openingState) drain(u Units) {
	c := &s.condition
	flow := s.smooth * u.FlowRate()
	behind := c.Pressure
	dt := couplingInterval * u.TimeStep
	pressure := behind + c.DistalResistance*flow
	if c.Compliance > 0 && c.DistalResistance > 0 {
		stored := s.stored * u.Pressure()
		drain := dt / (c.Compliance * c.DistalResistance)
		pressure = (stored + dt/c.Compliance*flow + drain*behind) / (1 + drain)
	} else if c.Compliance > 0 {
		pressure = s.stored*u.Pressure() + dt/c.Compliance*flow
	}
	s.stored = pressure / u.Pressure()
	s.base = s.stored + c.ProximalResistance*flow/u.Pressure()
}
