package airflow

import (
	"maps"
	"math"
	"slices"

	"carina/geometry"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

// ambient is the part of the pressures at the openings that all have in common: a
// pressure in Pa times a waveform, nil for one. The flow does not depend on it, but
// air at rest under another pressure would first have to be compressed.
type ambient struct {
	pressure float64
	waveform opening.Waveform
}

// ambient is what the pressures have in common. Those of one opening, or those that
// follow one waveform at all openings, follow it together; if others change, what all
// have in common at all times is constant. It is the one nearest to zero where all have
// one sign.
func (s *Settings) ambient(openings []geometry.Opening, voxelized []float64) ambient {
	list := s.pressures(openings, voxelized)
	if len(list) == 0 {
		return ambient{}
	}
	common := ambient{waveform: list[0].PressureWaveform()}
	bounds := func(c *opening.Condition) (low, high float64) { return c.Pressure, c.Pressure }
	if slices.ContainsFunc(list[1:], func(c opening.Condition) bool { return !opening.Alike(c.PressureWaveform(), common.waveform) }) {
		common.waveform, bounds = nil, (*opening.Condition).PressureBounds
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range list {
		least, largest := bounds(&list[i])
		low, high = min(low, least), max(high, largest)
	}
	if common.pressure = min(0, high); low > 0 {
		common.pressure = low
	}
	return common
}

// pressures are the conditions of all openings that impose one; none where there are
// shares, since their mean is zero. Openings without an area as voxelized are closed.
func (s *Settings) pressures(openings []geometry.Opening, voxelized []float64) (list []opening.Condition) {
	for i := range openings {
		c, given := s.Conditions[openings[i].Number]
		switch {
		case voxelized[i] == 0 || !given && openings[i].Role == geometry.Inlet:
		case c.Kind == opening.FlowShare:
			return nil
		case c.ImposesPressure():
			list = append(list, c)
		}
	}
	return list
}

// at is the pressure at a time in seconds.
func (a *ambient) at(time float64) float64 {
	if a.pressure == 0 || a.waveform == nil {
		return a.pressure
	}
	return a.pressure * a.waveform.Factor(time)
}

// relateTo makes pressures those above an ambient one.
func (s *Settings) relateTo(a ambient) {
	if a.pressure == 0 {
		return
	}
	s.Conditions = maps.Clone(s.Conditions)
	for number, c := range s.Conditions {
		s.Conditions[number] = a.under(c)
	}
	if initial := s.Initial; initial != nil {
		s.Initial = func(position r3.Vec) (float64, r3.Vec) {
			pressure, velocity := initial(position)
			return pressure - a.at(0), velocity
		}
	}
}

// under is a condition whose pressure is that above the ambient one.
func (a *ambient) under(c opening.Condition) opening.Condition {
	switch own := c.PressureWaveform(); {
	case !c.ImposesPressure():
	case own != nil && a.waveform == nil:
		c.Pressure, c.Waveform = 1, opening.Linear{Of: own, Slope: c.Pressure, Constant: -a.pressure}
	default:
		if c.Pressure -= a.pressure; c.Pressure == 0 {
			c.Waveform = nil // of nothing
		}
	}
	return c
}

// ambientAfter is the ambient pressure after so many steps, in Pa.
func (a *airflow) ambientAfter(steps int64) float64 {
	return a.ambient.at(float64(steps) * a.units.TimeStep)
}
