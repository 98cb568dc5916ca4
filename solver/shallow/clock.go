package shallow

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"

	"carina/solver/shallow/scheme"
)

// clock chooses time steps and counts them.
type clock struct {
	water    *Water
	spacing  float64
	steps    int64
	dt, time float64
	// again tells that the last step was taken once more, since it was too long.
	again   bool
	entered [sides]float64 // factors of Inflow, integrated over time
}

// Begin counts the step that comes.
func (c *clock) Begin(steps int64) error {
	c.steps = steps + 1
	return nil
}

// Resume goes on after so many steps.
func (c *clock) Resume(steps int64) { c.steps = steps }

// thin is the depth below which velocities are reduced.
func (c *clock) thin() float64 { return cmp.Or(c.water.Thin, 1e-5) }

// choose takes the time step for a speed. Where there is hardly any water it is that for
// waves in thin water.
func (c *clock) choose(speed float64) {
	c.dt = c.bounded(c.longest(speed))
	c.pass()
}

// expected is by how much shorter than the last one a step is taken to be right.
const expected = 0.98

// check lets the time step pass that was taken before its speed was known, and chooses the
// next one. If it was too long it is taken once more, for which retake is to prepare.
func (c *clock) check(speed float64, retake func()) {
	longest := c.longest(speed)
	if c.again = c.dt == 0 || c.dt > longest; c.again {
		c.dt = c.bounded(longest)
		retake()
	}
	c.pass()
	c.dt = c.bounded(expected * longest)
}

// longest is the longest time step for a speed.
func (c *clock) longest(speed float64) (dt float64) {
	speed = max(speed, math.Sqrt(c.water.Gravity*c.thin()))
	if speed > 0 {
		dt = cmp.Or(c.water.Courant, 0.25) * c.spacing / speed
	}
	return dt
}

// bounded is a time step in the precision of the water which does not end too late.
func (c *clock) bounded(dt float64) float64 {
	if c.water.Single {
		dt = float64(float32(dt))
	}
	if end := c.water.End; end > 0 && c.time+dt >= end {
		return end - c.time
	}
	return dt
}

// pass lets the time of a step pass.
func (c *clock) pass() {
	before := c.time
	if c.time += c.dt; c.water.End > 0 && c.time >= c.water.End {
		c.time = c.water.End
	}
	for side := range sides {
		factor := c.inflow(side, before)
		if !c.water.Euler {
			factor = (factor + c.inflow(side, c.time)) / 2
		}
		c.entered[side] += factor * c.dt
	}
}

// inflow is by what what comes in at a side is multiplied.
func (c *clock) inflow(side Side, time float64) float64 {
	if c.water.Inflow == nil {
		return 1
	}
	return max(0, c.water.Inflow(side, time))
}

// set sets the parameters of an update.
func (c *clock) set(set func(name string, value float64)) {
	set(scheme.Gravity, c.water.Gravity)
	set(scheme.InverseSpacing, 1/c.spacing)
	set(scheme.Thin, c.thin())
	set(scheme.Thick, 1/c.thin())
	set(scheme.Manning, c.water.Gravity*c.water.Manning*c.water.Manning)
	set(scheme.Chezy, 0)
	if c.water.Chezy > 0 {
		set(scheme.Chezy, c.water.Gravity/(c.water.Chezy*c.water.Chezy))
	}
	set(scheme.Time, c.time)
	set(scheme.Wet, c.water.Wet)
	set(scheme.TimeStep, c.dt)
	set(scheme.Drain, 0)
	if c.dt > 0 {
		set(scheme.Drain, 0.25*c.spacing/c.dt)
	}
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
func (c *clock) Time() float64 { return c.time }

// SaveGlobal returns the time, the time step, and what has entered meanwhile.
func (c *clock) SaveGlobal() []byte {
	data := binary.LittleEndian.AppendUint64(nil, math.Float64bits(c.time))
	for _, v := range append([]float64{c.dt}, c.entered[:]...) {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data
}

// LoadGlobal takes them over.
func (c *clock) LoadGlobal(data []byte) error {
	const number = 8
	if len(data) != number*(2+len(c.entered)) {
		return errors.New("the saved time, time step and inflows are not six numbers")
	}
	of := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[number*i:])) }
	c.time, c.dt = of(0), of(1)
	for i := range c.entered {
		c.entered[i] = of(2 + i)
	}
	return nil
}
