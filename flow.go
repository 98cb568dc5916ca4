package carina

import (
	"context"
	"errors"
	"fmt"

	"carina/balance"
	"carina/geometry"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/internal/run"
	"carina/output"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda"
	"carina/solver/transport"
)

// What the front door passes on of the solver.
type (
	// Progress is what a running computation reports.
	Progress = airflow.Progress
	// Opening is the flow through an opening.
	Opening = airflow.OpeningSummary
	// Fields are the pressure and the velocity in all cells, in the order of the
	// grid's runs.
	Fields = output.Fields
)

// Summary is the outcome of a computation, in SI units.
type Summary struct{ *airflow.Summary }

// String says the same in a line.
func (s *Summary) String() string {
	return fmt.Sprintf("%d cells, %d steps of %s in %.1f s, %.1f MLUPS; Reynolds number %.4g, pressure drop %s, inflow and outflow differ by %.3g %%",
		s.FluidCells, s.Steps, quantity.Format(s.TimeStep, "s"), s.Seconds, s.MLUPS, s.Reynolds, quantity.Format(s.PressureDrop, "Pa"), 100*s.MassBalance)
}

// Moment is the flow at one moment of a computation.
type Moment struct {
	Step     int64
	Time     float64 // in seconds
	Openings []Opening
	Fields   *Fields
}

// Flow is the flow of air on the cells of a grid.
type Flow struct {
	job     run.Job
	grid    *geometry.Grid
	parts   *balance.Partition
	options options
	summary *Summary
	fields  *Fields
}

type options struct {
	transport transport.Transport
	report    func(Progress)
	every     int64
	observe   func(*Moment) error
}

// Option is something that a flow is computed with besides its case.
type Option func(*options)

// Over computes the one rank that this process is, with the ranks of the other
// processes: see transport.ConnectMPI. All of them open and run the same flow.
func Over(t transport.Transport) Option { return func(o *options) { o.transport = t } }

// Report hears how far the computation is, in the process of rank 0.
func Report(hear func(Progress)) Option { return func(o *options) { o.report = hear } }

// Every shows the flow every so many steps, rounded up to a multiple of
// airflow.CheckInterval, in the process of rank 0. All cells are brought together
// for it. An error ends the computation.
func Every(steps int64, see func(*Moment) error) Option {
	return func(o *options) { o.every, o.observe = steps, see }
}

// Open makes a flow of a grid, of who owns its cells, and of what a case says of
// the flow; what the case says of the grid and of the partition does not matter
// any more. It finds what cannot be computed before anything is.
func Open(grid *geometry.Grid, partition *balance.Partition, c Case, with ...Option) (*Flow, error) {
	f := &Flow{grid: grid, parts: partition}
	for _, option := range with {
		option(&f.options)
	}
	err := f.prepare(&c)
	if err := transport.Agree(f.options.transport, err); err != nil {
		return nil, err
	}
	return f, nil
}

// prepare checks the case and makes what is to be computed of it.
func (f *Flow) prepare(c *Case) error {
	if err := c.CheckFlow(); err != nil {
		return err
	}
	if f.options.observe != nil && f.options.every < 1 {
		return fmt.Errorf("the flow cannot be shown every %d steps: give a number of at least 1", f.options.every)
	}
	settings, plan, err := c.FlowOn(f.grid, f.grid.Cells())
	if err != nil {
		return err
	}
	domain, err := solver.NewDomain(f.grid, f.parts)
	if err != nil {
		return err
	}
	ranks, t := domain.Ranks, f.options.transport
	if t != nil && t.Size() != ranks {
		return fmt.Errorf("the partition is for %s, and was started with %s: start %d, or partition again", quantity.Count(ranks, "rank"), quantity.Count(t.Size(), "process"), ranks)
	}
	cells := f.grid.Cells()
	if t != nil {
		cells = f.parts.Quality.Ranks[t.Rank()].Fluid
	}
	if c.Device != GPU {
		if err := machine.Admit(airflow.MemoryEstimate(cells, settings)); err != nil {
			return fmt.Errorf("the flow on %d cells: %w: choose a larger spacing or fewer cells", cells, err)
		}
	}
	plan.KeepStopped = true
	f.job = run.Job{
		Domain: domain, Settings: settings, Plan: plan, Transport: t,
		GPU: c.Device == GPU, Storage: gpu.Storage(c.Storage), Exchange: cuda.Exchange(c.Exchange),
	}
	return nil
}

// Grid is what the flow is computed on, Partition who computes what.
func (f *Flow) Grid() *geometry.Grid { return f.grid }

// Partition is who owns which cells.
func (f *Flow) Partition() *balance.Partition { return f.parts }

// Run computes the flow from rest to the end that the case names. Where the
// context ends it before, the fields and the summary are those reached, and the
// error wraps the context's.
func (f *Flow) Run(ctx context.Context, with ...Option) error {
	if f.summary != nil || f.job.Domain == nil {
		return errors.New("this flow has been computed or closed: open another one")
	}
	o := f.options
	for _, option := range with {
		option(&o)
	}
	if o.transport != f.options.transport {
		return errors.New("a flow is opened over a transport: give it to Open instead of Run")
	}
	f.job.Plan.Report = o.report
	hooks := run.Hooks{Visit: f.keep}
	if o.observe != nil {
		if o.every < 1 {
			return fmt.Errorf("the flow cannot be shown every %d steps: give a number of at least 1", o.every)
		}
		hooks.Between = []run.Between{{Every: o.every, Do: o.show}}
	}
	summary, err := f.job.Run(ctx, hooks)
	if err != nil {
		return err
	}
	f.summary = &Summary{summary}
	if summary.Interrupted {
		return fmt.Errorf("stopped after step %d: %w", summary.Steps, context.Cause(ctx))
	}
	return nil
}

// keep keeps the fields of all cells.
func (f *Flow) keep(v *run.View) error {
	all, err := together(v)
	if err == nil && v.Rank() == 0 {
		f.fields = all
	}
	return err
}

// together brings the fields of all cells together on rank 0.
func together(v *run.View) (*Fields, error) {
	own, err := v.Fields()
	if err != nil {
		return nil, err
	}
	all, err := v.Gather(own)
	if err != nil || all == nil {
		return nil, err
	}
	return &Fields{Time: v.Time(), Pressure: all.Pressure, Velocity: all.Velocity}, nil
}

// show brings the flow at one moment together for who wants to see it.
func (o *options) show(v *run.View) error {
	openings, err := v.Openings()
	if err != nil {
		return err
	}
	all, err := together(v)
	if err != nil || v.Rank() != 0 {
		return err
	}
	return o.observe(&Moment{Step: v.Step(), Time: v.Time(), Openings: openings, Fields: all})
}

// Summary is the outcome, nil before Run.
func (f *Flow) Summary() *Summary { return f.summary }

// Fields are those of all cells when Run ended, in the process of rank 0.
func (f *Flow) Fields() (*Fields, error) {
	switch {
	case f.fields != nil:
		return f.fields, nil
	case f.summary != nil:
		return nil, errors.New("the fields are kept by the process of rank 0: ask it")
	}
	return nil, errors.New("there are no fields before the flow has been computed: call Run")
}

// Close frees what the flow holds.
func (f *Flow) Close() { f.job, f.fields = run.Job{}, nil }

// Run takes all steps from a case to the flow: it reads the surface and fills it with
// cells, or reads a grid file, shares the cells among the case's ranks and computes.
func Run(ctx context.Context, c Case, with ...Option) (*Flow, error) {
	if err := c.CheckFlow(); err != nil {
		return nil, err
	}
	grid, err := c.gridOf(ctx)
	if err != nil {
		return nil, err
	}
	parts, err := c.PartitionOptions(grid)
	if err != nil {
		return nil, err
	}
	partition, err := balance.Make(ctx, grid, parts)
	if err != nil {
		return nil, err
	}
	f, err := Open(grid, partition, c, with...)
	if err != nil {
		return nil, err
	}
	return f, f.Run(ctx)
}

// gridOf reads the grid file that the case names, or fills its surface with cells.
func (c *Case) gridOf(ctx context.Context) (*geometry.Grid, error) {
	switch is, err := geometry.IsGridFile(c.Surface); {
	case err != nil:
		return nil, fmt.Errorf("cannot read the surface: %w", err)
	case is:
		return c.ReadGrid()
	}
	surface, err := c.ReadSurface()
	if err != nil {
		return nil, err
	}
	prepared, voxels, err := c.Prepare(surface, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Surface, err)
	}
	grid, _, err := geometry.VoxelizePrepared(ctx, prepared, voxels)
	if err != nil {
		return nil, fmt.Errorf("voxelizing %s: %w", c.Surface, err)
	}
	return grid, nil
}
