package finitevolume

import (
	"math"

	"carina/solver"
	"carina/solver/processor"
	"carina/solver/stencil"
)

// onProcessor is a scheme on a processor.
type onProcessor[T float32 | float64] struct {
	scheme  *Scheme
	windows *solver.Windows
	tiles   solver.Cuts[[]tile]
	own     int32              // cells
	fields  map[int][][]T      // of the physics, by number
	active  map[int]*active[T] // of those that change; none where all is computed
	edges   [][]T              // nil: all are walls
	stages  []onWorkers[T]
}

// onWorkers is a stage, of fluxes or of cells by themselves.
type onWorkers[T float32 | float64] struct {
	fluxes *fluxes[T]
	cells  *stencil.Stencil[T]
	works  [cycle]solver.Work
	idle   bool
}

func newProcessor[T float32 | float64](b *solver.Binding, d *processor.Device, s *Scheme) (Rank, error) {
	k := &onProcessor[T]{scheme: s, windows: b.Windows(Offsets), own: int32(b.Cells), fields: map[int][][]T{}, active: map[int]*active[T]{}, stages: make([]onWorkers[T], len(s.Stages))}
	for _, list := range s.Fields {
		for of, number := range list {
			if number == Missing || k.fields[number] != nil {
				continue
			}
			k.fields[number] = processor.Field[T](b, number)
			if changes := of == State || of == Rates || of == Next; changes && !s.All {
				k.active[number] = newActive(k.fields[number], b.Cells)
			}
		}
	}
	k.edges = k.fields[s.Fields[0][Edges]]
	for i := range s.Stages {
		stage, to := &s.Stages[i], &k.stages[i]
		var err error
		if stage.fluxes() {
			to.fluxes, err = newFluxes(k, stage, d.Workers())
		} else {
			to.cells, err = stencil.NewStencil[T](b, stage.Last, s.Functions[stage.Last.Name], stage.Last.Of(s.Fields[0]...), stage.Last.Of(s.Fields[1]...))
		}
		if err != nil {
			return nil, err
		}
		for n := range cycle {
			to.works[n] = k.work(to, n)
		}
	}
	return k, nil
}

// work is that of a stage in a step of the cycle.
func (k *onProcessor[T]) work(to *onWorkers[T], n int) solver.Work {
	if to.fluxes != nil {
		work := to.fluxes.work(n)
		return processor.PartWork(func(blocks []solver.Block) (int, func(part, worker int)) {
			if to.idle {
				return 0, nil
			}
			return work(blocks)
		})
	}
	part, active := to.cells.Part(n), k.active[k.scheme.Fields[n][Next]]
	return solver.BlockWork(func(b *solver.Block, worker int) {
		to.cells.EachRun(b, func(from, to int32) {
			s := span{from, to}
			if active != nil {
				s = active.some(s, k.own)
			}
			if !s.empty() {
				part(worker, s.from, s.to)
			}
		})
	})
}

// Work is that of a phase.
func (k *onProcessor[T]) Work(step, phase int) solver.Work { return k.stages[phase].works[step] }

// Begin lets what is done again do nothing unless it is prepared.
func (k *onProcessor[T]) Begin(int64) error {
	for i := range k.stages {
		k.stages[i].idle = k.scheme.Stages[i].Again
	}
	return nil
}

// Forget lets nothing be known of cells.
func (k *onProcessor[T]) Forget() {
	for _, a := range k.active {
		a.forget()
	}
}

// Prepare lets a phase take over parameters.
func (k *onProcessor[T]) Prepare(phase int, list []Parameter, inflow [Sides]float64) {
	s := &k.stages[phase]
	if s.idle = false; s.fluxes != nil {
		s.fluxes.prepare(list, inflow)
		return
	}
	for _, p := range list {
		s.cells.Set(p.Name, p.Value)
	}
	s.cells.Prepare()
}

// Collect hands over the fastest wave since the last time.
func (k *onProcessor[T]) Collect(_ int, numbers []int64) error {
	var fastest T
	rooms := k.stages[0].fluxes.rooms
	for i := range rooms {
		for _, v := range rooms[i].fastest {
			fastest = max(fastest, v)
		}
		clear(rooms[i].fastest[:])
	}
	numbers[0] = int64(math.Float64bits(float64(fastest)))
	return nil
}
