package opening

import (
	"math"
	"slices"
)

// Constants of the coupling between openings and the flow through them.
const (
	// CouplingInterval is how many steps pass between measurements of the
	// flow. Sound needs many times longer through any opening's tube.
	CouplingInterval = 10
	// fastSteps is the time over which the flow is smoothed that a pressure
	// opening answers. An answer to every change at once would only
	// answer its own echo.
	fastSteps = 40
	// smoothSteps is the time over which the flow is smoothed that is compared with a
	// share, and that into a Windkessel in the first startSteps.
	smoothSteps = 100
	startSteps  = 10 * smoothSteps
	// shareSteps is the time in which a pressure opening corrects its share.
	shareSteps = 1000
)

// impedance is Z = c_s/A (density one): the pressure, as a density, that goes
// with a flow in a travelling wave is 3 c_s q/A.
func (s *State) impedance() float64 { return math.Sqrt(3) / max(s.Area, 1) }

// closed tells whether an opening meets no cell: no condition acts there, and none is
// to follow what does not flow.
func (s *State) closed() bool { return s.Area == 0 }

// shares tells whether an opening is one of those that share the flow.
func (s *State) shares() bool { return s.condition.Kind == FlowShare && !s.closed() }

// smoothingSteps is the time over which the flow is smoothed, after so many steps. A
// Windkessel answers a change of the flow with a pressure that takes back the resistance
// over the impedance times as much at once: where that is much, slower, or the answers
// would grow. Not slower than that, once what lies behind it is felt: its compliance and the
// inertia of the air swing, and an answer that comes late drives them.
func (s *State) smoothingSteps(u *Units, time float64) float64 {
	least := float64(smoothSteps)
	if s.condition.Kind != Windkessel {
		return least
	}
	if time > startSteps {
		least = 0
	}
	return max(least, CouplingInterval*(1+s.condition.resistance(CouplingInterval*u.TimeStep)*u.FlowRate/u.Pressure/s.impedance()))
}

// resistance is how a Windkessel's pressure answers a sudden flow within a time in
// seconds, in which a small compliance fills.
func (c *Condition) resistance(time float64) float64 {
	switch {
	case c.Compliance == 0:
		return c.ProximalResistance + c.DistalResistance
	case c.DistalResistance == 0:
		return c.ProximalResistance + time/c.Compliance
	}
	return c.ProximalResistance + 1/(1/c.DistalResistance+c.Compliance/time)
}

// startFlow is what would hold a Windkessel's pressure at zero in the first interval of
// a length in seconds. It starts as with that, from which it is smoothed to what flows,
// or what lies behind it would be felt at once.
func (c *Condition) startFlow(time float64) float64 {
	resistance := c.resistance(time)
	if c.Pressure == 0 || resistance == 0 || c.Compliance > 0 && c.DistalResistance == 0 {
		return 0
	}
	return -c.Pressure / (1 + c.Compliance*c.DistalResistance/time) / resistance
}

// Coupled tells whether any opening reacts to the flow.
func (s *States) Coupled() bool {
	return slices.ContainsFunc(s.List, func(o State) bool { return o.condition.Kind != MovingWall })
}

// Couple takes over what was measured at the openings in the last step, for
// each what leaves (cell volumes per step) and the sum of weights times density.
func (s *States) Couple(measured func(i int) (outflow, weighted float64)) {
	var leaving, shares, weighted float64
	for i := range s.List {
		o := &s.List[i]
		if o.closed() {
			continue
		}
		o.outflow, weighted = measured(i)
		if o.shares() {
			leaving += o.outflow
			shares += o.condition.Share
		}
		o.fast += (o.outflow - o.fast) * CouplingInterval / fastSteps
		o.peak = max(o.peak, math.Abs(o.fast))
		o.smooth += (o.outflow - o.smooth) * CouplingInterval / o.smoothingSteps(&s.units, s.time)
		switch o.condition.Kind {
		case Windkessel:
			o.drain(&s.units)
		case ImposedFlow:
			o.correct(weighted/o.Weight, s.crossing)
		}
	}
	if shares == 0 {
		return
	}
	var mean float64
	for i := range s.List {
		if o := &s.List[i]; o.shares() {
			target := leaving * o.condition.Share / shares
			o.base += o.impedance() * (o.smooth - target) * CouplingInterval / shareSteps
			mean += o.base * o.condition.Share / shares
		}
	}
	// The pressures of all are known up to a constant only: their mean is zero.
	for i := range s.List {
		if o := &s.List[i]; o.shares() {
			o.base -= mean
		}
	}
}

// drain advances a Windkessel by one coupling interval, implicitly:
// C dp/dt = Q − (p − p_out)/R_distal, and p_opening = p + R_proximal·Q.
func (s *State) drain(u *Units) {
	c := &s.condition
	flow := s.smooth * u.FlowRate
	behind := c.Pressure
	dt := CouplingInterval * u.TimeStep
	pressure := behind + c.DistalResistance*flow
	if c.Compliance > 0 && c.DistalResistance > 0 {
		stored := s.stored * u.Pressure
		drain := dt / (c.Compliance * c.DistalResistance)
		pressure = (stored + dt/c.Compliance*flow + drain*behind) / (1 + drain)
	} else if c.Compliance > 0 {
		pressure = s.stored*u.Pressure + dt/c.Compliance*flow
	}
	s.stored = pressure / u.Pressure
	s.base = s.stored + c.ProximalResistance*flow/u.Pressure
}
