package shallow

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"

	"carina/solver/finitevolume"
	"carina/solver/shallow/scheme"
)

// clock chooses time steps and counts them.
type clock struct {
	finitevolume.Clock
	water   *Water
	entered [sides]float64 // factors of Inflow, integrated over time
	list    [10]finitevolume.Parameter
}

func newClock(w *Water, spacing float64) clock {
	return clock{water: w, Clock: finitevolume.Clock{Courant: cmp.Or(w.Courant, 0.25), Spacing: spacing, Single: w.Single, End: w.End,
		// Where there is hardly any water waves are those in thin water.
		Slowest: math.Sqrt(w.Gravity * w.thin())}}
}

// thin is the depth below which velocities are reduced.
func (w *Water) thin() float64 { return cmp.Or(w.Thin, 1e-5) }

// inflow is by what what comes in at sides is multiplied.
func (c *clock) inflow(time float64) (factors [sides]float64) {
	for side := range factors {
		if factors[side] = 1; c.water.Inflow != nil {
			factors[side] = max(0, c.water.Inflow(Side(side), time))
		}
	}
	return factors
}

// pass lets the time of a step pass.
func (c *clock) pass() {
	before := c.inflow(c.Clock.Time)
	c.Pass()
	after := c.inflow(c.Clock.Time)
	for side, factor := range before {
		if !c.water.Euler {
			factor = (factor + after[side]) / 2
		}
		c.entered[side] += factor * c.Step
	}
}

// parameters are those of the scheme for the step at hand.
func (c *clock) parameters() []finitevolume.Parameter {
	w := c.water
	var chezy, drain float64
	if w.Chezy > 0 {
		chezy = w.Gravity / (w.Chezy * w.Chezy)
	}
	if c.Step > 0 {
		drain = 0.25 * c.Spacing / c.Step
	}
	c.list = [...]finitevolume.Parameter{{Name: scheme.Gravity, Value: w.Gravity}, {Name: scheme.InverseSpacing, Value: 1 / c.Spacing},
		{Name: scheme.Thin, Value: w.thin()}, {Name: scheme.Thick, Value: 1 / w.thin()}, {Name: scheme.Manning, Value: w.Gravity * w.Manning * w.Manning},
		{Name: scheme.Chezy, Value: chezy}, {Name: scheme.Time, Value: c.Clock.Time}, {Name: scheme.Wet, Value: w.Wet},
		{Name: scheme.TimeStep, Value: c.Step}, {Name: scheme.Drain, Value: drain}}
	return c.list[:]
}

// Clock is the water of one rank, on any device.
type Clock interface {
	// Time is how much has passed, in seconds.
	Time() float64
	// Entered is what Inflow has been at a side, integrated over this time.
	Entered(side Side) float64
}

// Entered is what Inflow has been at a side, integrated over time.
func (c *clock) Entered(side Side) float64 { return c.entered[side] }

// Time is how much has passed, in seconds.
func (c *clock) Time() float64 { return c.Clock.Time }

// saved are time, time step, and what has entered meanwhile.
type saved struct {
	Time, Step float64
	Entered    [sides]float64
}

// SaveGlobal returns them.
func (c *clock) SaveGlobal() []byte {
	data, _ := binary.Append(nil, binary.LittleEndian, saved{c.Clock.Time, c.Step, c.entered}) // of a size that is known
	return data
}

// LoadGlobal takes them over.
func (c *clock) LoadGlobal(data []byte) error {
	var s saved
	if n, err := binary.Decode(data, binary.LittleEndian, &s); err != nil || n != len(data) {
		return errors.New("the saved time, time step and inflows are not six numbers")
	}
	c.Clock.Time, c.Step, c.entered = s.Time, s.Step, s.Entered
	return nil
}
