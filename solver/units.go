package solver

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver/lattice"
)

// Limits of what is stable and accurate, for choosing the time step and for
// warnings.
const (
	// smallestRelaxationTime is where TRT and BGK begin to be unstable in
	// under-resolved flow.
	smallestRelaxationTime = 0.505
	// largestRelaxationTime keeps the error of the walls and of time small.
	largestRelaxationTime = 1.0
	// largestMach keeps compressibility errors (of order Ma²) below 10 %.
	largestMach = 0.3
	// gridReynolds is the cell Reynolds number u·Δx/ν above which BGK and
	// TRT tend to become unstable.
	gridReynolds = 20
	// wantedCrossings is how often sound crosses the domain in a period of the
	// waveform, where the time step is chosen: air that is stored and given back
	// makes what enters and what leaves differ, with the square of its inverse.
	// In the central airway, breathing 1 L/min in 2 s, they differ by 15 % of the
	// amplitude with 23 crossings and by 2 % with 60. With fewer than
	// fewestCrossings a warning is due.
	wantedCrossings = 60
	fewestCrossings = 30
)

// Units convert between SI and lattice units. Lattice density is measured
// from and relative to the reference density.
type Units struct {
	// Spacing is Δx in metres, TimeStep Δt in seconds, Density ρ₀ in kg/m³.
	Spacing, TimeStep, Density float64
	// KinematicViscosity is in m²/s.
	KinematicViscosity float64
}

// RelaxationTime is τ₊, in steps.
func (u Units) RelaxationTime() float64 {
	return u.KinematicViscosity*u.TimeStep/(u.Spacing*u.Spacing)/lattice.SoundSpeedSquared + 0.5
}

// Velocity is one cell per step, in m/s.
func (u Units) Velocity() float64 { return u.Spacing / u.TimeStep }

// FlowRate is one cell volume per step, in m³/s.
func (u Units) FlowRate() float64 { return u.Spacing * u.Spacing * u.Spacing / u.TimeStep }

// Pressure is the pressure that belongs to a relative density of one, in Pa.
func (u Units) Pressure() float64 {
	v := u.Velocity()
	return u.Density * lattice.SoundSpeedSquared * v * v
}

// Acceleration is one cell per step squared, in m/s².
func (u Units) Acceleration() float64 { return u.Spacing / (u.TimeStep * u.TimeStep) }

// Force is the force that changes the momentum of one cell of reference
// density by one cell per step in one step, in N.
func (u Units) Force() float64 {
	return u.Density * u.Spacing * u.Spacing * u.Spacing * u.Acceleration()
}

// Mach is the Mach number of a velocity given in cells per step.
func Mach(latticeVelocity float64) float64 {
	return latticeVelocity / math.Sqrt(lattice.SoundSpeedSquared)
}

// expected is what can be said of the flow before it is computed.
type expected struct {
	meanInletVelocity float64 // m/s
	peakVelocity      float64 // m/s
	inletDiameter     float64 // m, of a circle of the inlet's area
}

// expect estimates velocities from the areas of the openings and the flow
// prescribed: the peak is twice the mean (Poiseuille) through the smaller of
// all openings with prescribed flow and all others.
func expect(grid *geometry.Grid, s *Settings) expected {
	var inlets, outlets, flow float64
	for _, o := range grid.Openings {
		c, given := s.Conditions[o.Number]
		switch {
		case given && c.Kind == ImposedFlow:
			flow += max(0, c.Flow)
			inlets += o.Area
		case !given && o.Role == geometry.Inlet:
			flow = max(flow, math.Abs(s.FlowRate))
			inlets += o.Area
		default:
			outlets += o.Area
		}
	}
	var e expected
	if inlets > 0 {
		narrow := inlets
		if outlets > 0 {
			narrow = min(narrow, outlets)
		}
		e.meanInletVelocity = flow / inlets
		e.peakVelocity = 2 * flow / narrow
		e.inletDiameter = 2 * math.Sqrt(inlets/math.Pi)
	}
	return e
}

// chooseUnits fixes the time step and returns warnings about what will not be
// stable or accurate.
func chooseUnits(grid *geometry.Grid, s *Settings, e expected) (Units, []string, error) {
	u := Units{Spacing: grid.Spacing, TimeStep: s.TimeStep, Density: s.Density, KinematicViscosity: s.KinematicViscosity}
	dx := grid.Spacing
	if u.TimeStep == 0 {
		atTau := func(tau float64) float64 {
			return lattice.SoundSpeedSquared * (tau - 0.5) * dx * dx / s.KinematicViscosity
		}
		u.TimeStep = atTau(largestRelaxationTime)
		if e.peakVelocity > 0 {
			u.TimeStep = min(u.TimeStep, s.latticeVelocity(e.cellReynolds(dx, s))*dx/e.peakVelocity)
		}
		if s.LatticeVelocity == 0 {
			u.TimeStep = min(u.TimeStep, s.shortestPeriod()/(wantedCrossings*soundCrossing(grid)))
		}
	}
	var warnings []string
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	peak := e.peakVelocity / u.Velocity()
	tau := u.RelaxationTime()
	if ma := Mach(peak); ma > largestMach {
		warn("the flow is fast for this time step: Mach number %.3g (should be below %.2g), relaxation time %.4f; "+
			"reduce the time step below %s", ma, largestMach, tau, quantity.Format(u.TimeStep*largestMach/ma, "s"))
	}
	stable := s.operator(tau) == Regularized || s.operator(tau) == Recursive || s.operator(tau) == Cumulant
	if tau < smallestRelaxationTime && !stable {
		warn("the relaxation time %.5f is below %.3f (Mach number %.3g), so the computation may become unstable; "+
			"refine the spacing or choose the recursive or cumulant collision", tau, smallestRelaxationTime, Mach(peak))
	}
	if odd := s.Magic / (tau - 0.5); s.operator(tau) == TRT && odd > largestOddTime {
		warn("TRT with Λ = %.3g is unstable at the relaxation time %.4f (Mach number %.3g): choose the recursive or cumulant collision, "+
			"Λ below %.3g, or a finer spacing", s.Magic, tau, Mach(peak), largestOddTime*(tau-0.5))
	}
	if tau > 2*largestRelaxationTime {
		warn("the relaxation time %.3f is above %.1f, so walls and time are inaccurate; reduce the time step below %s",
			tau, 2*largestRelaxationTime, quantity.Format(u.TimeStep/(2*tau-1), "s"))
	}
	if crossings := s.shortestPeriod() / (u.TimeStep * soundCrossing(grid)); crossings < fewestCrossings {
		warn("sound crosses the domain only %.3g times in a period of the waveform (should be above %d), so what enters and what leaves will differ: "+
			"reduce the time step below %s", crossings, fewestCrossings, quantity.Format(u.TimeStep*crossings/fewestCrossings, "s"))
	}
	if re := e.cellReynolds(dx, s); re > gridReynolds {
		warn("the flow is coarse for its speed, so what is smaller than a cell is lost: cell Reynolds number %.3g (should be below %d), "+
			"Mach number %.3g, relaxation time %.4f; %s, and should it diverge, halve the lattice velocity of %.2g",
			re, gridReynolds, Mach(peak), tau, refinement(grid, dx*gridReynolds/re), peak)
	}
	return u, warnings, u.usable(e)
}

// refinement advises a spacing, or says that it is out of reach.
func refinement(grid *geometry.Grid, spacing float64) string {
	const reachable = 1e10 // cells
	finer := grid.Spacing / spacing
	if cells := float64(grid.Cells()) * finer * finer * finer; cells > reachable {
		return fmt.Sprintf("to resolve it all would take a spacing of %s (%.1g cells), so refine as far as you can and compare two spacings",
			quantity.FormatLength(spacing), cells)
	}
	return fmt.Sprintf("refine the spacing below %s", quantity.FormatLength(spacing))
}

// soundCrossing is the number of steps in which sound crosses a grid.
func soundCrossing(grid *geometry.Grid) float64 {
	return Mach(float64(max(grid.Size[0], grid.Size[1], grid.Size[2])))
}

// cellReynolds is u·Δx/ν with the largest expected velocity.
func (e *expected) cellReynolds(spacing float64, s *Settings) float64 {
	return e.peakVelocity * spacing / s.KinematicViscosity
}

// Lattice velocities that are chosen. Jets of coarse grids overshoot the
// expected velocity: airways at 15 L/min on 10⁵ cells diverge with 0.1 and do
// not with 0.05.
const (
	usualLatticeVelocity  = 0.1
	coarseLatticeVelocity = 0.05
)

// latticeVelocity is the one given, or chosen by the cell Reynolds number.
func (s *Settings) latticeVelocity(cellReynolds float64) float64 {
	switch {
	case s.LatticeVelocity > 0:
		return s.LatticeVelocity
	case cellReynolds > gridReynolds:
		return coarseLatticeVelocity
	}
	return usualLatticeVelocity
}

// usable says what is wrong with units in which nothing can be computed.
func (u Units) usable(e expected) error {
	// Far beyond what warnings are for.
	const absurdVelocity, absurdTime, absurdStep = 1e6, 1e6, 1e-30
	peak, tau := e.peakVelocity/u.Velocity(), u.RelaxationTime()
	if u.TimeStep > absurdStep && peak <= absurdVelocity && tau > 0.5 && tau <= absurdTime {
		return nil
	}
	return fmt.Errorf("nothing can be computed with a time step of %.3g s: the flow would move %.3g cells in a step and the relaxation time be %.6g; "+
		"change the flow, the viscosity, the spacing or the time step", u.TimeStep, peak, tau)
}
