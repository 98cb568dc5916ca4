package scheme

import (
	"carina/solver"
	"carina/solver/expression"
	"carina/solver/finitevolume"
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

// Records are the greatest depth so far, and when the ground was flooded, −1 before: the only
// field beside those of the scheme.
const Records = finitevolume.Others

const (
	depth = iota
	alongX
	alongY
	// Values are how many the water has: depth h, and the discharges hu and hv.
	Values
)

// theta is how steep slopes may be: 1 the least, 2 the most.
const theta = 1.3

type value = expression.Value

// cell is the water in a cell or at a side of it: depth, level, and velocities along an
// axis and across it.
type cell struct{ h, w, u, v value }

const cellValues = 4

func cellOf(q []value) cell { return cell{q[0], q[1], q[2], q[3]} }

// builder writes a part of a stage.
type builder struct{ finitevolume.Part }

// part is one by its name, with what the second argument tells behind it.
func part(name string, is bool, more string) builder {
	if is {
		name += more
	}
	return builder{finitevolume.NewPart(name)}
}

func (b builder) cell() cell { return cellOf(b.Cell(cellValues)) }
func (b builder) side() cell { return cellOf(b.Side(cellValues)) }

// Updates are those of which kernels are generated.
func Updates() []*stencil.Update {
	return []*stencil.Update{Cells(false), Cells(true), Sides(), Face(false), Face(true), Inflow(),
		Rates(), Heun(false), Heun(true), Euler(false), Euler(true), Record()}
}

// Cells makes of the water in cells, and the ground, depth, level and velocities along x and
// y; of the water after a step of Euler's, which needs the rates of change, too.
func Cells(after bool) *stencil.Update {
	b := part("Cells", after, "After")
	q, bottom := b.Field(Values, true), b.Field(1, true)[0]
	if after {
		q = b.after(q, b.Field(Values, true))
	}
	inverse := b.inverse(q[depth])
	b.Out(q[depth], b.Add(q[depth], bottom), b.Multiply(inverse, q[alongX]), b.Multiply(inverse, q[alongY]))
	return b.Update
}

// Sides makes of the cells before, at and behind a place on an axis the water within the two
// faces of the middle one, below and above, and what its level drives. Depths and levels
// have slopes of their own, and the ground lies between: water at rest is level up to a
// shore within a cell.
func Sides() *stencil.Update {
	b := part("Sides", false, "")
	before, q, after := b.cell(), b.cell(), b.cell()
	b.sides(b.rise(before, q), q, b.rise(q, after))
	return b.Update
}

// Rise is how steep it is from a cell to the next one, and Between makes of what it is
// before a cell, of this one and of what it is behind it what Sides makes of the three cells:
// for kernels that keep what is steep.
func Rise() *stencil.Update {
	b := part("Rise", false, "")
	rise := b.rise(b.cell(), b.cell())
	b.Out(rise.h, rise.w, rise.u, rise.v)
	return b.Update
}

// Between is told of at Rise.
func Between() *stencil.Update {
	b := part("Between", false, "")
	back, q, forth := b.cell(), b.cell(), b.cell()
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
	b.Out(low.h, low.w, low.u, low.v)
	b.Out(high.h, high.w, high.u, high.v, driven)
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
	b := part("Face", drains, "Drains")
	low, high := b.side(), b.side()
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
	b.Out(passes, across, b.Subtract(onHigh, pressure), onHigh)
	if !drains {
		b.Maximum(b.Program.Maximum(up, down))
	}
	return b.Update
}

// Inflow is a face at an edge through which a discharge comes in, at most as fast as waves
// in the water that is there, of a depth: what comes in, and what discharge along the cell
// gets. Maximum 0 is the fastest wave.
func Inflow() *stencil.Update {
	b := part("Inflow", false, "")
	edge, h := b.In(0)[0], b.In(0)[0]
	wave := b.root(b.Multiply(b.Parameter(Gravity), h))
	speed := b.Minimum(b.Multiply(edge, b.inverse(h)), wave)
	// Before there is water, steps are those of the critical depth.
	critical := b.cubeRoot(b.Add(b.Multiply(b.Parameter(Gravity), edge), b.Constant(1e-9)))
	b.Out(b.Multiply(edge, speed))
	b.Maximum(b.Program.Maximum(b.Add(speed, wave), critical))
	return b.Update
}

// rates are those of change.
func (b builder) rates() []value { return b.Rates(Values, cellValues, b.Parameter(InverseSpacing)) }

// Rates ends the first stage: the rates of change of the water.
func Rates() *stencil.Update {
	b := part("Rates", false, "")
	return b.Leave(b.rates()...)
}

// Heun ends the second stage of the method of second order: a step by the mean of the rates
// of the first stage and of those of the water after it, which is not stored. Rough ground
// slows it.
func Heun(rough bool) *stencil.Update {
	b := part("Heun", rough, "Rough")
	rates := b.rates()
	before, first := b.Field(Values, false), b.Field(Values, false)
	for v := range rates {
		twice := b.Add(first[v], rates[v])
		rates[v] = b.Add(before[v], b.Multiply(b.Multiply(b.Constant(0.5), b.Parameter(TimeStep)), twice))
	}
	return b.ended(rates, rough)
}

// Euler ends the only stage of the method of first order in time.
func Euler(rough bool) *stencil.Update {
	b := part("Euler", rough, "Rough")
	rates := b.rates()
	return b.ended(b.after(b.Field(Values, false), rates), rough)
}

// Record keeps the greatest depth, and when it was first that of flooded ground.
func Record() *stencil.Update {
	b := stencil.New("Record")
	own := func(field, v int) value { return b.Read(solver.Slot{Field: field, Value: v}) }
	h, most, arrival := own(finitevolume.Next, depth), own(Records, 0), own(Records, 1)
	now := b.Select(h, b.Parameter(Wet), arrival, b.Parameter(Time))
	b.Write(solver.Slot{Field: Records}, b.Program.Maximum(most, h))
	b.Write(solver.Slot{Field: Records, Value: 1}, b.Select(arrival, b.Constant(0), now, arrival))
	return b
}

// after is water after a step of Euler's.
func (b builder) after(water, rates []value) (next []value) {
	for v := range water {
		next = append(next, b.Add(water[v], b.Multiply(b.Parameter(TimeStep), rates[v])))
	}
	// Rounding does not leave less than nothing.
	next[depth] = b.Program.Maximum(next[depth], b.Constant(0))
	return next
}

// ended ends a step with discharges as bounded as velocities are and, on rough ground, slowed by
// the friction of the step.
func (b builder) ended(q []value, rough bool) *stencil.Update {
	h := b.Program.Maximum(q[depth], b.Constant(0))
	if !rough {
		part := b.Minimum(b.Multiply(b.Parameter(Thick), h), b.Constant(1))
		part = b.Multiply(part, part)
		return b.Leave(h, b.Multiply(part, q[alongX]), b.Multiply(part, q[alongY]))
	}
	inverse := b.inverse(h)
	u, v := b.Multiply(inverse, q[alongX]), b.Multiply(inverse, q[alongY])
	speed := b.root(b.Add(b.Multiply(u, u), b.Multiply(v, v)))
	friction := b.Add(b.Parameter(Chezy), b.Divide(b.Parameter(Manning), b.cubeRoot(b.Add(h, b.Constant(1e-9)))))
	share := b.Divide(h, b.Add(b.Constant(1), b.Multiply(b.Multiply(b.Parameter(TimeStep), friction), b.Multiply(speed, inverse))))
	return b.Leave(h, b.Multiply(share, u), b.Multiply(share, v))
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
