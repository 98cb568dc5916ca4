package airflow

import (
	"fmt"
	"math"
	"slices"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// narrowPart is the part of the widest opening's area below which an opening is
	// narrow: how much of the flow leads there is hard to tell before. Where all left
	// through two ends of a sixteenth of the inlet, one of them took 88 %, and the
	// largest velocity was 1.84 times the planned one. It is a matter of the surface,
	// not of the spacing, so that a refined grid has the same ratio of time step to
	// spacing.
	narrowPart = 0.1
	// closedPart is the part of the flow that openings without a cell may have by
	// their size, and the flow is planned as if they were open, as they are on a finer
	// grid.
	closedPart = 0.2
	// fasterInside is how much faster air is in a narrow place than at any opening, where
	// that place sets the time step: its area is that of cells.
	fasterInside = 1.25
)

// expected is what can be said of the flow before it is computed.
type expected struct {
	meanInletVelocity float64 // m/s, 0 where only pressures are known
	peakVelocity      float64 // m/s
	openingVelocity   float64 // m/s, the largest at openings
	inletDiameter     float64 // m, of a circle of the inlets' area
	widestDiameter    float64 // m, of a circle of the widest opening's area
	narrowestDiameter float64 // m, of a circle of the narrowest opening's area that is known
	behindPressure    float64 // Pa, the largest that a Windkessel comes to at its flow
	inflow            float64 // m³/s, see Settings.Inflow
	// narrow is the place inside where the velocity is largest; nil where it is at an
	// opening.
	narrow *geometry.Narrow
}

// through is what is known of the flow through one opening.
type through struct {
	opening   *geometry.Opening
	condition opening.Condition
	// flow is what enters at factor one, low and high are its bounds over time,
	// in m³/s, where it is prescribed.
	prescribed      bool
	flow, low, high float64
}

// free tells whether the other openings decide how much flows here.
func (t *through) free() bool { return !t.prescribed && t.condition.Kind != opening.MovingWall }

// expect estimates the largest velocity from the conditions of all openings:
// twice the mean velocity (Poiseuille) through each, and twice that where it is
// narrow, and twice the mean through narrow places inside. Openings that prescribe no flow share what is left, by their shares or as
// the cube of their width (Murray 1926). Differences of pressure and moving walls may
// be faster.
func expect(grid *geometry.Grid, s *Settings) expected {
	list := s.throughOpenings(grid)
	var e expected
	planned := asOnFineGrids(grid, list)
	var widest, narrowest float64
	for i := range planned {
		widest = max(widest, planned[i].opening.Area)
		if area := list[i].opening.Area; area > 0 && (narrowest == 0 || area < narrowest) {
			narrowest = area
		}
	}
	e.widestDiameter, e.narrowestDiameter = 2*math.Sqrt(widest/math.Pi), 2*math.Sqrt(narrowest/math.Pi)
	flows := largestFlows(planned)
	for i, flow := range flows {
		o := planned[i].opening
		if o.Area <= 0 {
			continue
		}
		peak := 2 * flow / o.Area
		if o.Area < narrowPart*widest {
			peak *= 2
		}
		e.peakVelocity = max(e.peakVelocity, peak, list[i].wallSpeed())
		e.behindPressure = max(e.behindPressure, list[i].filled(s.shortestPeriod())*flow)
		for j := range i {
			e.peakVelocity = max(e.peakVelocity, s.driven(&list[i], &list[j]))
		}
	}
	e.openingVelocity = e.peakVelocity
	e.expectInside(grid, flows)
	e.inflow = s.meanInflow(list)
	flow, area := inletFlow(list)
	if area > 0 {
		e.meanInletVelocity = flow / area
		e.inletDiameter = 2 * math.Sqrt(area/math.Pi)
	}
	return e
}

// expectInside takes the narrow places of a grid into account, given the largest flows
// through its openings.
func (e *expected) expectInside(grid *geometry.Grid, flows []float64) {
	limit := fasterInside * e.peakVelocity
	for i := range grid.Narrow {
		n := &grid.Narrow[i]
		var sides [2]float64
		for j, flow := range flows {
			side := 0
			if slices.Contains(n.Behind, grid.Openings[j].Number) {
				side = 1
			}
			sides[side] += flow
		}
		if peak := 2 * min(sides[0], sides[1]) / n.Area; peak > max(limit, e.peakVelocity) {
			e.peakVelocity, e.narrow = peak, n
		}
	}
}

// throughOpenings says of each opening what is prescribed.
func (s *Settings) throughOpenings(grid *geometry.Grid) []through {
	var shared float64
	for i := range grid.Openings {
		o := &grid.Openings[i]
		if _, given := s.Conditions[o.Number]; !given && o.Role == geometry.Inlet {
			shared += o.Area
		}
	}
	// An opening that meets no cell stays closed.
	met := grid.Links.Meet(len(grid.Openings))
	list := make([]through, len(grid.Openings))
	for i := range list {
		o := &grid.Openings[i]
		if !met[i] {
			closed := *o
			closed.Area = 0
			list[i].opening = &closed
			continue
		}
		c, given := s.Conditions[o.Number]
		if !given && o.Role == geometry.Inlet && shared > 0 {
			c = opening.Condition{Kind: opening.ImposedFlow, Flow: s.FlowRate * o.Area / shared, Waveform: s.Waveform}
		}
		t := through{opening: o, condition: c, prescribed: c.Kind == opening.ImposedFlow}
		if t.prescribed {
			t.flow = c.Flow
			t.low, t.high = c.Bounds(c.Flow)
		}
		list[i] = t
	}
	return list
}

// asOnFineGrids counts openings without a cell as open where little flows there by
// their size, so that all spacings of a surface are planned alike.
func asOnFineGrids(grid *geometry.Grid, list []through) []through {
	open := slices.Clone(list)
	var closed, all float64
	for i := range open {
		if !open[i].free() {
			continue
		}
		o := &grid.Openings[i]
		if all += murray(o.Area); open[i].opening.Area == 0 {
			closed += murray(o.Area)
			open[i].opening = o
		}
	}
	if closed > closedPart*all {
		return list
	}
	return open
}

// murray is the flow that an area suggests, in units of its own: as the cube of the
// width.
func murray(area float64) float64 { return math.Pow(area, 1.5) }

// largestFlows is the largest flow through each opening at any time, either way.
func largestFlows(list []through) []float64 {
	var low, high, free, shared, shares float64
	for i := range list {
		t := &list[i]
		low, high = low+t.low, high+t.high
		if t.free() {
			free += murray(t.opening.Area)
		}
		if t.condition.Kind == opening.FlowShare {
			shared += murray(t.opening.Area)
			shares += t.condition.Share
		}
	}
	left := max(math.Abs(low), math.Abs(high))
	flows := make([]float64, len(list))
	for i := range list {
		switch t := &list[i]; {
		case t.prescribed:
			flows[i] = max(math.Abs(t.low), math.Abs(t.high))
		case t.condition.Kind == opening.FlowShare && shares > 0:
			flows[i] = left * shared / free * t.condition.Share / shares
		case t.free() && free > 0:
			flows[i] = left * murray(t.opening.Area) / free
		}
	}
	return flows
}

// wallSpeed is that of a moving wall, in m/s.
func (t *through) wallSpeed() float64 {
	if t.condition.Kind != opening.MovingWall {
		return 0
	}
	v := t.condition.Velocity
	low, high := t.condition.Bounds(r3.Norm(r3.Vec{X: v[0], Y: v[1], Z: v[2]}))
	return max(-low, high)
}

// driven bounds the velocity that the pressures of two openings drive: by
// Bernoulli, by Poiseuille in a straight tube as wide as the wider of both, and by
// what their resistances let through.
func (s *Settings) driven(a, b *through) float64 {
	if !a.pressed() || !b.pressed() {
		return 0
	}
	drop := opening.LargestDrop(&a.condition, &b.condition)
	if drop <= 0 {
		return 0
	}
	speed := math.Sqrt(2 * drop / s.Density)
	narrow, wide := min(a.opening.Area, b.opening.Area), max(a.opening.Area, b.opening.Area)
	if length := r3.Norm(r3.Sub(a.opening.Center, b.opening.Center)); length > 0 {
		speed = min(speed, drop*wide/math.Pi/(4*s.Density*s.KinematicViscosity*length))
	}
	if resistance := a.resistance() + b.resistance(); resistance > 0 && narrow > 0 {
		speed = min(speed, 2*drop/resistance/narrow)
	}
	return speed
}

// pressed tells whether the opening's condition is a pressure.
func (t *through) pressed() bool {
	return t.free() && t.condition.Kind != opening.FlowShare && t.opening.Area > 0
}

// resistance is what a Windkessel opposes to a sudden flow, in Pa·s/m³.
func (t *through) resistance() float64 {
	c := &t.condition
	if c.Kind != opening.Windkessel {
		return 0
	}
	if c.Compliance > 0 {
		return c.ProximalResistance
	}
	return c.ProximalResistance + c.DistalResistance
}

// filled is the pressure that a Windkessel comes to over a flow that lasts, or that
// changes within a period, in Pa·s/m³.
func (t *through) filled(period float64) float64 {
	c := &t.condition
	if c.Kind != opening.Windkessel || t.opening.Area <= 0 {
		return 0
	}
	resistance := c.DistalResistance
	if c.Compliance > 0 && !math.IsInf(period, 1) {
		resistance = min(resistance, period/math.Pi/c.Compliance) // what half a sine moves
	}
	return c.ProximalResistance + resistance
}

// storedFlow is the sum of the flows that are prescribed at all openings; 0 where they add
// up, or some openings are free or change theirs.
func (s *Settings) storedFlow(grid *geometry.Grid) float64 {
	const slight = 1e-3
	var sum, largest float64
	for _, t := range s.throughOpenings(grid) {
		switch {
		case t.opening.Area <= 0:
		case t.free() || t.condition.Waveform != nil:
			return 0
		default:
			sum, largest = sum+t.flow, max(largest, math.Abs(t.flow))
		}
	}
	if math.Abs(sum) <= slight*largest {
		return 0
	}
	return sum
}

// stored warns of flows that are prescribed at all openings and do not add up.
func (s *Settings) stored(grid *geometry.Grid) (warnings []string) {
	sum := s.storedFlow(grid)
	if sum == 0 {
		return nil
	}
	change := "enters than leaves, so the pressure rises"
	if sum < 0 {
		change = "leaves than enters, so the pressure falls"
	}
	return []string{fmt.Sprintf("all open openings prescribe their flow, and %s more %s without end: impose a pressure at one of them, or flows that add up to zero",
		quantity.FormatFlow(math.Abs(sum)), change)}
}

// Inflow is what enters through all openings together, in m³/s, in the mean over the
// period of waveforms and where they are one without a period, as far as the conditions
// say: 0 where there are pressures alone.
func (s *Settings) Inflow(grid *geometry.Grid) float64 {
	return s.meanInflow(s.throughOpenings(grid))
}

// meanInflow is that of openings. What is prescribed to leave enters elsewhere.
func (s *Settings) meanInflow(list []through) float64 {
	const moments = 1000
	period := s.Period()
	if !(period > 0) {
		flow, _ := inletFlow(list)
		return flow
	}
	var sum float64
	for k := range moments {
		var in, out float64
		for i := range list {
			flow := list[i].flow
			if w := list[i].condition.Waveform; w != nil {
				flow *= w.Factor((float64(k) + 0.5) / moments * period)
			}
			in, out = in+max(0, flow), out+max(0, -flow)
		}
		sum += max(in, out)
	}
	return sum / moments
}

// WaveformsEnd is when the last of the waveforms ends that do not repeat themselves and
// of which that is known, in seconds; 0 where there are none.
func (s *Settings) WaveformsEnd() float64 {
	end := waveformEnd(s.Waveform)
	for _, c := range s.Conditions {
		end = max(end, waveformEnd(c.Waveform))
	}
	return end
}

// waveformEnd is when a table ends.
func waveformEnd(w opening.Waveform) float64 {
	table, ok := w.(*opening.Table)
	if !ok || table.Periodic || len(table.Times) == 0 {
		return 0
	}
	return table.Times[len(table.Times)-1]
}

// rises tells whether anything rises in the start.
func (s *Settings) rises(grid *geometry.Grid) bool {
	return slices.ContainsFunc(s.throughOpenings(grid), func(t through) bool { return t.rises() })
}

// rises tells whether what an opening prescribes rises in the start: what has no waveform.
func (t *through) rises() bool {
	c := &t.condition
	if c.Waveform != nil || t.opening.Area <= 0 {
		return false
	}
	switch c.Kind {
	case opening.ImposedFlow:
		return c.Flow != 0
	case opening.ImposedPressure:
		return c.Pressure != 0
	}
	return c.Kind == opening.MovingWall
}

// inletFlow is the flow at factor one through the inlets, with their area: what
// is prescribed there or, where that is a pressure, what the other openings
// prescribe.
func inletFlow(list []through) (flow, area float64) {
	var left, inlets, free float64
	for i := range list {
		t := &list[i]
		left += t.flow
		entrance := t.opening.Role == geometry.Inlet
		if t.flow > 0 || t.flow < 0 && entrance {
			flow += math.Abs(t.flow)
			area += t.opening.Area
		}
		if t.free() {
			free += t.opening.Area
			if entrance {
				inlets += t.opening.Area
			}
		}
	}
	if flow > 0 {
		return flow, area
	}
	if inlets == 0 {
		inlets = free
	}
	return math.Abs(left), inlets
}

// cellReynolds is u·Δx/ν with the largest expected velocity.
func (e *expected) cellReynolds(spacing float64, s *Settings) float64 {
	return e.peakVelocity * spacing / s.KinematicViscosity
}

// peakReynolds is the Reynolds number of the fastest air across the widest opening, twice
// that of developed flow's mean.
func (e *expected) peakReynolds(s *Settings) float64 {
	return e.peakVelocity * e.widestDiameter / s.KinematicViscosity
}

// reynolds is the Reynolds number at the inlets, of the flow expected or, where
// only pressures are known, of the one measured.
func (e *expected) reynolds(openings []OpeningSummary, viscosity float64) float64 {
	if e.meanInletVelocity != 0 {
		return e.meanInletVelocity * e.inletDiameter / viscosity
	}
	var flow, area float64
	for _, o := range openings {
		if o.Flow > 0 {
			flow += o.Flow
			area += o.Area
		}
	}
	if area == 0 {
		return 0
	}
	return flow / area * 2 * math.Sqrt(area/math.Pi) / viscosity
}
