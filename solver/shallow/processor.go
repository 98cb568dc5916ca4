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
	layout *solver.Layout
	fluxes []*fluxes[T]                 // of the phases that have any
	own    []*stencil.Stencil[T]        // of the others
	stages []runner                     // all of them
	q      [scheme.Next + 1][values][]T // water and rates, by field
	edges  [sides][]T
	quiet  *quiet[T]       // nil where all is computed
	works  [][]solver.Work // by step of the cycle
}

var _ Kernel = (*onProcessor[float64])(nil)

func bindProcessor[T float32 | float64](c clock, b *solver.Binding, d *processor.Device) (solver.Kernel, error) {
	k := &onProcessor[T]{clock: c, layout: b.Layout}
	fill := func(list [][]T, field int) {
		memory, stride := processor.Values[T](d, b.Array(field))
		for v := range list {
			list[v] = memory[v*stride:][:stride]
		}
	}
	for field := range k.q {
		if field == scheme.Bottom || field > c.water.field(1) {
			continue
		}
		fill(k.q[field][:], field)
	}
	if c.water.Edge != nil {
		fill(k.edges[:], c.water.edges())
	}
	for i, s := range c.water.stages() {
		if s.fluxes() {
			f, err := newFluxes[T](c.water, b, &s, i)
			if err != nil {
				return nil, err
			}
			k.fluxes, k.stages = append(k.fluxes, f), append(k.stages, f)
			continue
		}
		var accesses []stencil.Access
		for n := range int64(cycle) {
			accesses = append(accesses, s.last.update.Of(c.water.fieldsAt(i, n)...))
		}
		own, err := stencil.NewStencil[T](b, s.last.update, s.last.functions, accesses...)
		if err != nil {
			return nil, err
		}
		k.own, k.stages = append(k.own, own), append(k.stages, own)
	}
	k.prepare()
	if !c.water.Dry {
		k.quiet = newQuiet(k, b, k.fluxes[firstPhase])
	}
	for n := range cycle {
		var works []solver.Work
		for phase, s := range k.stages {
			works = append(works, k.needed(phase, s.Work(n)))
		}
		if k.quiet != nil {
			works = k.quiet.works(n)
		}
		k.works = append(k.works, works)
	}
	return k, nil
}

// runner computes a stage, of a step of the cycle, on blocks or on some cells of a run.
type runner interface {
	Work(n int) solver.BlockWork
	Part(n int) func(worker int, from, to int32)
}

// Begin counts the step that comes.
func (k *onProcessor[T]) Begin(steps int64) error {
	if k.quiet != nil && k.quiet.stale {
		k.quiet.look(k.water.field(steps))
	}
	for _, f := range k.fluxes {
		f.stage++
	}
	return k.clock.Begin(steps)
}

// Resume goes on after so many steps.
func (k *onProcessor[T]) Resume(steps int64) {
	k.clock.Resume(steps)
	if k.quiet != nil {
		k.quiet.stale = true
	}
}

// needed is the work of a phase where it is needed.
func (k *onProcessor[T]) needed(phase int, w solver.BlockWork) solver.BlockWork {
	if !k.water.Euler || phase != secondPhase {
		return w
	}
	return func(b *solver.Block, worker int) {
		if k.again {
			w(b, worker)
		}
	}
}

// prepare lets stages take over the parameters, but for a step that is taken once more.
func (k *onProcessor[T]) prepare() {
	for phase, f := range k.fluxes {
		if !k.water.Euler || phase != secondPhase {
			f.prepare(&k.clock)
		}
	}
	for _, s := range k.own {
		k.set(s.Set)
		s.Prepare()
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
	numbers[0] = int64(math.Float64bits(float64(k.fluxes[firstPhase].TakeMaximum())))
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
	for _, f := range k.fluxes {
		total += f.Bytes()
	}
	for _, s := range k.own {
		total += s.Bytes()
	}
	if k.quiet != nil {
		total += k.quiet.bytes()
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
