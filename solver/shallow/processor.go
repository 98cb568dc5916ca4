package shallow

import (
	"math"

	"carina/solver"
	"carina/solver/processor"
	"carina/solver/shallow/scheme"
	"carina/solver/stencil"
)

// Kernel is the water of one rank on processors.
type Kernel interface {
	solver.Kernel
	// Time is how much has passed, in seconds.
	Time() float64
	// At returns the depth in m and the discharge in m²/s in a cell by its local number.
	At(cell int32) (h float64, discharge [2]float64)
	// Wet is how many of the cells from ≤ cell < to are not dry.
	Wet(from, to int32) int64
}

// onProcessor computes in values of type T.
type onProcessor[T float32 | float64] struct {
	clock
	layout  *solver.Layout
	windows *solver.Windows
	tiles   solver.Cuts[[]tile]
	fluxes  []*fluxes[T]                 // of the phases that have any
	record  *stencil.Stencil[T]          // nil where nothing is recorded
	q       [scheme.Next + 1][values][]T // water and rates, by field
	edges   [sides][]T
	wet     *wet[T]         // nil where all is computed
	works   [][]solver.Work // by step of the cycle
}

var _ Kernel = (*onProcessor[float64])(nil)

func bindProcessor[T float32 | float64](c clock, b *solver.Binding, d *processor.Device) (solver.Kernel, error) {
	k := &onProcessor[T]{clock: c, layout: b.Layout, windows: b.Windows(offsets)}
	fill := func(list [][]T, field int) {
		memory, stride := processor.Values[T](d, b.Array(field))
		for v := range list {
			list[v] = memory[v*stride:][:stride]
		}
	}
	for field := range k.q {
		if field != scheme.Bottom && field <= c.water.field(1) {
			fill(k.q[field][:], field)
		}
	}
	if c.water.Edge != nil {
		fill(k.edges[:], c.water.edges())
	}
	if !c.water.Dry {
		k.wet = newWet(k, b.Cells)
	}
	for i, s := range c.water.stages() {
		var err error
		if s.fluxes() {
			var f *fluxes[T]
			f, err = newFluxes(k, b, &s, i)
			k.fluxes = append(k.fluxes, f)
		} else {
			var accesses []stencil.Access
			for n := range int64(cycle) {
				accesses = append(accesses, s.last.update.Of(c.water.fieldsAt(i, n)...))
			}
			k.record, err = stencil.NewStencil[T](b, s.last.update, s.last.functions, accesses...)
		}
		if err != nil {
			return nil, err
		}
	}
	k.prepare()
	for n := range cycle {
		works := []solver.Work{k.fluxes[firstPhase].work(n), k.needed(k.fluxes[secondPhase].work(n))}
		if k.record != nil {
			works = append(works, k.recording(n))
		}
		k.works = append(k.works, works)
	}
	return k, nil
}

// Resume goes on after so many steps.
func (k *onProcessor[T]) Resume(steps int64) {
	k.clock.Resume(steps)
	if k.wet != nil {
		k.wet.forget()
	}
}

// needed is the work of the second phase where it is needed.
func (k *onProcessor[T]) needed(w processor.PartWork) processor.PartWork {
	return func(blocks []solver.Block) (int, func(part, worker int)) {
		if k.water.Euler && !k.again {
			return 0, nil
		}
		return w(blocks)
	}
}

// recording is the work of the last phase, on what is not dry of the water after the n-th step of
// a cycle.
func (k *onProcessor[T]) recording(n int) solver.BlockWork {
	part, field := k.record.Part(n), k.water.field(int64(n)+1)
	return func(b *solver.Block, worker int) {
		k.record.EachRun(b, func(from, to int32) {
			s := span{from, to}
			if k.wet != nil {
				s = k.wet.some(field, s)
			}
			if !s.empty() {
				part(worker, s.from, s.to)
			}
		})
	}
}

// prepare lets stages take over the parameters, but for a step that is taken once more.
func (k *onProcessor[T]) prepare() {
	for phase, f := range k.fluxes {
		if !k.water.Euler || phase != secondPhase {
			f.prepare(&k.clock)
		}
	}
	if k.record != nil {
		k.set(k.record.Set)
		k.record.Prepare()
	}
}

// LoadGlobal takes over the time.
func (k *onProcessor[T]) LoadGlobal(data []byte) error {
	err := k.clock.LoadGlobal(data)
	k.prepare()
	return err
}

// Work is that of a phase.
func (k *onProcessor[T]) Work(step, phase int) solver.Work { return k.works[step][phase] }

// Collect hands over the highest speed: non-negative numbers are ordered as their
// bits are.
func (k *onProcessor[T]) Collect(_ int, numbers []int64) error {
	numbers[0] = int64(math.Float64bits(float64(k.fluxes[firstPhase].takeMaximum())))
	return nil
}

// Apply chooses the time step.
func (k *onProcessor[T]) Apply(_ int, numbers []int64) {
	if speed := math.Float64frombits(uint64(numbers[0])); k.water.Euler {
		k.check(speed, func() { k.fluxes[secondPhase].prepare(&k.clock) })
	} else {
		k.choose(speed)
	}
	k.prepare()
}

// Bytes is the memory beside that of fields.
func (k *onProcessor[T]) Bytes() (total int64) {
	total = k.windows.Bytes()
	if k.record != nil {
		total += k.record.Bytes()
	}
	if k.wet != nil {
		total += k.wet.bytes()
	}
	return total
}

// At returns the depth and the discharge in a cell by its local number.
func (k *onProcessor[T]) At(cell int32) (h float64, discharge [2]float64) {
	q := k.q[k.water.field(k.steps)]
	return float64(q[depth][cell]), [2]float64{float64(q[dischargeX][cell]), float64(q[dischargeY][cell])}
}

// Wet is how many of the cells from ≤ cell < to are not dry.
func (k *onProcessor[T]) Wet(from, to int32) (n int64) {
	for _, h := range k.q[k.water.field(k.steps)][depth][from:to] {
		if h > 0 {
			n++
		}
	}
	return n
}

// Check returns the largest velocity in a block.
func (k *onProcessor[T]) Check(b *solver.Block, _ int) (speed float64, bad int64) {
	bad = solver.NoCell
	k.layout.EachGlobal(b, func(cell int32, global int64) {
		h, flow := k.At(cell)
		momentum := math.Hypot(flow[0], flow[1])
		if !(h >= 0) || math.IsInf(h, 1) || math.IsNaN(momentum) || math.IsInf(momentum, 1) {
			bad = min(bad, global)
		} else if h > 0 {
			speed = max(speed, momentum/h)
		}
	})
	return speed, bad
}
