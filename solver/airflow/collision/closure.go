package collision

import "carina/solver/expression"

// closure makes populations of velocity and stress. All but ratio, which is the
// velocity, are multiplied by the scale of the populations.
type closure struct {
	*builder
	u, ratio       [3]expression.Value
	stress, second [6]expression.Value // of P the part that remains, and A
	spread, speed  expression.Value    // the trace of A, and |u|
	// sum[x] is an eighth of m_xyy + m_xzz, third[x][y] a quarter of m_xyy,
	// fourth[x][y] one of m_xxyy.
	sum           [3]expression.Value
	third, fourth [3][3]expression.Value
}

// component is the index in axes of the component of a symmetric tensor.
var component = [3][3]int{{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}

func (c *closure) populations() {
	out := make([]expression.Value, c.Set.Q)
	half, two, four := c.Constant(0.5), c.Constant(2), c.Constant(4)
	out[0] = c.Subtract(c.Multiply(four, c.Sum(c.fourth[0][1], c.fourth[0][2], c.fourth[1][2])), c.spread)
	sixth := c.Multiply(c.Constant(1./6), c.density)
	for x := range 3 {
		y, z := (x+1)%3, (x+2)%3
		even := c.Add(sixth, c.Multiply(half, c.second[x]))
		even = c.Subtract(even, c.Multiply(two, c.Add(c.fourth[x][y], c.fourth[x][z])))
		odd := c.Subtract(c.Multiply(half, c.u[x]), c.Multiply(four, c.sum[x]))
		c.leave(out, unit(x), even, odd)
	}
	for x := range 3 {
		for y := x + 1; y < 3; y++ {
			mixed := c.Multiply(c.Constant(0.25), c.second[component[x][y]])
			along, across := unit(x), unit(x)
			along[y], across[y] = 1, -1
			c.leave(out, along, c.Add(c.fourth[x][y], mixed), c.Add(c.third[x][y], c.third[y][x]))
			c.leave(out, across, c.Subtract(c.fourth[x][y], mixed), c.Subtract(c.third[x][y], c.third[y][x]))
		}
	}
	c.Outputs = out
}

// thirdMoments makes the third moments of those that arrive, of the traceless stress
// that arrives and of 1/τ.
func (c *closure) thirdMoments(m *moments, stress [6]expression.Value, inverse expression.Value) {
	eighth := c.Constant(0.125)
	var squares [3]expression.Value
	for x := range 3 {
		squares[x] = c.Multiply(c.u[x], c.ratio[x])
	}
	c.speed = c.SquareRoot(c.unscale(c.Sum(squares[:]...)))
	// What is left of moments that arrive, of equilibria and of stresses, an eighth
	// of each.
	rates := func(least, bySpeed string) (moment, equilibrium, ofStress expression.Value) {
		equilibrium = c.Maximum(c.Multiply(c.Multiply(eighth, c.Parameter(bySpeed)), c.speed), c.Multiply(eighth, c.Parameter(least)))
		return c.Subtract(eighth, equilibrium), equilibrium, c.Subtract(equilibrium, c.Multiply(eighth, inverse))
	}
	keptSum, newSum, stressSum := rates(SumForgetting, SumBySpeed)
	keptDifference, newDifference, stressDifference := rates(DifferenceForgetting, DifferenceBySpeed)
	twiceSum, twiceDifference := c.Add(stressSum, stressSum), c.Add(stressDifference, stressDifference)
	resting := c.Multiply(newSum, c.Constant(2./3/c.square))
	isotropic := c.Add(resting, c.Multiply(newSum, c.spread))
	var along, apart [3]expression.Value
	for x := range 3 {
		along[x] = c.Add(c.Multiply(newSum, squares[x]), c.Multiply(stressSum, stress[x]))
		apart[x] = c.Add(c.Multiply(newDifference, squares[x]), c.Multiply(stressDifference, stress[x]))
	}
	for x := range 3 {
		y, z := (x+1)%3, (x+2)%3
		arrived := m.sum[x]
		if c.Force {
			// What arrived lacks the force, of which the equilibrium has two thirds.
			arrived = c.Add(arrived, c.Multiply(c.Constant(2./3), c.force[x]))
		}
		byY, byZ := c.Multiply(c.ratio[y], stress[component[x][y]]), c.Multiply(c.ratio[z], stress[component[x][z]])
		sum := c.Add(c.Multiply(keptSum, arrived), c.Multiply(c.ratio[x], c.Subtract(isotropic, along[x])))
		c.sum[x] = c.Add(sum, c.Multiply(twiceSum, c.Add(byY, byZ)))
		difference := c.Add(c.Multiply(keptDifference, m.difference[x]), c.Multiply(c.ratio[x], c.Subtract(apart[y], apart[z])))
		difference = c.Add(difference, c.Multiply(twiceDifference, c.Subtract(byY, byZ)))
		c.third[x][y], c.third[x][z] = c.Add(c.sum[x], difference), c.Subtract(c.sum[x], difference)
	}
}

// keepTrace adds what is kept of the trace, given a third of that of what arrives, of
// which the equilibrium is the pressure.
func (c *closure) keepTrace(mean expression.Value) {
	kept := c.Multiply(c.Parameter(TraceKept), c.Subtract(mean, c.Multiply(c.Constant(1./3), c.density)))
	for i := range 3 {
		c.second[i] = c.Add(c.second[i], kept)
	}
	c.spread = c.Add(c.spread, c.Multiply(c.Constant(3), kept))
}

// fourthMoments are those of the Gaussian less φ/6 of the stress across, a quarter of
// each; φ goes by the speed.
func (c *closure) fourthMoments() {
	const twelfth, most = 1. / 12, 1. / 24
	common := c.Add(c.Multiply(c.Constant(1./36), c.density), c.Multiply(c.Constant(twelfth), c.spread))
	part := c.Maximum(c.Multiply(c.Parameter(FourthBySpeed), c.speed), c.Constant(-most))
	for x := range 3 {
		for y := x + 1; y < 3; y++ {
			mixed, across := component[x][y], 3-x-y
			v := c.Subtract(common, c.Multiply(c.Constant(twelfth), c.second[across]))
			v = c.Add(v, c.Multiply(part, c.stress[across]))
			v = c.Add(v, c.Multiply(c.Multiply(c.Constant(0.25), c.second[x]), c.unscale(c.second[y])))
			cross := c.Add(c.second[mixed], c.Multiply(c.u[x], c.ratio[y]))
			v = c.Add(v, c.Multiply(c.Multiply(c.Constant(0.5), c.stress[mixed]), c.unscale(cross)))
			c.fourth[x][y], c.fourth[y][x] = v, v
		}
	}
}

// unit is the velocity of one cell per step along an axis.
func unit(x int) (v [3]int) {
	v[x] = 1
	return v
}

// leave sets the populations along a velocity and against it, given the parts
// that are even and odd in it.
func (c *closure) leave(out []expression.Value, velocity [3]int, even, odd expression.Value) {
	for i, v := range c.Set.Velocities {
		switch v {
		case velocity:
			out[i] = c.Add(even, odd)
		case [3]int{-velocity[0], -velocity[1], -velocity[2]}:
			out[i] = c.Subtract(even, odd)
		}
	}
}
