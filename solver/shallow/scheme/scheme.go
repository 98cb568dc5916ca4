package scheme

import (
	"math"

	"carina/geometry"
	"carina/solver"
	"carina/solver/expression"
	"carina/solver/stencil"
)

// The parameters.
const (
	// Gravity is in m/s², InverseSpacing in cells a metre.
	Gravity        = "gravity"
	InverseSpacing = "inverseSpacing"
	// Depth4 is κ⁴: in water less deep than κ velocities are reduced.
	Depth4 = "depth4"
	// TimeStep is in s.
	TimeStep = "timeStep"
)

// The fields that updates read and write.
const (
	// Water is the level w, and the discharges hu and hv.
	Water = iota
	// Bottom is the height of the corner of a cell that is lowest in x and y.
	Bottom
	// RatesOfChange are those of the water.
	RatesOfChange
	// Next is the water after a step.
	Next
)

const (
	level = iota
	alongX
	alongY
	values
)

// theta is how steep slopes may be: 1 the least, 2 the most.
const theta = 1.3

type value = expression.Value

// state is level and discharges along an axis and across it.
type state struct{ w, along, across value }

// builder writes an update.
type builder struct {
	*stencil.Update
	// at reads the water in a cell.
	at func(o geometry.Offset) [values]value
}

// Rates is the first stage: the rates of change of the water and, as maximum 0, the
// fastest wave. Nothing passes where there is no cell.
func Rates() *stencil.Update {
	b := builder{Update: stencil.New("Rates")}
	b.at = func(o geometry.Offset) [values]value { return b.water(Water, o) }
	rates, speed := b.rates()
	for v, rate := range rates {
		b.Write(solver.Slot{Field: RatesOfChange, Value: v}, rate)
	}
	b.Maximum(speed)
	return b.Update
}

// Heun is the second stage: the mean of the water and of what two steps of Euler's make of
// it, by the rates of the first stage and by those of the water after it, which is not
// stored.
func Heun() *stencil.Update {
	b := builder{Update: stencil.New("Heun")}
	dt := b.Parameter(TimeStep)
	b.at = func(o geometry.Offset) (next [values]value) {
		water, rates := b.water(Water, o), b.water(RatesOfChange, o)
		for v := range next {
			next[v] = b.Add(water[v], b.Multiply(dt, rates[v]))
		}
		return next
	}
	rates, _ := b.rates()
	before, after := b.water(Water, geometry.Offset{}), b.at(geometry.Offset{})
	for v := range rates {
		twice := b.Add(before[v], b.Add(after[v], b.Multiply(dt, rates[v])))
		b.Write(solver.Slot{Field: Next, Value: v}, b.Multiply(b.Constant(0.5), twice))
	}
	return b.Update
}

func (b *builder) water(field int, o geometry.Offset) (q [values]value) {
	for v := range q {
		q[v] = b.Read(solver.Slot{Field: field, Value: v, Offset: o, Wall: v})
	}
	return q
}

// rates are those of a cell, and its fastest wave.
func (b *builder) rates() (rates [values]value, speed value) {
	x, y := b.axis(0), b.axis(1)
	inverse := b.Parameter(InverseSpacing)
	rates[level] = b.Multiply(inverse, b.Add(x.rate.w, y.rate.w))
	rates[alongX] = b.Multiply(inverse, b.Add(x.rate.along, y.rate.across))
	rates[alongY] = b.Multiply(inverse, b.Add(x.rate.across, y.rate.along))
	return rates, b.Program.Maximum(x.speed, y.speed)
}

// line is what an axis contributes: the rates times the spacing.
type line struct {
	rate  state
	speed value
}

// along is the offset of so many cells along an axis, and so many across it.
func along(axis int, cells, across int8) geometry.Offset {
	if axis == 0 {
		return geometry.Offset{X: cells, Y: across}
	}
	return geometry.Offset{X: across, Y: cells}
}

// where is a where there is a cell, else c.
func (b *builder) where(o geometry.Offset, a, c value) value {
	return b.Select(b.Constant(0), b.Present(o), a, c)
}

// cell is the state of cell k of a line.
func (b *builder) cell(axis int, k int8) state {
	q := b.at(along(axis, k, 0))
	return state{q[level], q[alongX+axis], q[alongY-axis]}
}

// mirrored is a cell where there is one, else the mirror image of another.
func (b *builder) mirrored(o geometry.Offset, cell, image state) state {
	return state{b.where(o, cell.w, image.w), b.where(o, cell.along, b.Negative(image.along)), b.where(o, cell.across, image.across)}
}

// bottom is the height of the face below cell k of a line that is there, the mean of two
// corners; beyond the last cell across, both are the same.
func (b *builder) bottom(axis int, k int8) value {
	corner := func(across int8) value {
		return b.Read(solver.Slot{Field: Bottom, Offset: along(axis, k, across)})
	}
	other := b.where(along(axis, k, 1), corner(1), corner(0))
	return b.Multiply(b.Constant(0.5), b.Add(corner(0), other))
}

// axis computes a line of five cells.
func (b *builder) axis(axis int) (l line) {
	q := map[int8]state{0: b.cell(axis, 0)}
	for _, side := range []int8{-1, 1} {
		q[side] = b.mirrored(along(axis, side, 0), b.cell(axis, side), q[0])
	}
	for _, side := range []int8{-1, 1} {
		far := b.mirrored(along(axis, 2*side, 0), b.cell(axis, 2*side), q[side])
		q[2*side] = b.mirrored(along(axis, side, 0), far, q[-side])
	}
	// Heights of the faces below the cells −1 to 2. A last cell is flat.
	f := map[int8]value{0: b.bottom(axis, 0)}
	f[1] = b.where(along(axis, 1, 0), b.bottom(axis, 1), f[0])
	f[2] = b.where(along(axis, 1, 0), b.where(along(axis, 2, 0), b.bottom(axis, 2), f[1]), f[0])
	f[-1] = b.where(along(axis, -1, 0), b.bottom(axis, -1), f[1])
	var low, high [3]side // of the cells −1, 0 and 1
	for i := range low {
		k := int8(i) - 1
		low[i], high[i] = b.sides(q[k-1], q[k], q[k+1], f[k], f[k+1])
	}
	below, slow := b.flux(high[0], low[1])
	above, fast := b.flux(high[1], low[2])
	source := b.Multiply(b.Multiply(b.Constant(0.5), b.Parameter(Gravity)), b.Multiply(b.Subtract(f[1], f[0]), b.Add(low[1].h, high[1].h)))
	l.rate = state{b.Subtract(below.w, above.w), b.Subtract(b.Subtract(below.along, above.along), source), b.Subtract(below.across, above.across)}
	l.speed = b.Program.Maximum(slow, fast)
	return l
}

// side is the water at one side of a face.
type side struct {
	h      value
	q      state
	u      value // along
	c      value // √(gh)
	moving value // flux of the discharge along
	across value // flux of that across
}

// sides are those of a cell within its faces.
func (b *builder) sides(before, q, after state, low, high value) (lower, upper side) {
	w := b.slope(before.w, q.w, after.w)
	// The level stays above the bottom at both faces.
	drop, rise := b.Subtract(q.w, low), b.Subtract(high, q.w)
	w = b.Select(b.Subtract(q.w, w), low, drop, w)
	w = b.Select(b.Add(q.w, w), high, rise, w)
	u, v := b.slope(before.along, q.along, after.along), b.slope(before.across, q.across, after.across)
	lower = b.side(state{b.Subtract(q.w, w), b.Subtract(q.along, u), b.Subtract(q.across, v)}, low)
	upper = b.side(state{b.Add(q.w, w), b.Add(q.along, u), b.Add(q.across, v)}, high)
	return lower, upper
}

// slope is half of minmod's.
func (b *builder) slope(before, q, after value) value {
	steep := b.Constant(theta / 2)
	back, centre, forth := b.Multiply(steep, b.Subtract(q, before)), b.Multiply(b.Constant(0.25), b.Subtract(after, before)), b.Multiply(steep, b.Subtract(after, q))
	zero := b.Constant(0)
	least := b.Program.Maximum(b.Minimum(b.Minimum(back, centre), forth), zero)
	most := b.Minimum(b.Program.Maximum(b.Program.Maximum(back, centre), forth), zero)
	// One of the two is zero.
	return b.Add(least, most)
}

// side computes what the flux needs, with velocities that stay bounded in thin water.
func (b *builder) side(q state, bottom value) (s side) {
	s.h = b.Program.Maximum(b.Subtract(q.w, bottom), b.Constant(0))
	square := b.Multiply(s.h, s.h)
	fourth := b.Multiply(square, square)
	root := b.SquareRoot(b.Add(fourth, b.Program.Maximum(fourth, b.Parameter(Depth4))))
	factor := b.Divide(b.Multiply(b.Constant(math.Sqrt2), s.h), root)
	s.u = b.Multiply(factor, q.along)
	v := b.Multiply(factor, q.across)
	s.q = state{q.w, b.Multiply(s.h, s.u), b.Multiply(s.h, v)}
	s.c = b.SquareRoot(b.Multiply(b.Parameter(Gravity), s.h))
	s.moving = b.Add(b.Multiply(s.q.along, s.u), b.Multiply(b.Multiply(b.Constant(0.5), b.Parameter(Gravity)), square))
	s.across = b.Multiply(s.q.across, s.u)
	return s
}

// flux is the central-upwind one from below a face to above, and its fastest wave.
func (b *builder) flux(low, high side) (f state, speed value) {
	zero := b.Constant(0)
	up := b.Program.Maximum(b.Program.Maximum(b.Add(low.u, low.c), b.Add(high.u, high.c)), zero)
	down := b.Minimum(b.Minimum(b.Subtract(low.u, low.c), b.Subtract(high.u, high.c)), zero)
	spread := b.Subtract(up, down)
	// Where nothing moves and all is dry there is no flux.
	inverse := b.Select(zero, spread, b.Divide(b.Constant(1), spread), zero)
	both := b.Multiply(up, down)
	of := func(fluxLow, fluxHigh, qLow, qHigh value) value {
		return b.Multiply(inverse, b.Add(b.Subtract(b.Multiply(up, fluxLow), b.Multiply(down, fluxHigh)), b.Multiply(both, b.Subtract(qHigh, qLow))))
	}
	f = state{of(low.q.along, high.q.along, low.q.w, high.q.w), of(low.moving, high.moving, low.q.along, high.q.along), of(low.across, high.across, low.q.across, high.q.across)}
	return f, b.Program.Maximum(up, b.Negative(down))
}
