package shallow

import (
	"encoding/binary"
	"errors"
	"math"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/processor"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Water is what is computed, in SI units.
type Water struct {
	// Gravity is in m/s².
	Gravity float64
	// Initial gives the depth in m and the discharge, depth times velocity, in m²/s
	// at the start. It is called side by side.
	Initial func(position r3.Vec) (depth float64, discharge [2]float64)
	// Courant is the part of the time in which the fastest wave crosses a cell that
	// a step takes; 0 means 0.25.
	Courant float64
}

var _ solver.Physics = (*Water)(nil)

// Fields and their values: the conserved ones, and their rates of change.
const (
	conserved = iota
	rates
)

const (
	depth = iota
	dischargeX
	dischargeY
	values
)

// Phases of a step.
const (
	fluxPhase = iota
	advancePhase
)

// sides are the neighbours: those along axis i/2, up where i is even.
var sides = []geometry.Offset{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}}

// Fields are depth and discharge, and their rates.
func (w *Water) Fields() []solver.Field {
	return []solver.Field{
		{Name: "water", Values: values, Kind: solver.Float64},
		{Name: "rates", Values: values, Kind: solver.Float64},
	}
}

// Program computes fluxes, with them the time step that all ranks can take, and
// advances.
func (w *Water) Program() solver.Program {
	beside := solver.Neighbours(conserved, values, sides)
	return solver.Program{
		Steps: [][]solver.Phase{{
			{Name: "flux", Reads: beside, Reduce: &solver.Reduction{Operation: transport.Max, Values: 1, Every: 1}},
			{Name: "advance", Fetch: beside},
		}},
		State: [][]solver.Slot{solver.Own(conserved, values)},
	}
}

// Kernel is the water of one rank.
type Kernel struct {
	water   *Water
	layout  *solver.Layout
	spacing float64
	q, rate [values][]float64
	windows *solver.Windows // of sides
	fastest []worker
	dt      float64
	time    float64
}

// worker is what one worker found, on a cache line of its own.
type worker struct {
	speed float64
	_     [56]byte
}

// Bind fills the cells.
func (w *Water) Bind(b *solver.Binding) (solver.Kernel, error) {
	grid := b.Domain.Grid
	if grid.Size[2] != 1 {
		return nil, errors.New("shallow water needs a grid of one layer; give one with one cell along z")
	}
	if d, ok := b.Device.(*cuda.Device); ok {
		return w.bindGPU(b, d)
	}
	d, ok := b.Device.(*processor.Device)
	if !ok {
		return nil, errors.New("shallow water is computed on processors and on GPUs with arrays; choose these")
	}
	k := &Kernel{water: w, layout: b.Layout, spacing: grid.Spacing, fastest: make([]worker, d.Workers())}
	for field, list := range [2]*[values][]float64{&k.q, &k.rate} {
		memory, stride := processor.Values[float64](d, b.Array(field))
		for v := range list {
			list[v] = memory[v*stride:][:stride]
		}
	}
	k.windows = b.Windows(sides)
	return k, w.fill(b)
}

// fill sets own cells to the start.
func (w *Water) fill(b *solver.Binding) error {
	return b.Fill(conserved, func(x, y, z int32, values []float64) {
		h, flow := w.Initial(b.Domain.Grid.Center(x, y, z))
		values[depth], values[dischargeX], values[dischargeY] = h, flow[0], flow[1]
	})
}

// Work is what a phase does on a block.
func (k *Kernel) Work(_, phase int) solver.Work {
	if phase == fluxPhase {
		return solver.BlockWork(k.flux)
	}
	return solver.BlockWork(k.advance)
}

// Begin has nothing to do.
func (k *Kernel) Begin(int64) error { return nil }

// state is the conserved values of a cell.
type state [values]float64

// flux sums what flows into the cells of a block. Both cells at a face compute
// the same flux.
func (k *Kernel) flux(b *solver.Block, number int) {
	for c := b.First; c < b.End; c++ {
		here := state{k.q[depth][c], k.q[dischargeX][c], k.q[dischargeY][c]}
		var sum state
		for i := range sides {
			axis, up := i/2, i%2 == 0
			there := here
			if n := k.windows.Neighbour(i, c); n >= 0 {
				there = state{k.q[depth][n], k.q[dischargeX][n], k.q[dischargeY][n]}
			} else {
				there[1+axis] = -there[1+axis]
			}
			low, high, sign := &here, &there, -1.0
			if !up {
				low, high, sign = &there, &here, 1
			}
			f, speed := k.face(low, high, axis)
			k.fastest[number].speed = max(k.fastest[number].speed, speed)
			for v := range sum {
				sum[v] += sign * f[v]
			}
		}
		for v := range sum {
			k.rate[v][c] = sum[v] / k.spacing
		}
	}
}

// face is Rusanov's (1961) flux from low to high along an axis, and the speed of
// the fastest wave.
func (k *Kernel) face(low, high *state, axis int) (f state, speed float64) {
	a, fastLow := k.side(low, axis)
	b, fastHigh := k.side(high, axis)
	speed = max(fastLow, fastHigh)
	for v := range f {
		f[v] = 0.5*(a[v]+b[v]) - 0.5*speed*(high[v]-low[v])
	}
	return f, speed
}

// side is the flux of a state along an axis and its fastest wave.
func (k *Kernel) side(q *state, axis int) (f state, speed float64) {
	h := q[depth]
	if h <= 0 {
		return f, 0
	}
	u := q[1+axis] / h
	f = state{q[1+axis], q[dischargeX] * u, q[dischargeY] * u}
	f[1+axis] += 0.5 * k.water.Gravity * h * h
	return f, math.Abs(u) + math.Sqrt(k.water.Gravity*h)
}

// Collect hands over the highest speed: non-negative numbers are ordered as their
// bits are.
func (k *Kernel) Collect(_ int, numbers []int64) error {
	for i := range k.fastest {
		numbers[0] = max(numbers[0], int64(math.Float64bits(k.fastest[i].speed)))
		k.fastest[i].speed = 0
	}
	return nil
}

// Apply chooses the time step.
func (k *Kernel) Apply(_ int, numbers []int64) {
	courant := k.water.Courant
	if courant == 0 {
		courant = 0.25
	}
	k.dt = 0
	if speed := math.Float64frombits(uint64(numbers[0])); speed > 0 {
		k.dt = courant * k.spacing / speed
	}
	k.time += k.dt
}

func (k *Kernel) advance(b *solver.Block, _ int) {
	for v := range k.q {
		q, rate := k.q[v][b.First:b.End], k.rate[v][b.First:b.End]
		for i := range q {
			q[i] += float64(k.dt * rate[i])
		}
	}
}

// Time is how much has passed, in seconds.
func (k *Kernel) Time() float64 { return k.time }

// At returns the depth and the discharge in a cell by its local number.
func (k *Kernel) At(cell int32) (h float64, discharge [2]float64) {
	return k.q[depth][cell], [2]float64{k.q[dischargeX][cell], k.q[dischargeY][cell]}
}

// Check returns the largest velocity in a block.
func (k *Kernel) Check(b *solver.Block, _ int) (speed float64, bad int64) {
	bad = solver.NoCell
	k.layout.EachGlobal(b, func(cell int32, global int64) {
		h, flow := k.At(cell)
		if !(h >= 0) || math.IsInf(h, 1) {
			bad = min(bad, global)
		} else if h > 0 {
			speed = max(speed, math.Hypot(flow[0], flow[1])/h)
		}
	})
	return speed, bad
}

// SaveGlobal returns the time.
func (k *Kernel) SaveGlobal() []byte {
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(k.time))
}

// LoadGlobal takes it over.
func (k *Kernel) LoadGlobal(data []byte) error {
	if len(data) != 8 {
		return errors.New("the saved time is not one number")
	}
	k.time = math.Float64frombits(binary.LittleEndian.Uint64(data))
	return nil
}
