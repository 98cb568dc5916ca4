package carina

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/results"
	"carina/internal/run"
	"carina/solver/airflow"
)

// refining is a refinement that is being computed.
type refining struct {
	base     *Case
	options  options
	finest   *Voxels
	accuracy float64 // 0 where none is asked for
	on       *airflow.Resampled
	levels   []Level  // those computed, the finest first
	notes    []string // on those that could not be
	flow     *Flow    // that of the last level
	complete *Flow    // the last one of which there are results, while finer ones follow
	warned   []string // of the present level
	// asked tells how often somebody has asked for a checkpoint, and answered how often it
	// was said that there is none.
	asked    func() int64
	answered int64
}

// refine computes a case on several spacings, each from the flow on the coarser one, the
// finest last, of which the cells are made already.
func refine(ctx context.Context, r *refining) (*Flow, error) {
	if r.finest.File != "" {
		return nil, fmt.Errorf("%s has one spacing: give the surface to compute on several", r.base.Surface)
	}
	if t := r.options.transport; t != nil && t.Size() > 1 {
		return nil, errors.New("a refinement is computed by one process: leave --refine and --accuracy out, or the launcher")
	}
	if err := r.base.checkOpenings(r.finest.Grid); err != nil {
		return nil, err
	}
	var end func()
	r.asked, end = results.Requests()
	defer end()
	spacings := r.spacings()
	r.tellVoxels(r.finest)
	if hear := r.options.listener.Spacings; hear != nil {
		hear(slices.Clone(spacings))
	}
	for i, spacing := range spacings {
		last := i == len(spacings)-1
		// Where the end is not known, what is there so far stands in the folder.
		f, err := (&level{of: r, spacing: spacing, last: last, kept: last || r.accuracy > 0 && i >= 2}).compute(ctx)
		if err != nil {
			return f, err
		}
		if r.flow != nil && r.accuracy > 0 && r.flow.summary.Refinement.Reaches(r.accuracy) {
			break
		}
	}
	return r.flow, nil
}

// spacings are those to compute, the coarsest first. With an accuracy they begin at
// few cells.
func (r *refining) spacings() []float64 {
	const fewest, most = 8000, 10 // cells on the coarsest, levels
	count := r.base.Refine
	if r.accuracy > 0 {
		count = enoughSpacings
		cells := float64(r.finest.Grid.Cells()) / math.Pow(RefinementRatio, 6)
		for ; cells > fewest*math.Pow(RefinementRatio, 3) && count < most; count++ {
			cells /= math.Pow(RefinementRatio, 3)
		}
	}
	list := make([]float64, count)
	for i := range list {
		list[count-1-i] = r.finest.Grid.Spacing * math.Pow(RefinementRatio, float64(i))
	}
	return list
}

func (r *refining) tellVoxels(v *Voxels) {
	if r.options.listener.Voxels != nil {
		r.options.listener.Voxels(v)
	}
}

func (r *refining) warn(words string) {
	if r.options.listener.Warn != nil {
		r.options.listener.Warn(words)
	}
}

// tellRest warns of what is doubtful at the end of the last level, where a finer one
// follows whose summary does not say it.
func (r *refining) tellRest() {
	if r.flow == nil {
		return
	}
	for _, words := range r.flow.summary.Warnings {
		if !slices.Contains(r.warned, words) {
			r.warn(OnSpacing(r.flow.Grid().Spacing) + words)
		}
	}
}

// OnSpacing begins warnings and notes that are of a coarser spacing of a refinement, in
// metres.
func OnSpacing(spacing float64) string {
	return fmt.Sprintf("on a spacing of %s: ", quantity.FormatLength(spacing))
}

// level is one spacing of a refinement.
type level struct {
	of      *refining
	spacing float64
	// last tells that it is the finest, kept that its flow may be the one that is returned,
	// with its results.
	last, kept bool
	grid       *geometry.Grid
	begun      *airflow.Resampled // what the flow starts from; nil is rest
	again      bool               // it has diverged from what it was begun from
}

// compute computes the level. The flow is there where there is something to tell beside an
// error.
func (l *level) compute(ctx context.Context) (*Flow, error) {
	r := l.of
	if r.tellRest(); r.flow != nil && r.flow.from.in.kept {
		r.complete = r.flow
	}
	r.warned = nil
	f, err := l.run(ctx)
	var unusable *unusableError
	var diverged *airflow.DivergedError
	switch {
	case err == nil:
		if r.flow = f; r.options.listener.Level != nil {
			r.options.listener.Level(f)
		}
		return f, nil
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		return l.stopped(ctx, f, err)
	case l.last:
	case errors.As(err, &unusable):
		return nil, l.leaveOut("cannot be computed: " + unusable.Error())
	case errors.As(err, &diverged):
		return nil, l.leaveOut("diverged")
	}
	if f == nil || f.summary == nil {
		f = r.complete
	}
	return f, err
}

// leaveOut says that the level does not count, and why.
func (l *level) leaveOut(why string) error {
	note := fmt.Sprintf("the spacing of %s does not count, as its flow %s", quantity.FormatLength(l.spacing), why)
	l.of.notes = append(l.of.notes, note)
	l.of.warn(note)
	return nil
}

// stopped is what is left where the context has ended the level.
func (l *level) stopped(ctx context.Context, f *Flow, err error) (*Flow, error) {
	e := &StoppedError{Cause: context.Cause(ctx), Spacing: l.spacing}
	var stopped *StoppedError
	if errors.As(err, &stopped) {
		e.Steps, e.Folder = stopped.Steps, stopped.Folder
	}
	switch {
	case l.of.complete != nil:
		f = l.of.complete
		e.Complete, e.Folder = f.Grid().Spacing, f.from.c.Output
	case !l.kept:
		f = nil
	}
	return f, e
}

// unusableError is why a spacing cannot be computed, by its cells.
type unusableError struct{ cause error }

// Error is the cause's text.
func (e *unusableError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *unusableError) Unwrap() error { return e.cause }

// run computes the flow from that on the coarser spacing, or from rest where there is none
// or the flow diverges from it.
func (l *level) run(ctx context.Context) (*Flow, error) {
	r := l.of
	c, err := l.newCase()
	if err != nil {
		return nil, err
	}
	v := r.finest
	if !l.last {
		if v, err = c.Voxelize(ctx, r.options.stage()); err == nil {
			err = c.checkOpenings(v.Grid)
		}
		if err != nil {
			return nil, &unusableError{err}
		}
	}
	r.tellVoxels(v)
	l.grid, l.begun = v.Grid, r.on
	f, err := l.flow(ctx, c, v)
	if errors.As(err, new(*airflow.DivergedError)) && l.begun != nil {
		l.begun, l.again = nil, true
		l.warn("the flow diverged after it had been started from the coarser one, so it is computed again from rest")
		f, err = l.flow(ctx, c, v)
	}
	return f, err
}

// newCase is the case on the spacing, without results where none are kept.
func (l *level) newCase() (c Case, err error) {
	c = *l.of.base
	c.FluidCells, c.Spacing = 0, strconv.FormatFloat(l.spacing, 'g', -1, 64)+"m"
	if c.TimeStep != "" {
		step, err := quantity.Time.ParsePositive(c.TimeStep)
		if err != nil {
			return c, err
		}
		c.TimeStep = strconv.FormatFloat(step*l.spacing/l.of.finest.Grid.Spacing, 'g', -1, 64) + "s"
	}
	if !l.kept {
		c.ResultsCase = ResultsCase{}
	}
	return c, nil
}

// flow computes the flow on cells.
func (l *level) flow(ctx context.Context, c Case, v *Voxels) (*Flow, error) {
	o := l.of.options
	o.listener.Warn = l.warn
	if o.discard = o.discard || !l.kept; l.again {
		o.listener.Partition = nil // it was heard
	}
	f, err := openOn(ctx, origin{c: c, made: v, on: l.begun, keep: func(f *airflow.Resampled) { l.of.on = f }, in: l}, o)
	if err != nil {
		return nil, err
	}
	return f, f.Run(ctx)
}

// final tells whether the refinement ends where the flow diverges.
func (l *level) final() bool { return l.last && l.begun == nil }

// warn tells a warning as that of this spacing, once where a flow is computed again.
func (l *level) warn(words string) {
	if slices.Contains(l.of.warned, words) {
		return
	}
	if l.of.warned = append(l.of.warned, words); !l.last {
		words = OnSpacing(l.spacing) + words
	}
	l.of.warn(words)
}

// refuseCheckpoints says, where somebody asks for a checkpoint, that there is none.
func (l *level) refuseCheckpoints(v *run.View) error {
	r := l.of
	if v.Rank() > 0 {
		return nil
	}
	if asked := r.asked(); asked > r.answered {
		r.answered = asked
		r.warn("no checkpoint is kept, as checkpoints are of a flow on one spacing: leave --refine and --accuracy out to keep them")
	}
	return nil
}

// refinement is what the flow and those on coarser spacings tend to, nil while there are too
// few. One that was stopped does not count.
func (l *level) refinement(m *airflow.Summary) (*Refinement, error) {
	r := l.of
	if !m.Interrupted {
		r.levels = slices.Insert(r.levels, 0, newLevel(l.grid, m))
	}
	if len(r.levels) < 2 {
		if l.last && !m.Interrupted {
			return nil, fmt.Errorf("%s: choose a smaller spacing", strings.Join(r.notes, "; "))
		}
		return nil, nil
	}
	n, err := NewRefinement(slices.Clone(r.levels), m.Openings)
	if n != nil {
		n.Notes = append(slices.Clone(r.notes), n.Notes...)
	}
	return n, err
}
