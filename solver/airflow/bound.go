package airflow

import (
	"fmt"
	"runtime"

	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/moments"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/update"
	"carina/solver/airflow/wall"
	"carina/solver/processor"
)

// bound is airflow on one rank of the processor, as a kernel of the engine.
type bound struct {
	*airflow
	device      *processor.Device
	layout      *update.Layout
	populations update.Populations
	openings    *opening.States
	quadratic   *wall.Quadratic // nil unless walls are quadratic
	workspaces  []*update.Workspace
	carried     []*carried // by worker; nil where nobody wants the velocity
	average     *average
	statistics  moments.Statistics
	kept        keptFields
	fresh       fresh
	steps       int64                // done or begun
	ambientNow  float64              // after these, in Pa
	relative    bool                 // pressures relative to the ambient one are asked for
	before      map[int64][3]float64 // velocity by global number, when Compare was called last
	odd         bool                 // the step that comes next
}

var (
	_ Kernel           = (*bound)(nil)
	_ solver.Auxiliary = (*bound)(nil)
	_ solver.Checker   = (*bound)(nil)
	_ solver.Resumer   = (*bound)(nil)
)

// Bind finds windows, walls and openings of a rank.
func (a *airflow) Bind(b *solver.Binding) (solver.Kernel, error) {
	device, ok := b.Device.(*processor.Device)
	if !ok {
		return nil, fmt.Errorf("the flow is bound to processors here and the device is a %T: give processor.New, or the flow that belongs to the device", b.Device)
	}
	r := &bound{airflow: a, device: device, layout: update.NewLayout(b.Finder, a.set, a.like)}
	r.openings = a.openings.Clone()
	r.ambientNow = a.ambientAfter(0)
	scheme := a.wallScheme()
	if err := r.layout.FindLinks(a.domain.Grid, &scheme, r.openings); err != nil {
		return nil, err
	}
	var err error
	if r.populations, err = update.New(kernel.Storage(a.settings.Precision), r.layout, r.device, b.Array(0), a.variant(), a.parameters()); err != nil {
		return nil, err
	}
	if a.settings.Initial != nil {
		r.initialize()
	}
	for range r.device.Workers() {
		r.workspaces = append(r.workspaces, update.NewWorkspace(a.set))
		if a.carries {
			r.carried = append(r.carried, r.newCarried())
		}
	}
	if a.settings.Wall == Quadratic {
		r.quadratic = wall.NewQuadratic(b, a.set, streamPhase, a.settings.Precision.Bytes())
	}
	return r, nil
}

// Work is what a phase does on a block.
func (r *bound) Work(step, phase int) solver.Work {
	odd := step == 1
	if phase == wallPhase {
		// Corrections are those of the next step.
		return solver.BlockWork(func(b *solver.Block, _ int) { r.populations.CorrectQuadratic(r.quadratic, b.Number, !odd) })
	}
	return solver.BlockWork(func(b *solver.Block, worker int) {
		w := r.workspaces[worker]
		if r.carries {
			r.carry(b, odd, worker)
		}
		r.populations.Step(b.Number, odd, r.openings, w)
	})
}

// Begin sets what acts in a step.
func (r *bound) Begin(steps int64) error {
	if r.settings.ForceWaveform != nil {
		r.setForce(steps)
		r.populations.Retune(r.parameters())
	}
	r.openings.Prepare(float64(steps+1), r.rampSteps)
	r.odd, r.steps = steps%2 == 0, steps+1
	r.ambientNow = r.ambientAfter(r.steps)
	return nil
}

// Collect adds what flows through the openings in the last step, and the density
// there times the area.
func (r *bound) Collect(_ int, sums []int64) error {
	r.layout.Openings.Flow(func(opening int, outflow, weighted float64) {
		sums[2*opening] += toFixed(outflow)
		sums[2*opening+1] += toFixed(weighted)
	})
	return nil
}

// Apply tells the openings how much flows through them.
func (r *bound) Apply(_ int, sums []int64) {
	r.openings.Couple(func(i int) (float64, float64) { return fromFixed(sums[2*i]), fromFixed(sums[2*i+1]) })
}

// SaveGlobal returns what openings know of earlier steps.
func (r *bound) SaveGlobal() []byte { return r.openings.Save() }

// LoadGlobal takes it over.
func (r *bound) LoadGlobal(data []byte) error { return r.openings.Load(data) }

// Resume goes on after so many steps.
func (r *bound) Resume(steps int64) {
	r.odd, r.steps, r.kept.steps = steps%2 == 1, steps, never
	r.ambientNow = r.ambientAfter(steps)
	r.fresh.forget()
	if r.settings.ForceWaveform != nil {
		r.setForce(max(0, steps-1))
	}
}

// Openings are in the state of the present step.
func (r *bound) Openings() *opening.States { return r.openings }

// Statistics are those of the cells.
func (r *bound) Statistics() *moments.Statistics { return &r.statistics }

// Device names the kind of processor.
func (r *bound) Device() string { return runtime.GOARCH }

// Describe adds what belongs to processors.
func (r *bound) Describe(u *UsedSettings) {
	u.Layout, u.InstructionSet, u.Workers = Sparse, r.populations.InstructionSet(), len(r.workspaces)
	if r.settings.Layout != "" {
		u.Layout = r.settings.Layout
	}
}

// Bytes is the memory of the tables.
func (r *bound) Bytes() int64 { return r.layout.Bytes() + r.quadratic.Bytes() + r.statistics.Bytes() }

// Scattered is what the absorption of sound remembers, by groups of links.
func (r *bound) Scattered() (cells []int64, numbers []float64, err error) {
	cells, numbers = r.layout.Openings.Memory()
	return cells, numbers, nil
}

// eachBlock calls f for all blocks, side by side.
func (r *bound) eachBlock(f func(i int, w *update.Workspace)) {
	work := solver.BlockWork(func(b *solver.Block, worker int) { f(int(b.Number), r.workspaces[worker]) })
	// A processor does the work of blocks.
	_ = r.device.Run(work, solver.Side{Blocks: r.layout.Blocks})
}

// carried is the velocity in the block, from its first cell on, that a worker has last
// computed, for others that run together with the air.
type carried struct {
	first    int32
	velocity [3][]float32
	// set puts there what belongs to a window.
	set func(cell, count int32, populations *update.Window)
}

func (r *bound) newCarried() *carried {
	c := &carried{}
	for axis := range c.velocity {
		c.velocity[axis] = make([]float32, kernel.BlockCells+kernel.WindowCells)
	}
	c.set = func(cell, count int32, populations *update.Window) {
		for lane := range count {
			for a := range c.velocity {
				u := r.force[a] / 2
				for i := range r.set.Q {
					u += float64(r.set.Velocities[i][a]) * populations[i][lane]
				}
				c.velocity[a][cell+lane-c.first] = float32(u)
			}
		}
	}
	return c
}

// carry leaves the velocity in a block, before its step.
func (r *bound) carry(b *solver.Block, odd bool, worker int) {
	c := r.carried[worker]
	c.first = b.First
	r.populations.Arriving(b.Number, odd, r.workspaces[worker], c.set)
}

// Velocity is that in the cells of the block that a worker has last computed, in
// cells per step, from its first cell on.
func (r *bound) Velocity(worker int) *[3][]float32 { return &r.carried[worker].velocity }
