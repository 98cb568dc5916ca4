package airflow

import (
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
	"carina/solver/processor"
)

// bound is airflow on one rank of the processor, as a kernel of the engine.
type bound struct {
	*airflow
	device     *processor.Device
	layout     *layout
	state      state
	openings   *opening.States
	curve      *curve // nil unless walls are quadratic
	workspaces []*workspace
	odd        bool // the step that comes next
}

var (
	_ solver.Kernel    = (*bound)(nil)
	_ solver.Reducer   = (*bound)(nil)
	_ solver.Global    = (*bound)(nil)
	_ solver.Scattered = (*bound)(nil)
)

// Bind finds windows, walls and openings of a rank.
func (a *airflow) Bind(b *solver.Binding) (solver.Kernel, error) {
	r := &bound{airflow: a, device: b.Device.(*processor.Device), layout: newLayout(b.Finder, a.set)}
	r.openings = a.openings.Clone()
	if err := r.layout.findLinks(a.domain.Grid, a.settings.wallScheme(a.units.RelaxationTime()), r.openings); err != nil {
		return nil, err
	}
	if err := r.newState(b.Array(0)); err != nil {
		return nil, err
	}
	if a.settings.Initial != nil {
		r.initialize()
	}
	for range r.device.Workers() {
		w := newWorkspace()
		kernel.PrepareScratch(w.registers, r.set)
		if a.carries {
			for axis := range w.velocity {
				w.velocity[axis] = make([]float32, chunkCells+windowCells)
			}
			w.leave = r.leaveVelocity(w)
		}
		r.workspaces = append(r.workspaces, w)
	}
	if a.settings.Wall == Quadratic {
		r.curve = newCurve(b, r.layout, a.settings.Precision.Bytes())
	}
	return r, nil
}

// newState takes the populations' memory.
func (r *bound) newState(array int32) (err error) {
	switch r.settings.Precision {
	case Double:
		r.state, err = newPopulations[float64, float64](r.layout, r.device, array, r.variant(), r.parameters())
	case Half:
		r.state, err = newPopulations[float32, kernel.Float16](r.layout, r.device, array, r.variant(), r.parameters())
	default:
		r.state, err = newPopulations[float32, float32](r.layout, r.device, array, r.variant(), r.parameters())
	}
	return err
}

// Work is what a phase does on a block.
func (r *bound) Work(step, phase int) solver.Work {
	odd := step == 1
	if phase == wallPhase {
		// Corrections are those of the next step.
		return solver.BlockWork(func(b *solver.Block, _ int) {
			links := r.curve.blocks[b.Number]
			r.state.curve(r.curve.links[links[0]:links[1]], !odd, r.curve.received)
		})
	}
	return solver.BlockWork(func(b *solver.Block, worker int) {
		c, w := &r.layout.chunks[b.Number], r.workspaces[worker]
		if r.carries {
			w.first = c.cell
			r.state.arriving(c, odd, w, w.leave)
		}
		r.state.step(c, odd, r.openings, w)
	})
}

// leaveVelocity makes a function that leaves the velocity in the cells of a window
// with the worker.
func (r *bound) leaveVelocity(w *workspace) func(cell, count int32, populations *[27][windowCells]float64) {
	return func(cell, count int32, populations *[27][windowCells]float64) {
		for lane := range count {
			for a := range w.velocity {
				u := r.force[a] / 2
				for i := range r.set.Q {
					u += float64(r.set.Velocities[i][a]) * populations[i][lane]
				}
				w.velocity[a][cell+lane-w.first] = float32(u)
			}
		}
	}
}

// Velocity is that in the cells of the block that a worker has last computed, in
// cells per step, by their place there.
func (r *bound) Velocity(worker int) *[3][]float32 { return &r.workspaces[worker].velocity }

// Begin sets what acts in a step.
func (r *bound) Begin(steps int64) {
	if r.settings.ForceWaveform != nil {
		r.setForce(steps)
		r.state.retune(r.parameters())
	}
	r.openings.Prepare(float64(steps+1), r.rampSteps)
	r.odd = steps%2 == 0
}

// Collect adds what flows through the openings in the last step, and the density
// there times the area.
func (r *bound) Collect(_ int, sums []int64) {
	r.layout.openings.Flow(func(opening int, outflow, areaDensity float64) {
		sums[2*opening] += ToFixed(outflow)
		sums[2*opening+1] += ToFixed(areaDensity)
	})
}

// Apply tells the openings how much flows through them.
func (r *bound) Apply(_ int, sums []int64) {
	r.openings.Couple(func(i int) (float64, float64) { return FromFixed(sums[2*i]), FromFixed(sums[2*i+1]) })
}

// SaveGlobal returns what openings know of earlier steps.
func (r *bound) SaveGlobal() []byte { return r.openings.Save() }

// LoadGlobal takes it over.
func (r *bound) LoadGlobal(data []byte) error { return r.openings.Load(data) }

// Scattered is what the absorption of sound remembers, by groups of links.
func (r *bound) Scattered() (cells []int64, numbers []float64) { return r.layout.openings.Memory() }

// eachChunk calls f for all chunks, side by side.
func (r *bound) eachChunk(f func(i int, w *workspace)) {
	work := solver.BlockWork(func(b *solver.Block, worker int) { f(int(b.Number), r.workspaces[worker]) })
	// A processor does the work of blocks.
	_ = r.device.Run(work, r.layout.Blocks)
}
