package opening

import "math"

// controller is the flow controller of an opening with a prescribed flow where air
// leaves. Where air
// enters, the velocity is imposed link by link. Where it leaves, that is
// unstable: the flow brings a profile of its own, jets and swirls, which a
// prescribed one sends back. So only the flow is imposed then, and what shape
// it has is left to it: the opening has one pressure, and that is the one at
// which as much leaves as shall. It is the multiplier of the flow's condition
// in Formaggia, Gerbeau, Nobile and Quarteroni (2002, SIAM J. Numer. Anal. 40,
// "Numerical treatment of defective boundary conditions for the Navier–Stokes
// equations"), found here by a controller,
//
//	ρ = ρ₀ + 2Z(q−q₀),  dρ₀/dt = Z(q−q₀)/T + θ,  dθ/dt = Z(q−q₀)/(T·T_x)
//
// with what leaves q, what shall q₀, the opening's impedance Z, T = controlSteps
// and T_x the time in which sound crosses the domain. Up to θ it acts as a
// resistance and a spring, which can only take up energy; θ follows pressures
// that change steadily.
type controller struct {
	// on tells whether the flow is controlled at present.
	on bool
	// target is the flow that shall leave, in cell volumes per step, excess how
	// much more does, smoothed.
	target, excess float64
	// mean is the density measured last, trend θ.
	mean, trend float64
}

// Constants of the controller.
const (
	// controlGain is the resistance in impedances.
	controlGain = 2
	// controlSteps is T. In the central airway of 3·10⁴ cells, breathing with 5300
	// steps a cycle, the flow is wrong by up to 0.9 % of its amplitude, and with
	// 20 steps by up to 1.5 %, both where inspiration ends with a kink.
	controlSteps = 10
	// trendSteps is the time over which the trend of the density is measured
	// while air enters.
	trendSteps = 100
)

// control begins or ends the control, given what shall leave and the number of
// steps since the last measurement. It begins where the density is.
func (s *State) control(target, age float64) {
	c := &s.controller
	if target > 0 && !c.on {
		s.base, c.excess = c.mean+age*c.trend, 0
	}
	c.target, c.on = target, target > 0
}

// correct moves the density of an opening with prescribed flow towards the one
// at which the flow is as prescribed, given the mean density measured, or
// follows what it is.
func (s *State) correct(mean, crossing float64) {
	c := &s.controller
	if c.on {
		error := s.outflow - c.target
		push := s.impedance() * error * CouplingInterval / controlSteps
		c.excess += (error - c.excess) * CouplingInterval / fastSteps
		c.trend += push / max(crossing, controlSteps)
		s.base += push + c.trend*CouplingInterval
	} else {
		c.trend += ((mean-c.mean)/CouplingInterval - c.trend) * CouplingInterval / trendSteps
	}
	c.mean = mean
}

// controlled is the density that an opening imposes while its flow is controlled.
func (s *State) controlled() float64 {
	return s.base + controlGain*s.impedance()*s.controller.excess
}

// sinceCoupling is the number of steps between the last measurement of the
// flow and the step that ends at a time, in steps.
func sinceCoupling(time float64) float64 { return math.Mod(time-1, CouplingInterval) + 1 }
