package airflow

import (
	"fmt"
	"math"
	"slices"

	"carina/geometry"
	"carina/solver/airflow/opening"
)

// validateConditions checks the conditions against the openings of a grid.
func (s *Settings) validateConditions(grid *geometry.Grid) error {
	for number, c := range s.Conditions {
		if !slices.ContainsFunc(grid.Openings, func(o geometry.Opening) bool { return o.Number == number }) {
			return fmt.Errorf("there is a condition for opening %d, but the grid has %d openings and none of that number", number, len(grid.Openings))
		}
		if err := c.Validate(); err != nil {
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
	return slices.ContainsFunc(list, func(s openingState) bool { return s.condition.Kind != opening.MovingWall })
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
		if s.condition.Kind == opening.FlowShare {
			leaving += s.outflow
			shares += s.condition.Share
		}
		s.fast += (s.outflow - s.fast) * couplingInterval / fastSteps
		s.peak = max(s.peak, math.Abs(s.fast))
		s.smooth += (s.outflow - s.smooth) * couplingInterval / smoothSteps
		switch s.condition.Kind {
		case opening.Windkessel:
			s.drain(u)
		case opening.ImposedFlow:
			s.correct(FromFixed(areaDensity)/max(s.area, 1), crossing)
		}
	}
	if shares == 0 {
		return
	}
	var mean float64
	for i := range o.list {
		if s := &o.list[i]; s.condition.Kind == opening.FlowShare {
			want := leaving * s.condition.Share / shares
			s.base += s.impedance() * (s.smooth - want) * couplingInterval / shareSteps
			mean += s.base * s.condition.Share / shares
		}
	}
	// The pressures of all are known up to a constant only: their mean is zero.
	for i := range o.list {
		if s := &o.list[i]; s.condition.Kind == opening.FlowShare {
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
