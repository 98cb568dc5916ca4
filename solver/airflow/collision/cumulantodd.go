package collision

import "carina/solver/expression"

// moments27 are moments of deviations from rest on D3Q27.
type moments27 struct {
	second [6]expression.Value    // by component, as axes lists them
	third  [3][3]expression.Value // third[x][y] is m_xyy
	mixed  expression.Value       // m_xyz
}

// corners are four velocities along the diagonals of space, one of each pair.
var corners = [4][3]int{{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}}

// moments27 returns the moments that arrive, and makes density and velocity of what
// they are made of.
func (b *builder) moments27() (m moments27) {
	pair := map[[3]int]int{}
	for k, c := range b.pairDirection {
		pair[c] = k
	}
	// of returns sum and difference of a pair, and whether it is listed the other way.
	of := func(c [3]int) (sum, difference expression.Value, sign int) {
		if k, ok := pair[c]; ok {
			return b.sum[k], b.diff[k], 1
		}
		k := pair[[3]int{-c[0], -c[1], -c[2]}]
		return b.sum[k], b.diff[k], -1
	}
	var even, odd [4]expression.Value
	var signs [4]int
	for i, c := range corners {
		even[i], odd[i], signs[i] = of(c)
	}
	// Sums of corners with the sign that the product of components has, halves shared.
	evenSum := func(sign func(c [3]int) int) expression.Value {
		return b.inHalves(even, [4]int{1, 1, 1, 1}, sign)
	}
	oddSum := func(sign func(c [3]int) int) expression.Value { return b.inHalves(odd, signs, sign) }
	m.mixed = oddSum(func(c [3]int) int { return c[0] * c[1] * c[2] })
	var plane [3]expression.Value // of velocities in the plane across the axis
	for x := range 3 {
		for y := x + 1; y < 3; y++ {
			c := unit(x)
			c[y] = 1
			along, alongOdd, alongSign := of(c)
			c[y] = -1
			across, acrossOdd, acrossSign := of(c)
			differences := []expression.Value{alongOdd, acrossOdd}
			m.third[x][y] = b.SignedSum([]int{alongSign, acrossSign}, differences)
			m.third[y][x] = b.SignedSum([]int{alongSign, -acrossSign}, differences)
			plane[3-x-y] = b.Add(along, across)
			m.second[component[x][y]] = b.Add(b.Subtract(along, across), evenSum(func(c [3]int) int { return c[x] * c[y] }))
		}
	}
	all := evenSum(func([3]int) int { return 1 })
	var axis [3]expression.Value
	for x := range 3 {
		y, z := (x+1)%3, (x+2)%3
		sum, difference, sign := of(unit(x))
		axis[x] = sum
		m.second[x] = b.Add(b.Add(sum, all), b.Add(plane[y], plane[z]))
		edges := m.third[x][z]
		corner := oddSum(func(c [3]int) int { return c[x] })
		m.third[x][y], m.third[x][z] = b.Add(m.third[x][y], corner), b.Add(edges, corner)
		b.u[x] = b.SignedSum([]int{sign, 1, 1}, []expression.Value{difference, m.third[x][y], edges})
	}
	b.density = b.Add(b.f[0], b.Add(b.Sum(axis[:]...), b.Add(b.Sum(plane[:]...), all)))
	return m
}

// inHalves is the sum of values for corners with their own signs and those of a
// function of the corner, the sum of two pairs.
func (b *builder) inHalves(v [4]expression.Value, own [4]int, sign func(c [3]int) int) expression.Value {
	pair := func(i int) (expression.Value, int) { // with the first one's sign taken out
		return b.SignedSum([]int{own[i], own[i+1] * sign(corners[i]) * sign(corners[i+1])}, v[i:i+2]), sign(corners[i])
	}
	first, firstSign := pair(0)
	second, secondSign := pair(2)
	return b.SignedSum([]int{firstSign, secondSign}, []expression.Value{first, second})
}

// relaxThird relaxes the third cumulants about the velocity before the force, with
// ω₃ the sums C_xyy + C_xzz, with ω₄ their differences and with ω₅ C_xyz, where they are
// small, and the faster the larger they are (eq. 116 to 123):
//
//	C* = (1 − ω₃) C λ/(λ + |C|)
//
// s are the second moments about the velocity.
func (c *cumulants) relaxThird(m *moments27, s [6]expression.Value) {
	third, eighth := c.Constant(1./3), c.Constant(0.125)
	u := c.before
	central := func(x, y int) expression.Value {
		byY := c.Multiply(u[y], s[component[x][y]])
		return c.Subtract(m.third[x][y], c.Add(c.Multiply(u[x], c.Add(third, m.second[y])), c.Add(byY, byY)))
	}
	for x := range 3 {
		y, z := (x+1)%3, (x+2)%3
		xyy, xzz := central(x, y), central(x, z)
		sum, difference := c.limited(KeptSum, c.Add(xyy, xzz)), c.limited(KeptDifference, c.Subtract(xyy, xzz))
		c.third[x][y], c.third[x][z] = c.Multiply(eighth, c.Add(sum, difference)), c.Multiply(eighth, c.Subtract(sum, difference))
		c.fifth[x] = c.Multiply(c.Constant(1./24), sum)
	}
	var products [3]expression.Value
	for x := range 3 {
		products[x] = c.Multiply(u[x], s[component[(x+1)%3][(x+2)%3]])
	}
	product := c.Multiply(c.u[0], c.Multiply(u[1], u[2])) // c.u is the momentum
	c.mixed = c.Multiply(eighth, c.limited(KeptMixed, c.Subtract(m.mixed, c.Add(c.Sum(products[:]...), product))))
}

// limited is what is left of a cumulant of which the part of the given name is kept
// where it is small.
func (c *cumulants) limited(kept string, of expression.Value) expression.Value {
	limit := c.Parameter(ThirdLimit)
	part := c.Multiply(limit, c.Parameter(kept))
	return c.Divide(c.Multiply(part, of), c.Add(limit, c.Absolute(of)))
}
