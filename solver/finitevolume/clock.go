package finitevolume

// Clock makes of the fastest wave of all cells time steps that these can take.
type Clock struct {
	// Courant is the part of the time in which the fastest wave crosses a cell, as wide as
	// Spacing, that a step takes. Slowest is how fast it is at least.
	Courant, Spacing, Slowest float64
	// End is the time at which the last step ends; 0 is none.
	End float64
	// Single lets steps be numbers in single precision.
	Single bool
	// Time is how much has passed, Step how long the step at hand is.
	Time, Step float64
}

// expected is by how much shorter than the last one a step is taken to be right.
const expected = 0.98

// Choose lets the step be the longest for a speed.
func (c *Clock) Choose(speed float64) { c.Step = c.bounded(c.longest(speed)) }

// Expect lets the next step be as long as is expected to be right, before its speed is known.
func (c *Clock) Expect(speed float64) { c.Step = c.bounded(expected * c.longest(speed)) }

// TooLong tells whether a step that was expected to be right is not, or was none, and lets it be
// as long as Choose does then.
func (c *Clock) TooLong(speed float64) bool {
	if c.Step != 0 && c.Step <= c.longest(speed) {
		return false
	}
	c.Choose(speed)
	return true
}

// Pass lets the step pass.
func (c *Clock) Pass() {
	if c.Time += c.Step; c.End > 0 && c.Time >= c.End {
		c.Time = c.End
	}
}

// longest is the longest time step for a speed.
func (c *Clock) longest(speed float64) float64 {
	if speed = max(speed, c.Slowest); speed > 0 {
		return c.Courant * c.Spacing / speed
	}
	return 0
}

// bounded is a time step which does not end too late.
func (c *Clock) bounded(step float64) float64 {
	if c.Single {
		step = float64(float32(step))
	}
	if c.End > 0 && c.Time+step >= c.End {
		return c.End - c.Time
	}
	return step
}
