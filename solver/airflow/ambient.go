package airflow

import (
	"maps"
	"math"

	"carina/geometry"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

// ambientPressure is the part of the pressures at the openings that all have in common,
// in Pa: where none is zero, none changes by a waveform and all have one sign, the
// one nearest to zero. The flow does not depend on it, but air at rest under another
// pressure would first have to be compressed. Openings without an area as voxelized
// are closed.
func (s *Settings) ambientPressure(openings []geometry.Opening, voxelized []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range openings {
		c, given := s.Conditions[openings[i].Number]
		switch {
		case voxelized[i] == 0 || !given && openings[i].Role == geometry.Inlet:
		case c.Kind == opening.ImposedFlow || c.Kind == opening.MovingWall:
		case c.Kind == opening.FlowShare || c.Waveform != nil:
			return 0 // the mean of shares is zero
		default:
			low, high = min(low, c.Pressure), max(high, c.Pressure)
		}
	}
	switch {
	case low > high:
		return 0 // there are no pressures
	case low > 0:
		return low
	}
	return min(0, high)
}

// relateTo makes pressures those above an ambient one.
func (s *Settings) relateTo(ambient float64) {
	if ambient == 0 {
		return
	}
	s.Conditions = maps.Clone(s.Conditions)
	for number, c := range s.Conditions {
		c.Pressure -= ambient
		s.Conditions[number] = c
	}
	if initial := s.Initial; initial != nil {
		s.Initial = func(position r3.Vec) (float64, r3.Vec) {
			pressure, velocity := initial(position)
			return pressure - ambient, velocity
		}
	}
}
