package scheme

import (
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
	// Depth2 is κ²: in water less deep than κ velocities are reduced.
	Depth2 = "depth2"
	// TimeStep is in s, Drain a quarter of the spacing divided by it, in m/s.
	TimeStep = "timeStep"
	Drain    = "drain"
	// Manning is g·n² by Manning's n in s/m^⅓, Chezy g/C² by Chézy's C in m^½/s: the
	// friction of the ground.
	Manning = "manning"
	Chezy   = "chezy"
	// Time is in s, Wet the depth in m from which on ground counts as flooded.
	Time = "time"
	Wet  = "wet"
)

// Inflows are by what the inflow at each side is multiplied: west, east, south, north.
var Inflows = [...]string{"inflowWest", "inflowEast", "inflowSouth", "inflowNorth"}

// The fields that updates read and write.
const (
	// Water is the depth h, and the discharges hu and hv.
	Water = iota
	// Bottom is the height of the ground.
	Bottom
	// RatesOfChange are those of the water.
	RatesOfChange
	// Next is the water after a step.
	Next
	// Edges is what lies beyond each of a cell's sides, west, east, south and north, where
	// there is no cell: a wall where it is 0, the same water where it is negative, and
	// else an inflow of so much, in m²/s.
	Edges
	// Records are the greatest depth so far, and when the ground was flooded, −1 before.
	Records
)

const (
	depth = iota
	alongX
	alongY
	values
)

// theta is how steep slopes may be: 1 the least, 2 the most.
const theta = 1.3

type value = expression.Value

// state is depth or its rate, and discharges along an axis and across it.
type state struct{ h, along, across value }

// cell is the water in a cell: depth, level, and velocities along an axis and across it.
type cell struct{ h, w, u, v value }

// builder writes an update.
type builder struct {
	*stencil.Update
	// at reads the water in a cell.
	at func(o geometry.Offset) [values]value
	// drains tells that no more water may leave through a face than is its share.
	drains bool
	// open tells that there are edges.
	open bool
}

// Rates is the first stage: the rates of change of the water and, as maximum 0, the
// fastest wave. Nothing passes where there is no cell unless edges are open.
func Rates(open bool) *stencil.Update {
	b := builder{Update: named("Rates", open), open: open}
	b.at = func(o geometry.Offset) [values]value { return b.read(Water, o) }
	rates, speed := b.rates()
	for v, rate := range rates {
		b.Write(solver.Slot{Field: RatesOfChange, Value: v}, rate)
	}
	b.Maximum(speed)
	return b.Update
}

// named is an update that does nothing.
func named(name string, open bool) *stencil.Update {
	if open {
		name += "Open"
	}
	return stencil.New(name)
}

// Euler is the only other stage of the method of first order in time.
func Euler() *stencil.Update {
	b := builder{Update: stencil.New("Euler")}
	b.write(Water, b.after(geometry.Offset{}))
	return b.Update
}

// Heun is the second stage of the method of second order: the mean of the water and of
// what two steps of Euler's make of it, by the rates of the first stage and by those of
// the water after it, which is not stored.
func Heun(open bool) *stencil.Update {
	b := builder{Update: named("Heun", open), drains: true, open: open}
	b.at = b.after
	rates, _ := b.rates()
	before, after := b.read(Water, geometry.Offset{}), b.at(geometry.Offset{})
	for v := range rates {
		twice := b.Add(before[v], b.Add(after[v], b.Multiply(b.Parameter(TimeStep), rates[v])))
		rates[v] = b.Multiply(b.Constant(0.5), twice)
	}
	b.write(Next, rates)
	return b.Update
}

// Record keeps the greatest depth, and when it was first that of flooded ground.
func Record() *stencil.Update {
	b := builder{Update: stencil.New("Record")}
	own := func(field, v int) value { return b.Read(solver.Slot{Field: field, Value: v}) }
	h, most, arrival := own(Water, depth), own(Records, 0), own(Records, 1)
	now := b.Select(h, b.Parameter(Wet), arrival, b.Parameter(Time))
	b.Write(solver.Slot{Field: Records}, b.Program.Maximum(most, h))
	b.Write(solver.Slot{Field: Records, Value: 1}, b.Select(arrival, b.Constant(0), now, arrival))
	return b.Update
}

// after is the water in a cell after a step of Euler's.
func (b *builder) after(o geometry.Offset) (next [values]value) {
	water, rates := b.read(Water, o), b.read(RatesOfChange, o)
	for v := range next {
		next[v] = b.Add(water[v], b.Multiply(b.Parameter(TimeStep), rates[v]))
	}
	// Rounding does not leave less than nothing.
	next[depth] = b.Program.Maximum(next[depth], b.Constant(0))
	return next
}

func (b *builder) read(field int, o geometry.Offset) (q [values]value) {
	for v := range q {
		q[v] = b.Read(solver.Slot{Field: field, Value: v, Offset: o, Wall: v})
	}
	return q
}

// write stores water, with discharges as bounded as velocities are and slowed by the
// friction of a step.
func (b *builder) write(field int, q [values]value) {
	h := b.Program.Maximum(q[depth], b.Constant(0))
	inverse := b.inverse(h)
	u, v := b.Multiply(inverse, q[alongX]), b.Multiply(inverse, q[alongY])
	speed := b.SquareRoot(b.Add(b.Multiply(u, u), b.Multiply(v, v)))
	friction := b.Add(b.Parameter(Chezy), b.Divide(b.Parameter(Manning), b.cubeRoot(b.Add(h, b.Constant(1e-9)))))
	slowed := b.Add(b.Constant(1), b.Multiply(b.Multiply(b.Parameter(TimeStep), friction), b.Multiply(speed, inverse)))
	share := b.Divide(h, slowed)
	for i, next := range [values]value{h, b.Multiply(share, u), b.Multiply(share, v)} {
		b.Write(solver.Slot{Field: field, Value: i}, next)
	}
}

// cubeRoot is that of depths on Earth, to some 1e-12 of it: √√(ay) comes nearer to ∛a by
// three quarters of the exponent, Halley's method by its cube.
func (b *builder) cubeRoot(a value) value {
	y := b.SquareRoot(b.SquareRoot(a))
	for range 2 {
		y = b.SquareRoot(b.SquareRoot(b.Multiply(a, y)))
	}
	for range 2 {
		cube := b.Multiply(b.Multiply(y, y), y)
		y = b.Multiply(y, b.Divide(b.Add(cube, b.Add(a, a)), b.Add(b.Add(cube, cube), a)))
	}
	return y
}

// inverse is 1/h, reduced in water less deep than κ: 2h/(h² + max(h², κ²)), for which no root
// is needed.
func (b *builder) inverse(h value) value {
	square := b.Multiply(h, h)
	return b.Divide(b.Add(h, h), b.Add(square, b.Program.Maximum(square, b.Parameter(Depth2))))
}

// rates are those of a cell, and its fastest wave.
func (b *builder) rates() (rates [values]value, speed value) {
	x, y := b.axis(0), b.axis(1)
	inverse := b.Parameter(InverseSpacing)
	rates[depth] = b.Multiply(inverse, b.Add(x.rate.h, y.rate.h))
	rates[alongX] = b.Multiply(inverse, b.Add(x.rate.along, y.rate.across))
	rates[alongY] = b.Multiply(inverse, b.Add(x.rate.across, y.rate.along))
	return rates, b.Program.Maximum(x.speed, y.speed)
}

// line is what an axis contributes: the rates times the spacing.
type line struct {
	rate  state
	speed value
}

// along is the offset of so many cells along an axis.
func along(axis int, cells int8) geometry.Offset {
	if axis == 0 {
		return geometry.Offset{X: cells}
	}
	return geometry.Offset{Y: cells}
}

// cell is the water in cell k of a line.
func (b *builder) cell(axis int, k int8) cell {
	o := along(axis, k)
	q := b.at(o)
	inverse := b.inverse(q[depth])
	bottom := b.Read(solver.Slot{Field: Bottom, Offset: o})
	return cell{q[depth], b.Add(q[depth], bottom), b.Multiply(inverse, q[alongX+axis]), b.Multiply(inverse, q[alongY-axis])}
}

// edge is what lies beyond the side of cell k of a line.
func (b *builder) edge(axis int, k, side int8) value {
	number := 2*axis + int(1+side)/2
	edge := b.Read(solver.Slot{Field: Edges, Value: number, Offset: along(axis, k), Wall: -1})
	return b.Select(edge, b.Constant(0), edge, b.Multiply(edge, b.Parameter(Inflows[number])))
}

// mirrored is cell k of a line where there is one, else the image of cell k − side, or, by
// images, of the one before; at an open edge it does not move the other way.
func (b *builder) mirrored(axis int, k, side int8, there, image cell) cell {
	where := func(a, c value) value { return b.Select(b.Constant(0), b.Present(along(axis, k)), a, c) }
	u := b.Negative(image.u)
	if b.open {
		u = b.Select(b.Constant(0), b.Absolute(b.edge(axis, k-side, side)), image.u, u)
	}
	return cell{where(there.h, image.h), where(there.w, image.w), where(there.u, u), where(there.v, image.v)}
}

// axis computes a line of five cells.
func (b *builder) axis(axis int) (l line) {
	q := map[int8]cell{0: b.cell(axis, 0)}
	for _, side := range []int8{-1, 1} {
		q[side] = b.mirrored(axis, side, side, b.cell(axis, side), q[0])
	}
	for _, side := range []int8{-1, 1} {
		far := b.mirrored(axis, 2*side, side, b.cell(axis, 2*side), q[side])
		q[2*side] = b.mirrored(axis, side, side, far, q[-side])
	}
	var low, high [3]cell // sides of the cells −1, 0 and 1
	for i := range low {
		k := int8(i) - 1
		low[i], high[i] = b.sides(q[k-1], q[k], q[k+1])
	}
	below, above := b.face(high[0], low[1]), b.face(high[1], low[2])
	if b.open {
		below, above = b.inflow(axis, -1, below, low[1]), b.inflow(axis, 1, above, high[1])
	}
	// What stands on the ground within the cell is balanced, and at its faces what a step
	// of the ground there bears.
	rise := b.Subtract(b.Subtract(high[1].w, high[1].h), b.Subtract(low[1].w, low[1].h))
	source := b.Multiply(b.Multiply(b.Constant(0.5), b.Parameter(Gravity)), b.Multiply(rise, b.Add(low[1].h, high[1].h)))
	rate := b.Subtract(b.Add(below.flux.along, below.onHigh), b.Add(above.flux.along, above.onLow))
	l.rate = state{b.Subtract(below.flux.h, above.flux.h), b.Subtract(rate, source), b.Subtract(below.flux.across, above.flux.across)}
	l.speed = b.Program.Maximum(below.speed, above.speed)
	return l
}

// sides are the water of a cell within its faces. Depths and levels have slopes of their
// own, and the ground lies between: water at rest is level up to a shore within a cell.
func (b *builder) sides(before, q, after cell) (lower, upper cell) {
	// On dry ground there is no level.
	level := b.Select(b.Constant(0), q.h, b.slope(before.w, q.w, after.w), b.Constant(0))
	slope := cell{b.slope(before.h, q.h, after.h), level, b.slope(before.u, q.u, after.u), b.slope(before.v, q.v, after.v)}
	lower = cell{b.Subtract(q.h, slope.h), b.Subtract(q.w, slope.w), b.Subtract(q.u, slope.u), b.Subtract(q.v, slope.v)}
	upper = cell{b.Add(q.h, slope.h), b.Add(q.w, slope.w), b.Add(q.u, slope.u), b.Add(q.v, slope.v)}
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

// face is what passes upwards, what the ground bears on either side, and the fastest wave.
type face struct {
	flux          state
	onLow, onHigh value
	speed         value
}

// face computes one from the water on its sides: above the higher ground of the two the
// flux is central-upwind, below it the water stands.
func (b *builder) face(low, high cell) (f face) {
	zero := b.Constant(0)
	ground := b.Program.Maximum(b.Subtract(low.w, low.h), b.Subtract(high.w, high.h))
	l, h := b.side(low, ground), b.side(high, ground)
	up := b.Program.Maximum(b.Program.Maximum(b.Add(low.u, l.c), b.Add(high.u, h.c)), zero)
	down := b.Minimum(b.Minimum(b.Subtract(low.u, l.c), b.Subtract(high.u, h.c)), zero)
	// Where nothing moves and all is dry there is no flux.
	inverse := b.Divide(b.Constant(1), b.Program.Maximum(b.Subtract(up, down), b.Constant(1e-30)))
	both := b.Multiply(up, down)
	of := func(fluxLow, fluxHigh, qLow, qHigh value) value {
		return b.Multiply(inverse, b.Add(b.Subtract(b.Multiply(up, fluxLow), b.Multiply(down, fluxHigh)), b.Multiply(both, b.Subtract(qHigh, qLow))))
	}
	f.flux = state{of(l.along, h.along, l.h, h.h), of(l.moving, h.moving, l.along, h.along), of(l.crossing, h.crossing, l.across, h.across)}
	if b.drains {
		drain := b.Parameter(Drain)
		f.flux.h = b.Program.Maximum(b.Minimum(f.flux.h, b.Multiply(drain, low.h)), b.Negative(b.Multiply(drain, high.h)))
	}
	f.onLow, f.onHigh = b.Subtract(b.pressure(low.h), l.pressure), b.Subtract(b.pressure(high.h), h.pressure)
	f.speed = b.Program.Maximum(up, b.Negative(down))
	return f
}

// inflow is a face of cell 0 through which, at an edge, a discharge comes in, at most as
// fast as waves in the water that is there.
func (b *builder) inflow(axis int, side int8, f face, q cell) face {
	zero := b.Constant(0)
	edge := b.edge(axis, 0, side)
	where := func(a, c value) value {
		return b.Select(b.Present(along(axis, side)), b.Minimum(edge, b.Constant(1)), a, c)
	}
	wave := b.SquareRoot(b.Multiply(b.Parameter(Gravity), q.h))
	speed := b.Minimum(b.Multiply(edge, b.inverse(q.h)), wave)
	// Before there is water, steps are those of the critical depth.
	critical := b.cubeRoot(b.Add(b.Multiply(b.Parameter(Gravity), b.Program.Maximum(edge, zero)), b.Constant(1e-9)))
	upwards := edge
	ground := &f.onHigh
	if side > 0 {
		upwards, ground = b.Negative(edge), &f.onLow
	}
	f.flux = state{where(upwards, f.flux.h), where(b.Add(b.Multiply(edge, speed), b.pressure(q.h)), f.flux.along), where(zero, f.flux.across)}
	*ground = where(zero, *ground)
	f.speed = where(b.Program.Maximum(f.speed, b.Program.Maximum(b.Add(speed, wave), critical)), f.speed)
	return f
}

// side is the water at one side of a face that lies above some ground.
type side struct {
	state
	c        value // √(gh)
	pressure value
	moving   value // flux of the discharge along
	crossing value // flux of that across
}

func (b *builder) side(q cell, ground value) (s side) {
	s.h = b.Program.Maximum(b.Minimum(b.Subtract(q.w, ground), q.h), b.Constant(0))
	s.along, s.across = b.Multiply(s.h, q.u), b.Multiply(s.h, q.v)
	s.c = b.SquareRoot(b.Multiply(b.Parameter(Gravity), s.h))
	s.pressure = b.pressure(s.h)
	s.moving = b.Add(b.Multiply(s.along, q.u), s.pressure)
	s.crossing = b.Multiply(s.across, q.u)
	return s
}

// pressure is ½gh².
func (b *builder) pressure(h value) value {
	return b.Multiply(b.Multiply(b.Constant(0.5), b.Parameter(Gravity)), b.Multiply(h, h))
}
