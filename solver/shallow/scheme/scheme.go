package scheme

import (
	"carina/solver"
	"carina/solver/expression"
	"carina/solver/stencil"
)

// The parameters.
const (
	// Gravity is in m/s², InverseSpacing in cells a metre.
	Gravity        = "gravity"
	InverseSpacing = "inverseSpacing"
	// Thin is κ in m: in water less deep velocities are reduced. Thick is 1/κ.
	Thin  = "thin"
	Thick = "thick"
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

// cell is the water in a cell or at a side of it: depth, level, and velocities along an
// axis and across it.
type cell struct{ h, w, u, v value }

// builder writes an update of which each part of a stage is one: a stage is Cells of all
// cells, along either axis Sides of all of them and Face of each pair, and the balance of a
// cell's faces. Inputs and outputs of parts lie in the order in which they are asked for.
type builder struct{ *stencil.Update }

// The numbers that parts hand on, in this order: those of a cell, or at a side of it.
const CellValues = 4

// Faces hand on what passes upwards, depth and discharge across, and what discharge along
// the cells below and above get, with what the ground of theirs bears.
const FaceValues = 4

// part is an update whose inputs and outputs, so far, lie in the cache.
func part(name string) builder {
	b := builder{stencil.New(name)}
	b.Near, b.Rows = true, true
	return b
}

// lines are those of an input or output with a pointer of its own, by their numbers.
func (b builder) lines(lines ...int) (list []solver.Slot) {
	pointer := b.Pointers()
	for _, line := range lines {
		list = append(list, solver.Slot{Field: pointer, Value: line})
	}
	return list
}

// in are inputs that lie in lines behind a pointer.
func (b builder) in(lines ...int) (list []value) {
	for _, slot := range b.lines(lines...) {
		list = append(list, b.Read(slot))
	}
	return list
}

// one is an input with a pointer.
func (b builder) one() value { return b.in(0)[0] }

// cells are those whose values lie in lines that follow each other, turned with the velocities
// of each with a pointer of its own.
func (b builder) cells() cell {
	q := b.in(0, 1, 2, 3)
	return cell{q[0], q[1], q[2], q[3]}
}

func (b builder) turned() cell {
	q := b.in(0, 1)
	return cell{q[0], q[1], b.one(), b.one()}
}

// leave hands on what goes to fields.
func (b builder) leave(values [values]value) *stencil.Update {
	b.Near = false
	for _, v := range values {
		b.out(v)
	}
	return b.Update
}

// out hands on values in lines that follow each other.
func (b builder) out(values ...value) {
	lines := make([]int, len(values))
	for i := range lines {
		lines[i] = i
	}
	for i, slot := range b.lines(lines...) {
		b.Write(slot, values[i])
	}
}

// Updates are those of which kernels are generated.
func Updates() []*stencil.Update {
	return []*stencil.Update{Cells(false), Cells(true), Sides(), Face(false), Face(true), Inflow(),
		Rates(), Heun(false), Heun(true), Euler(false), Euler(true), Record()}
}

// Cells makes of the water in cells, and the ground, depth, level and velocities along x and
// y; of the water after a step of Euler's, which needs the rates of change, too.
func Cells(after bool) *stencil.Update {
	b := part("Cells" + suffix(after, "After"))
	b.Near = false
	q := b.water()
	bottom := b.one()
	if after {
		q = b.after(q, b.water())
	}
	inverse := b.inverse(q[depth])
	b.Near = true
	b.out(q[depth], b.Add(q[depth], bottom), b.Multiply(inverse, q[alongX]), b.Multiply(inverse, q[alongY]))
	return b.Update
}

func (b builder) water() [values]value { return [values]value{b.one(), b.one(), b.one()} }

// Sides makes of the cells before, at and behind a place on an axis the water within the two
// faces of the middle one, below and above, and what its level drives. Depths and levels
// have slopes of their own, and the ground lies between: water at rest is level up to a
// shore within a cell.
func Sides() *stencil.Update {
	b := part("Sides")
	before, q, after := b.cells(), b.cells(), b.cells()
	b.sides(b.rise(before, q), q, b.rise(q, after))
	return b.Update
}

// Rise is how steep it is from a cell to the next one, and Between makes of what it is
// before a cell, of this one and of what it is behind it what Sides makes of the three cells:
// for kernels that keep what is steep.
func Rise() *stencil.Update {
	b := part("Rise")
	rise := b.rise(b.cells(), b.cells())
	b.out(rise.h, rise.w, rise.u, rise.v)
	return b.Update
}

// Between is told of at Rise.
func Between() *stencil.Update {
	b := part("Between")
	back, q, forth := b.cells(), b.cells(), b.cells()
	b.sides(back, q, forth)
	return b.Update
}

// rise is that between two cells, as steep as slopes may be.
func (b builder) rise(from, to cell) cell {
	steep := b.Constant(theta / 2)
	of := func(from, to value) value { return b.Multiply(steep, b.Subtract(to, from)) }
	return cell{of(from.h, to.h), of(from.w, to.w), of(from.u, to.u), of(from.v, to.v)}
}

func (b builder) sides(back, q, forth cell) {
	// On dry ground there is no level.
	level := b.Select(b.Constant(0), q.h, b.slope(back.w, forth.w), b.Constant(0))
	slope := cell{b.slope(back.h, forth.h), level, b.slope(back.u, forth.u), b.slope(back.v, forth.v)}
	low := cell{b.Subtract(q.h, slope.h), b.Subtract(q.w, slope.w), b.Subtract(q.u, slope.u), b.Subtract(q.v, slope.v)}
	high := cell{b.Add(q.h, slope.h), b.Add(q.w, slope.w), b.Add(q.u, slope.u), b.Add(q.v, slope.v)}
	// The pressure of the depth at either side and what the ground between them bears are
	// together what the level's slope drives.
	driven := b.Multiply(b.Multiply(b.Multiply(b.Constant(2), b.Parameter(Gravity)), q.h), slope.w)
	b.out(low.h, low.w, low.u, low.v)
	b.out(high.h, high.w, high.u, high.v, driven)
}

// Face computes what passes between the water at the high side of a cell and that at the
// low side of the next: above the higher ground of the two the flux is central-upwind,
// below it the water stands. Maximum 0 is the fastest wave. No more water may leave through
// a face that drains than is its share.
//
// With the waves' speeds a⁺ upwards and a⁻ downwards, neither negative, and the shares
// α = a⁺/(a⁺+a⁻) and β = a⁻/(a⁺+a⁻) the flux of Kurganov and Petrova is, of each quantity
// q that the water carries, h·α·(u+a⁻)·q of the low side and h·β·(u−a⁺)·q of the high one;
// of the pressures p it is αp of the low and βp of the high side.
func Face(drains bool) *stencil.Update {
	b := part("Face" + suffix(drains, "Drains"))
	low, high := b.turned(), b.turned()
	zero := b.Constant(0)
	step := b.Subtract(b.Subtract(high.w, high.h), b.Subtract(low.w, low.h))
	l := b.Program.Maximum(b.Subtract(low.h, b.Program.Maximum(step, zero)), zero)
	h := b.Program.Maximum(b.Add(high.h, b.Minimum(step, zero)), zero)
	gravity := b.Parameter(Gravity)
	waveLow, waveHigh := b.root(b.Multiply(gravity, l)), b.root(b.Multiply(gravity, h))
	up := b.Program.Maximum(b.Program.Maximum(b.Add(low.u, waveLow), b.Add(high.u, waveHigh)), zero)
	down := b.Program.Maximum(b.Program.Maximum(b.Subtract(waveLow, low.u), b.Subtract(waveHigh, high.u)), zero)
	inverse := b.Divide(b.Constant(1), b.Add(up, down))
	shareLow, shareHigh := b.Multiply(up, inverse), b.Multiply(down, inverse)
	fromLow := b.Multiply(l, b.Multiply(shareLow, b.Add(low.u, down)))
	fromHigh := b.Multiply(h, b.Multiply(shareHigh, b.Subtract(high.u, up)))
	passes := b.Add(fromLow, fromHigh)
	if drains {
		drain := b.Parameter(Drain)
		passes = b.Program.Maximum(b.Minimum(passes, b.Multiply(drain, low.h)), b.Multiply(b.Negative(drain), high.h))
	}
	across := b.Add(b.Multiply(fromLow, low.v), b.Multiply(fromHigh, high.v))
	pressure := b.Multiply(b.Multiply(b.Multiply(b.Constant(0.5), gravity), b.Subtract(l, h)), b.Add(l, h))
	onHigh := b.Add(b.Add(b.Multiply(fromLow, low.u), b.Multiply(fromHigh, high.u)), b.Multiply(shareLow, pressure))
	b.out(passes, across, b.Subtract(onHigh, pressure), onHigh)
	if !drains {
		b.Maximum(b.Program.Maximum(up, down))
	}
	return b.Update
}

// suffix is that of a name.
func suffix(is bool, name string) string {
	if is {
		return name
	}
	return ""
}

// Inflow is a face at an edge through which a discharge comes in, at most as fast as waves
// in the water that is there, of a depth: what comes in, and what discharge along the cell
// gets. Maximum 0 is the fastest wave.
func Inflow() *stencil.Update {
	b := part("Inflow")
	edge, h := b.one(), b.one()
	wave := b.root(b.Multiply(b.Parameter(Gravity), h))
	speed := b.Minimum(b.Multiply(edge, b.inverse(h)), wave)
	// Before there is water, steps are those of the critical depth.
	critical := b.cubeRoot(b.Add(b.Multiply(b.Parameter(Gravity), edge), b.Constant(1e-9)))
	b.out(b.Multiply(edge, speed))
	b.Maximum(b.Program.Maximum(b.Add(speed, wave), critical))
	return b.Update
}

// balance reads, of either axis, the faces below and above a cell and, in the line of that number
// behind the first, what the ground bears, and makes of them the rates of change.
func (b builder) balance() (rates [values]value) {
	const bears = FaceValues + CellValues
	var list [2]state
	for axis := range list {
		pointer := b.Pointers()
		low, high := b.in(0, 1, 3), b.in(0, 1, 2)
		source := b.Read(solver.Slot{Field: pointer, Value: bears})
		list[axis] = state{h: b.Subtract(low[0], high[0]), across: b.Subtract(low[1], high[1]), along: b.Subtract(b.Subtract(low[2], high[2]), source)}
	}
	x, y := list[0], list[1]
	inverse := b.Parameter(InverseSpacing)
	rates[depth] = b.Multiply(inverse, b.Add(x.h, y.h))
	rates[alongX] = b.Multiply(inverse, b.Add(x.along, y.across))
	rates[alongY] = b.Multiply(inverse, b.Add(x.across, y.along))
	return rates
}

// Rates ends the first stage: the rates of change of the water.
func Rates() *stencil.Update {
	b := part("Rates")
	return b.leave(b.balance())
}

// Heun ends the second stage of the method of second order: a step by the mean of the rates
// of the first stage and of those of the water after it, which is not stored. Rough ground
// slows it.
func Heun(rough bool) *stencil.Update {
	b := ending("Heun", rough)
	rates := b.balance()
	before, first := b.water(), b.water()
	for v := range rates {
		twice := b.Add(first[v], rates[v])
		rates[v] = b.Add(before[v], b.Multiply(b.Multiply(b.Constant(0.5), b.Parameter(TimeStep)), twice))
	}
	return b.leave(b.ended(rates, rough))
}

// Euler ends the only stage of the method of first order in time.
func Euler(rough bool) *stencil.Update {
	b := ending("Euler", rough)
	rates := b.balance()
	return b.leave(b.ended(b.after(b.water(), rates), rough))
}

// Record keeps the greatest depth, and when it was first that of flooded ground.
func Record() *stencil.Update {
	b := builder{stencil.New("Record")}
	own := func(field, v int) value { return b.Read(solver.Slot{Field: field, Value: v}) }
	h, most, arrival := own(Water, depth), own(Records, 0), own(Records, 1)
	now := b.Select(h, b.Parameter(Wet), arrival, b.Parameter(Time))
	b.Write(solver.Slot{Field: Records}, b.Program.Maximum(most, h))
	b.Write(solver.Slot{Field: Records, Value: 1}, b.Select(arrival, b.Constant(0), now, arrival))
	return b.Update
}

// after is water after a step of Euler's.
func (b builder) after(water, rates [values]value) (next [values]value) {
	for v := range next {
		next[v] = b.Add(water[v], b.Multiply(b.Parameter(TimeStep), rates[v]))
	}
	// Rounding does not leave less than nothing.
	next[depth] = b.Program.Maximum(next[depth], b.Constant(0))
	return next
}

// ending is an update of water at the end of a step.
func ending(name string, rough bool) builder {
	return part(name + suffix(rough, "Rough"))
}

// ended is water with discharges as bounded as velocities are and, on rough ground, slowed by
// the friction of a step.
func (b builder) ended(q [values]value, rough bool) [values]value {
	h := b.Program.Maximum(q[depth], b.Constant(0))
	if !rough {
		part := b.Minimum(b.Multiply(b.Parameter(Thick), h), b.Constant(1))
		part = b.Multiply(part, part)
		return [values]value{h, b.Multiply(part, q[alongX]), b.Multiply(part, q[alongY])}
	}
	inverse := b.inverse(h)
	u, v := b.Multiply(inverse, q[alongX]), b.Multiply(inverse, q[alongY])
	speed := b.root(b.Add(b.Multiply(u, u), b.Multiply(v, v)))
	friction := b.Add(b.Parameter(Chezy), b.Divide(b.Parameter(Manning), b.cubeRoot(b.Add(h, b.Constant(1e-9)))))
	share := b.Divide(h, b.Add(b.Constant(1), b.Multiply(b.Multiply(b.Parameter(TimeStep), friction), b.Multiply(speed, inverse))))
	return [values]value{h, b.Multiply(share, u), b.Multiply(share, v)}
}

// cubeRoot is that of depths on Earth, to some 1e-12 of it: √√(ay) comes nearer to ∛a by
// three quarters of the exponent, Halley's method by its cube.
func (b builder) cubeRoot(a value) value {
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

// inverse is 1/h, reduced in water less deep than κ to h/κ².
func (b builder) inverse(h value) value {
	r := b.Divide(b.Constant(1), b.Program.Maximum(h, b.Parameter(Thin)))
	return b.Multiply(b.Multiply(h, r), r)
}

// root is √a, or 1e-10 if that is more: roots of 0 need paths of their own on GPUs.
func (b builder) root(a value) value {
	return b.SquareRoot(b.Program.Maximum(a, b.Constant(1e-20)))
}

// slope is half of minmod's, of what it is back and forth.
func (b builder) slope(back, forth value) value {
	centre := b.Multiply(b.Constant(0.5/theta), b.Add(back, forth))
	zero := b.Constant(0)
	// The first is zero unless both rise, the second unless both fall.
	most := b.Program.Maximum(b.Minimum(back, forth), zero)
	least := b.Minimum(b.Program.Maximum(back, forth), zero)
	return b.Program.Maximum(b.Minimum(centre, most), least)
}
