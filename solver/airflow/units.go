package airflow

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/lattice"
)

// Limits of what is stable and accurate, for choosing the time step and for
// warnings.
const (
	// smallestRelaxationTime is where BGK, and TRT with a short memory, begin to be
	// unstable in under-resolved flow.
	smallestRelaxationTime = 0.505
	// largestRelaxationTime keeps the error of the walls and of time small.
	largestRelaxationTime = 1.0
	// largestMach keeps compressibility errors (of order Ma²) below 10 %.
	largestMach = 0.3
	// mostCompressed is by how much the pressure of Windkessels may compress the air of a
	// time step, of which the sound is slow.
	mostCompressed = 0.1
	// resolvedReynolds is the cell Reynolds number u·Δx/ν above which a flow is
	// coarse: there the limiter begins to act where the velocity changes by its
	// peak from one cell to the next. In the central airway at 60 L/min, where it is 369
	// on 10⁶ cells, the pressure drop is 17 % too high, while the outlets' shares are within
	// 2 points.
	resolvedReynolds = 100
	// mismatchAtOne is by how much inflow and outflow differ, relative to their
	// amplitude, over the square of how often sound crosses the domain in a period:
	// lumens store air and give it back. In an airway it was 157 and 162, with 56 and
	// 126 crossings; the rest is for other lumens.
	mismatchAtOne = 180
	// mismatchAtBend is that after a sudden change of the waveform's slope, over the
	// change in the time in which sound crosses the domain. In a pipe it was 1.41, with 60,
	// 134 and 300 crossings of the shortest period.
	mismatchAtBend = 1.4
	// overshootAtOne is by how much the outflow overshoots after a start, over the
	// square of how often sound crosses the domain meanwhile; rampOvershoot is what
	// may overshoot, over the wanted mismatch, since it dies away.
	overshootAtOne = 10
	rampOvershoot  = 2.5
	// usualMismatch is the wanted mismatch where none is given.
	usualMismatch = 0.01
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

// chooseUnits fixes the time step and returns warnings about what will not be
// stable or accurate.
func chooseUnits(domain *solver.Domain, s *Settings, e expected) (Units, []string, error) {
	grid := domain.Grid
	u := Units{Spacing: grid.Spacing, TimeStep: s.TimeStep, Density: s.Density, KinematicViscosity: s.KinematicViscosity}
	dx := grid.Spacing
	if u.TimeStep == 0 {
		u.TimeStep = u.chooseTimeStep(grid, s, &e)
	}
	var warnings []string
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	const slightlyMore = 1.01 // than rounding makes of a time step that was chosen
	peak := e.peakVelocity / u.Velocity()
	tau := u.RelaxationTime()
	if ma := Mach(peak); ma > largestMach {
		warn("the flow is fast for this time step: Mach number %.3g (should be below %.2g), relaxation time %.4f; "+
			"reduce the time step below %s", ma, largestMach, tau, quantity.Format(u.TimeStep*largestMach/ma, "s"))
	}
	if words := s.unstable(tau, e.cellReynolds(dx, s)); words != "" {
		warn("%s (relaxation time %.5f, Mach number %.3g), so the computation may diverge: leave the collision to auto, or choose the recursive or cumulant one",
			words, tau, Mach(peak))
	}
	if tau > 2*largestRelaxationTime {
		warn("the relaxation time %.3f is above %.1f, so walls and time are inaccurate; reduce the time step below %s",
			tau, 2*largestRelaxationTime, quantity.Format(u.TimeStep/(2*tau-1), "s"))
	}
	crossings := s.shortestPeriod() / (u.TimeStep * soundCrossing(grid))
	bent := mismatchAtBend * s.sharpestBend() * u.TimeStep * soundCrossing(grid)
	if mismatch := max(mismatchAtOne/(crossings*crossings), bent); mismatch > slightlyMore*s.mismatch() {
		step := u.TimeStep * min(crossings/s.wantedCrossings(), s.mismatch()/bent)
		warn("sound crosses the domain only %.3g times in a period of the waveform, so what enters and what leaves will differ by about %s, where at most %s are wanted: "+
			"reduce the time step below %s", crossings, quantity.FormatPercent(min(mismatch, 1)), quantity.FormatPercent(s.mismatch()), quantity.Format(step, "s"))
	}
	if compressed := u.compressed(e.behindPressure); compressed > slightlyMore*mostCompressed {
		warn("the Windkessels come to %s, which compresses the air by %s in steps as long as these, so the flow may swing or diverge: reduce the time step below %s",
			quantity.Format(e.behindPressure, "Pa"), quantity.FormatPercent(compressed), quantity.Format(u.TimeStep*math.Sqrt(mostCompressed/compressed), "s"))
	}
	if re := e.cellReynolds(dx, s); re > resolvedReynolds {
		warn("the grid is coarse for this flow (cell Reynolds number %s, should be below %d): what is smaller than a cell is lost, "+
			"so %s, while the shares of the openings are right sooner; %s",
			quantity.FormatDigits(re, 3), resolvedReynolds, e.coarseWords(re, dx), refinement(domain, dx*resolvedReynolds/re))
	}
	return u, warnings, u.usable(e)
}

// chooseTimeStep is the longest time step that is accurate and lets the flow be what is
// wanted of it.
func (u Units) chooseTimeStep(grid *geometry.Grid, s *Settings, e *expected) float64 {
	u.TimeStep = lattice.SoundSpeedSquared * (largestRelaxationTime - 0.5) * u.Spacing * u.Spacing / s.KinematicViscosity
	if e.peakVelocity > 0 {
		u.TimeStep = min(u.TimeStep, s.latticeVelocity()*u.Spacing/e.peakVelocity)
	}
	if s.LatticeVelocity > 0 {
		return u.TimeStep
	}
	u.TimeStep = min(u.TimeStep, s.shortestPeriod()/(s.wantedCrossings()*soundCrossing(grid)),
		s.mismatch()/(mismatchAtBend*s.sharpestBend()*soundCrossing(grid)))
	const shortest = 0.1 // of what the flow alone would take
	return u.TimeStep * min(1, max(shortest, math.Sqrt(mostCompressed/u.compressed(e.behindPressure))))
}

// compressed is by how much a pressure compresses the air on the lattice.
func (u Units) compressed(pressure float64) float64 {
	return pressure / u.Density / (lattice.SoundSpeedSquared * u.Velocity() * u.Velocity())
}

// coarseWords says what coarse cells do: where no flow is prescribed, what drives the air
// stays and flows are wrong.
func (e *expected) coarseWords(cellReynolds, spacing float64) string {
	if e.meanInletVelocity == 0 {
		return "flows may be too low for what drives them"
	}
	return "pressure drops may be " + e.tooHigh(cellReynolds, spacing)
}

// tooHigh says by how much pressure drops may be too high, as they were in an airway, or by
// more, where an opening has hardly any cells across.
func (e *expected) tooHigh(cellReynolds, spacing float64) string {
	const far = 1
	if !(e.inletDiameter > 0) {
		return "too high"
	}
	part := coarseness(cellReynolds, e.inletDiameter/spacing)
	if part > far {
		return "far too high"
	}
	words := fmt.Sprintf("some %s too high (by what they were in an airway)", quantity.FormatPart(part, 2))
	if e.narrowestDiameter < hardlyAcross*spacing {
		words += ", or more with so few cells across the narrowest opening"
	}
	return words
}

// Foreseen is what can be said of a flow on a grid before it is computed.
type Foreseen struct {
	// TimeStep is in seconds, and so is Start, see Outlook.
	TimeStep, Start float64
	// PressureDrops says how far those may be off for what cells do not resolve; empty
	// where they resolve the flow.
	PressureDrops string
}

// Foresee plans a flow on a grid.
func Foresee(g *geometry.Grid, s Settings) (Foreseen, error) {
	e := expect(g, &s)
	u, _, err := chooseUnits(solver.WholeDomain(g), &s, e)
	f := Foreseen{TimeStep: u.TimeStep}
	if s.rises(g) {
		f.Start = s.rampSteps(g, u.TimeStep) * u.TimeStep
	}
	if re := e.cellReynolds(g.Spacing, &s); re > resolvedReynolds {
		f.PressureDrops = e.tooHigh(re, g.Spacing)
	}
	return f, err
}

// unstable says why an operator that was asked for may not carry the flow; empty
// where it may, and for what auto chooses.
func (s *Settings) unstable(tau, cellReynolds float64) string {
	operator, odd := s.operator(tau, cellReynolds), s.Magic/(tau-0.5)
	unlimited := operator == Regularized || operator == Recursive && s.Limiter == 0
	switch {
	case s.Collision == Automatic && s.Limiter > 0:
		return ""
	case operator == TRT && odd > largestTauMinus && !s.slow(cellReynolds):
		return fmt.Sprintf("TRT with Λ = %.3g, the product of what its two relaxation times are above one half, is unstable at this relaxation time and a cell Reynolds number of %.3g (below %.2g, or with Λ below %.3g, it is less so)",
			s.Magic, cellReynolds, largestTRTReynolds, largestTauMinus*(tau-0.5))
	case (operator == TRT && !s.slow(cellReynolds) || operator == BGK) && tau < smallestRelaxationTime:
		return fmt.Sprintf("the relaxation time is below the %.3f that %s needs", smallestRelaxationTime, strings.ToUpper(string(operator)))
	case unlimited && s.Smagorinsky == 0 && cellReynolds > resolvedReynolds:
		return fmt.Sprintf("at a cell Reynolds number of %.3g the %s collision has nothing that limits what is smaller than a cell", cellReynolds, operator)
	}
	return ""
}

// warnings adds to those of the plan what the flow has shown, given its largest
// velocity in cells per step.
func (u Units) warnings(planned []string, peak float64) []string {
	ma := Mach(peak)
	if ma <= largestMach {
		return planned
	}
	return append(slices.Clone(planned), fmt.Sprintf("the air reached Mach number %.3g (should be below %.2g), so it was compressed and pressures are inaccurate: "+
		"give a time step below %s", ma, largestMach, quantity.Format(u.TimeStep*largestMach/ma, "s")))
}

// refinement advises a spacing, or says that it is out of reach.
func refinement(domain *solver.Domain, spacing float64) string {
	const reachable = 1e10 // cells
	finer := domain.Grid.Spacing / spacing
	if cells := float64(domain.CellCount()) * finer * finer * finer; cells > reachable {
		return fmt.Sprintf("to resolve it all would take a spacing of %s (%.1g cells), so refine as far as you can and compare two spacings",
			quantity.FormatLength(spacing), cells)
	}
	return fmt.Sprintf("refine the spacing below %s, or compare two spacings", quantity.FormatLength(spacing))
}

// mismatch is the wanted one of inflow and outflow.
func (s *Settings) mismatch() float64 {
	if s.Mismatch > 0 {
		return s.Mismatch
	}
	return usualMismatch
}

// wantedCrossings is how often sound crosses the domain in a period, so that inflow
// and outflow hardly differ.
func (s *Settings) wantedCrossings() float64 { return math.Sqrt(mismatchAtOne / s.mismatch()) }

// rampCrossings is how often sound crosses the domain while the flow starts.
func (s *Settings) rampCrossings() float64 {
	return math.Sqrt(overshootAtOne / (rampOvershoot * s.mismatch()))
}

// rampSteps is the start-up time in steps, given one in seconds.
func (s *Settings) rampSteps(grid *geometry.Grid, timeStep float64) float64 {
	if s.RampTime != 0 {
		return max(0, s.RampTime/timeStep)
	}
	return s.rampCrossings() * soundCrossing(grid)
}

// soundCrossing is the number of steps in which sound crosses a grid.
func soundCrossing(grid *geometry.Grid) float64 {
	return Mach(float64(max(grid.Size[0], grid.Size[1], grid.Size[2])))
}

// usualLatticeVelocity is what is chosen, on coarse grids as well: a smaller one
// lowers the viscosity in lattice units, and with it what damps the smallest waves.
const usualLatticeVelocity = 0.1

// latticeVelocity is the one given, or the usual one.
func (s *Settings) latticeVelocity() float64 {
	if s.LatticeVelocity > 0 {
		return s.LatticeVelocity
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
