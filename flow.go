package carina

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"carina/balance"
	"carina/geometry"
	"carina/internal/results"
	"carina/internal/run"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/answers"
)

// Flow is the flow of air on the cells of a grid.
type Flow struct {
	from    origin
	job     run.Job
	options options
	results *results.Results // nil where none are written
	looks   *results.Looks   // nil where no cell changes owner
	balance *run.Rebalancing // that lets them
	lobes   []answers.Lobe
	series  results.Series
	summary *Summary
	fields  *Fields
	files   []string
}

// cells is the number of all fluid cells.
func (f *Flow) cells() int64 {
	if f.from.share != nil {
		return f.from.share.CellCount()
	}
	return f.from.grid.Cells()
}

// volume is that of all fluid cells, in cubic metres.
func (f *Flow) volume() float64 {
	spacing := f.from.grid.Spacing
	return float64(f.cells()) * spacing * spacing * spacing
}

// Grid is what the flow is computed on, or the part that this process knows; Partition
// who computes what.
func (f *Flow) Grid() *geometry.Grid { return f.from.grid }

// Partition is who owns which cells.
func (f *Flow) Partition() *balance.Partition { return f.from.partition }

// Voxels are the grid with what is known of its making, where Run has made it; else nil.
func (f *Flow) Voxels() *Voxels { return f.from.made }

// Run computes the flow from rest, or from a checkpoint, to the end that the case names,
// and writes the results into the case's folder, if it names one. Where the context ends
// it before, the fields, the summary and the results are those reached, and the error is a
// StoppedError; a flow that discards its fields and writes no results has no summary then.
// Where only the results could not be written, there is a summary beside the error.
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
	if err := o.check(f.from.c.Output); err != nil {
		return err
	}
	f.options = o
	if err := f.checkRebalancing(); err != nil {
		return err
	}
	f.balance = f.rebalancing()
	end, err := f.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	summary, err := f.job.Run(ctx, f.follow())
	if err != nil {
		return f.abandon(ctx, err)
	}
	return f.conclude(ctx, summary)
}

// begin prepares the results, or without them looks out for ranks that are lost.
func (f *Flow) begin(ctx context.Context) (end func(), err error) {
	t := f.options.transport
	switch {
	case f.from.c.Output != "":
		if f.results, err = results.New(ctx, f.resultsOf()); err != nil {
			return nil, err
		}
		return f.results.End, nil
	case t != nil && t.Size() > 1:
		return results.WatchLost(t)
	}
	return func() {}, nil
}

// follow lets the plan, and what is called on the way, report and write. It says in which
// order things are done between steps.
func (f *Flow) follow() run.Hooks {
	o, plan := &f.options, &f.job.Plan
	plan.Report, plan.Announce = o.listener.Progress, o.listener.Announce
	plan.Warn = func(warnings []string) {
		for _, words := range warnings {
			f.warn(words)
		}
	}
	hooks := run.Hooks{Memory: o.listener.Memory, Rebalance: f.balance}
	if f.from.in != nil {
		hooks.Between = append(hooks.Between, run.Between{Do: f.from.in.refuseCheckpoints})
	}
	if o.observe != nil {
		hooks.Between = append(hooks.Between, run.Between{Every: o.every, Do: o.show})
	}
	if f.results != nil {
		plan.Begin = f.results.Begin
		if f.from.in == nil || f.from.in.final() {
			hooks.Diverged = f.results.Diverged
		}
		hooks.Between = append(hooks.Between, f.results.Between()...)
		if o.restart != nil {
			plan.Resume = f.results.Resume
		}
	}
	plan.KeepStopped = f.results != nil || !o.discard
	if plan.KeepStopped || f.from.keep != nil {
		hooks.Visit = f.visit
	}
	return hooks
}

// resultsOf is what results need to know.
func (f *Flow) resultsOf() results.Of {
	c, o := &f.from.c, &f.options
	of := results.Of{
		Looks: f.looks, Moved: f.balance.Moved, Changing: c.Unsteady(), Surface: f.from.surface, Lobes: f.lobes, Series: f.series,
		Folder: c.Output, Transport: f.options.transport, Partition: f.from.partition, Grid: f.from.grid, Shared: f.from.share != nil,
		Cells: f.cells(), Inputs: c.Files(), Warn: f.warn,
		Refused:     f.from.in != nil,
		Instant:     f.job.Plan.Steps > 0 && f.job.Plan.Steps <= airflow.CheckInterval,
		Checkpoints: o.checkpoints, Restart: o.restart, Resumed: f.resumed, PartitionFile: f.from.partitionFile, Settings: f.job.SettingsItems(),
	}
	if period := f.job.Settings.Period(); period > 0 {
		of.Period = period
	}
	if a := f.job.Plan.Statistics; a != nil {
		of.Phases = a.Phases
	}
	of.Case, _ = c.MarshalBinary()                                                // what it holds is always encoded
	if of.Axes, _ = geometry.ParseAxes(c.Axes); of.Axes == geometry.UnknownAxes { // checked before
		of.Axes = f.from.partition.Source.Axes
	}
	if path := f.from.partitionFile; path != "" {
		of.Inputs = append(of.Inputs, path, filepath.Join(filepath.Dir(path), filepath.Base(f.from.partition.Source.File)))
	}
	if f.from.made != nil {
		made := f.from.made.made(c.Name())
		made.Plainly()
		of.Made, of.Surface = &made, f.from.made.surface
	}
	return of
}

func (f *Flow) resumed(step int64, seconds float64) {
	if f.options.listener.Resumed != nil {
		f.options.listener.Resumed(step, seconds)
	}
}

func (f *Flow) warn(words string) {
	if f.options.listener.Warn != nil {
		f.options.listener.Warn(words)
	}
}

// visit takes the flow at the end to where it is wanted. All ranks call it.
func (f *Flow) visit(v *run.View) error {
	if f.results != nil {
		if err := f.results.Keep(v); err != nil {
			return err
		}
	}
	if f.from.keep != nil {
		flow, err := v.Resampled()
		if err != nil {
			return err
		}
		if flow != nil {
			f.from.keep(flow)
		}
	}
	if !f.job.Plan.KeepStopped {
		return nil
	}
	own, err := v.Fields()
	if err != nil {
		return err
	}
	var all *airflow.Fields
	if !f.options.discard || f.results != nil && f.results.HasPage() {
		if all, err = v.Gather(own); err != nil {
			return err
		}
	}
	if all != nil && !f.options.discard {
		f.fields = fieldsOf(v, all)
	}
	if f.results == nil {
		return nil
	}
	return f.results.Visit(v, own, all)
}

// fieldsOf are those of all cells at one moment.
func fieldsOf(v *run.View, all *airflow.Fields) *Fields {
	return &Fields{Time: v.Time(), Pressure: all.Pressure, Velocity: all.Velocity}
}

// show brings the flow at one moment together for who wants to see it.
func (o *options) show(v *run.View) error {
	openings, err := v.Openings()
	if err != nil {
		return err
	}
	own, err := v.Fields()
	if err != nil {
		return err
	}
	all, err := v.Gather(own)
	if err != nil || all == nil {
		return err
	}
	return o.observe(&Moment{Step: v.Step(), Time: v.Time(), Openings: openings, Fields: fieldsOf(v, all)})
}

// conclude ends a computation with its summary, on all ranks.
func (f *Flow) conclude(ctx context.Context, summary *airflow.Summary) error {
	f.summary = &Summary{Summary: summary, Speeds: f.looks.Speeds()}
	first := f.options.transport == nil || f.options.transport.Rank() == 0
	if first {
		summary.Warnings = append(summary.Warnings, f.doubts(summary)...)
		if f.from.in != nil {
			var err error
			if f.summary.Refinement, err = f.from.in.refinement(summary); err != nil {
				summary.Warnings = append(summary.Warnings, fmt.Sprintf("no limit of finer spacings: %v", err))
			}
		}
	}
	record := func(partitionFile string) any {
		f.summary.Provenance = f.provenance(partitionFile)
		if f.results != nil && f.results.Answers() != nil {
			a := f.results.Answers()
			f.summary.Branches, f.summary.Lobes, f.summary.Ends, f.summary.WallShear = a.Branches, a.Lobes, a.Ends, a.Figures
		}
		return f.summary
	}
	if p := f.balance.Moved(); p != nil {
		for i := range summary.Ranks {
			summary.Ranks[i].Work = p.Quality.Ranks[i].Work
		}
	}
	var err error
	var calibrated []string
	if first {
		calibrated, err = f.writeCalibrated()
	}
	switch {
	case f.results == nil:
	case summary.Interrupted && f.from.in != nil && f.from.in.of.complete != nil:
		err = f.results.Abandon(err)
	default:
		var failed error
		f.files, failed = f.results.Finish(summary, record)
		err = cmp.Or(failed, err)
	}
	f.files = append(f.files, calibrated...)
	if first && f.summary.Provenance == nil {
		record("")
	}
	if err == nil && summary.Interrupted {
		err = &StoppedError{Steps: summary.Steps, Folder: f.from.c.Output, Cause: context.Cause(ctx)}
	}
	return err
}

// abandon ends a computation that has failed, on all ranks.
func (f *Flow) abandon(ctx context.Context, cause error) error {
	var diverged *airflow.DivergedError
	var stopped *solver.StoppedError
	switch {
	case errors.As(cause, &diverged):
		f.locate(diverged)
	case errors.As(cause, &stopped):
		cause = &StoppedError{Steps: stopped.Step, Cause: context.Cause(ctx)}
	}
	if f.results == nil {
		return cause
	}
	return f.results.Abandon(cause)
}

// locate gives the place where a flow has diverged the unit of the surface.
func (f *Flow) locate(e *airflow.DivergedError) {
	source := &f.from.partition.Source
	if source.Surface != nil {
		source = source.Surface
	}
	if unit, err := geometry.ParseUnit(source.Unit); err == nil {
		e.Unit, e.UnitName = float64(unit), source.Unit
	}
}

// Summary is the outcome, nil before Run.
func (f *Flow) Summary() *Summary { return f.summary }

// Files are those that Run has written, but for those of single ranks, in the process of
// rank 0.
func (f *Flow) Files() []string { return slices.Clone(f.files) }

// Fields are those of all cells when Run ended, in the process of rank 0.
func (f *Flow) Fields() (*Fields, error) {
	switch {
	case f.fields != nil:
		return f.fields, nil
	case f.summary != nil && f.options.discard:
		return nil, errors.New("the fields were discarded: open the flow without carina.Discard")
	case f.summary != nil:
		return nil, errors.New("the fields are kept by the process of rank 0: ask it")
	}
	return nil, errors.New("there are no fields before the flow has been computed: call Run")
}

// Close frees what the flow holds.
func (f *Flow) Close() { f.job, f.fields = run.Job{}, nil }
