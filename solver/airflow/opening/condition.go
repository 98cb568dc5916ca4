package opening

import (
	"errors"
	"fmt"
	"slices"

	"carina/geometry"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// Kind names what happens at an opening.
type Kind string

// The kinds of conditions.
const (
	// ImposedFlow prescribes what enters (negative: leaves). Its profile is
	// imposed while air enters; air that leaves brings its own.
	ImposedFlow Kind = "flow"
	// ImposedPressure prescribes the pressure on the opening's plane.
	ImposedPressure Kind = "pressure"
	// FlowShare prescribes which part of all that leaves leaves here, by
	// moving the pressure until it does.
	FlowShare Kind = "share"
	// MovingWall is a wall that moves along itself.
	MovingWall Kind = "moving wall"
	// Windkessel lets air out through a resistance into a compliance that
	// drains through a second resistance (RCR); without compliance it is a
	// resistance.
	Windkessel Kind = "windkessel"
)

// Kinds lists the kinds of conditions.
var Kinds = []Kind{ImposedFlow, ImposedPressure, FlowShare, MovingWall, Windkessel}

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
	Kind Kind
	// Flow is what enters, in m³/s.
	Flow float64
	// Profile is that of an ImposedFlow; empty means Plug.
	Profile Profile
	// Shape is a profile of one's own, by position in metres and up to a
	// factor; it takes the place of Profile.
	Shape func(position r3.Vec) float64
	// Velocity is that of a MovingWall, in m/s.
	Velocity [3]float64
	// Pressure is in Pa; of a Windkessel, that behind it. What the pressures of all
	// openings have in common, over time too, changes no flow: it is added to all
	// pressures that are told of.
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

// Bounds far wider than any airway needs: LargestFlow is in m³/s, largestPressure in Pa.
const (
	LargestFlow     = 1e6
	largestPressure = 1e9
)

// Validate says what is wrong with a condition, if anything.
func (c *Condition) Validate() error {
	if err := quantity.CheckName("kind of condition", c.Kind, Kinds); err != nil {
		return err
	}
	if c.Profile != "" {
		if err := quantity.CheckName("profile", c.Profile, Profiles); err != nil {
			return err
		}
	}
	for _, n := range []struct {
		name             string
		value, low, high float64
		note             string
	}{
		{"flow", c.Flow, -LargestFlow, LargestFlow, " m³/s"},
		{"pressure", c.Pressure, -largestPressure, largestPressure, " Pa"},
		{"share", c.Share, 0, 1e6, ""},
		{"proximal resistance", c.ProximalResistance, 0, 1e18, " Pa·s/m³"},
		{"distal resistance", c.DistalResistance, 0, 1e18, " Pa·s/m³"},
		{"compliance", c.Compliance, 0, 1e6, " m³/Pa"},
	} {
		if err := quantity.CheckRange(n.name, n.value, n.low, n.high, n.note); err != nil {
			return err
		}
	}
	if c.Kind == FlowShare && c.Share == 0 {
		return errors.New("the share of the flow is zero; close the opening instead")
	}
	return nil
}

// Bounds are those over time of what the condition's waveform multiplies.
func (c *Condition) Bounds(value float64) (low, high float64) {
	return bounds(c.Waveform, value)
}

// ImposesPressure tells whether the condition is a pressure, if behind resistances.
func (c *Condition) ImposesPressure() bool {
	return c.Kind == ImposedPressure || c.Kind == Windkessel || c.Kind == ""
}

// PressureWaveform is the factor of Pressure over time, nil where that is constant, as
// behind a Windkessel.
func (c *Condition) PressureWaveform() Waveform {
	if c.Kind == Windkessel {
		return nil
	}
	return c.Waveform
}

// PressureBounds are those of the pressure over time.
func (c *Condition) PressureBounds() (low, high float64) {
	return bounds(c.PressureWaveform(), c.Pressure)
}

// LargestDrop is the largest difference of the pressures of two conditions at any time.
func LargestDrop(a, b *Condition) float64 {
	if Alike(a.PressureWaveform(), b.PressureWaveform()) {
		low, high := bounds(a.PressureWaveform(), a.Pressure-b.Pressure)
		return max(high, -low)
	}
	lowA, highA := a.PressureBounds()
	lowB, highB := b.PressureBounds()
	return max(highA-lowB, highB-lowA)
}

// ValidateConditions checks conditions against the openings of a grid.
func ValidateConditions(conditions map[int]Condition, grid *geometry.Grid) error {
	for number, c := range conditions {
		if !slices.ContainsFunc(grid.Openings, func(o geometry.Opening) bool { return o.Number == number }) {
			return fmt.Errorf("there is a condition for opening %d, but the grid has %s and none of that number", number, quantity.Count(len(grid.Openings), "opening"))
		}
		if err := c.Validate(); err != nil {
			return fmt.Errorf("opening %d: %w", number, err)
		}
	}
	return nil
}
