package carina

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"carina/internal/quantity"
	"carina/internal/resultsfolder"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
)

// Run takes all steps from a case to the flow and its results: it reads the surface and
// fills it with cells, or reads a grid file, shares the cells among the case's ranks and
// computes; on several spacings, where the case asks for a refinement or an accuracy,
// each from the flow on the coarser one. The flow is that on the finest.
func Run(ctx context.Context, c Case, with ...Option) (*Flow, error) {
	if c.Ranks == 0 {
		c.Ranks = c.DefaultRanks()
	}
	if err := c.Ready(); err != nil {
		return nil, err
	}
	accuracy, err := c.WantedAccuracy()
	if err != nil {
		return nil, err
	}
	o := optionsOf(with)
	refined := accuracy > 0 || c.Refine > 0
	if refined && (o.checkpoints != Checkpoints{} || o.restart != nil) {
		return nil, errors.New("checkpoints are of a flow on one spacing: leave --refine and --accuracy out, or --checkpoint and --restart")
	}
	v, err := c.voxelize(ctx, o.stage(), c.admitCells)
	if err != nil {
		return nil, err
	}
	if refined {
		return refine(ctx, &c, o, v, accuracy)
	}
	if o.listener.Voxels != nil {
		o.listener.Voxels(v)
	}
	f, err := openOn(ctx, origin{c: c, made: v}, o)
	if err != nil {
		return nil, err
	}
	return f, f.Run(ctx)
}

// Ready is Check with what this machine has: a folder for results that can be written, and
// GPUs where the case wants some.
func (c *Case) Ready() error {
	if err := c.Check(); err != nil {
		return err
	}
	if err := checkFolder(c.Output); err != nil {
		return err
	}
	if c.mayUse(GPU) {
		if err := device.Start(); err != nil {
			return err
		}
	}
	if c.Output == "" {
		return nil
	}
	return resultsfolder.Writable(c.Output)
}

// checkFolder refuses a folder for results that is a file, or that another run is
// writing into, before any work is done.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // there is none yet, or none is wanted
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is a file: name a folder for results", path)
	}
	return resultsfolder.Free(path)
}

// openOn shares the cells that were made and opens the flow on them.
func openOn(ctx context.Context, from origin, o options) (*Flow, error) {
	if err := from.c.checkOpenings(from.made.Grid); err != nil {
		return nil, err
	}
	var err error
	if from.partition, err = from.made.Partition(ctx, &from.c, o.stage()); err != nil {
		return nil, err
	}
	if o.listener.Partition != nil {
		o.listener.Partition(from.partition)
	}
	from.grid = from.made.Grid
	return open(from, o)
}

// refining is a refinement that is being computed.
type refining struct {
	base    *Case
	options options
	finest  *Voxels
	on      *airflow.Resampled
	levels  []Level // the finest first
	flow    *Flow   // that of the last level
}

// refine computes a case on several spacings, each from the flow on the coarser one, the
// finest last, of which the cells are made already.
func refine(ctx context.Context, c *Case, o options, finest *Voxels, accuracy float64) (*Flow, error) {
	if finest.File != "" {
		return nil, fmt.Errorf("%s has one spacing: give the surface to compute on several", c.Surface)
	}
	r := &refining{base: c, options: o, finest: finest}
	spacings := r.spacings(accuracy)
	for i, spacing := range spacings {
		last := i == len(spacings)-1
		// Where the end is not known, what is there so far stands in the folder.
		if err := r.level(ctx, spacing, last, last || accuracy > 0 && i >= 2); err != nil {
			return nil, err
		}
		if accuracy > 0 && r.flow.summary.Refinement.Reaches(accuracy) {
			break
		}
	}
	return r.flow, nil
}

// spacings are those to compute, the coarsest first. With an accuracy they begin at
// few cells.
func (r *refining) spacings(accuracy float64) []float64 {
	const fewest, most = 8000, 10 // cells on the coarsest, levels
	count := r.base.Refine
	if accuracy > 0 {
		count = 3
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

// level computes one spacing and, where asked, writes its results into the folder.
func (r *refining) level(ctx context.Context, spacing float64, last, write bool) error {
	c, o := *r.base, r.options
	o.listener.Voxels, o.listener.Partition = nil, nil
	c.FluidCells, c.Spacing = 0, strconv.FormatFloat(spacing, 'g', -1, 64)+"m"
	if c.TimeStep != "" {
		step, err := quantity.Time.ParsePositive(r.base.TimeStep)
		if err != nil {
			return err
		}
		c.TimeStep = strconv.FormatFloat(step*spacing/r.finest.Grid.Spacing, 'g', -1, 64) + "s"
	}
	if !write {
		c.ResultsCase = ResultsCase{}
	}
	v := r.finest
	if !last {
		var err error
		if v, err = c.Voxelize(ctx, o.stage()); err != nil {
			return fmt.Errorf("on a spacing of %s: %w", quantity.FormatLength(spacing), err)
		}
	}
	if err := c.checkOpenings(v.Grid); err != nil {
		return fmt.Errorf("on a spacing of %s: %w", quantity.FormatLength(spacing), err)
	}
	from := origin{c: c, made: v, on: r.on, keep: func(f *airflow.Resampled) { r.on = f }}
	from.refine = func(m *airflow.Summary) (*Refinement, error) {
		r.levels = slices.Insert(r.levels, 0, newLevel(v.Grid, m))
		if len(r.levels) < 2 {
			return nil, nil
		}
		return NewRefinement(r.levels, m.Openings)
	}
	if !last {
		o.discard = true
	}
	f, err := openOn(ctx, from, o)
	if err == nil {
		err = f.Run(ctx)
	}
	if err != nil {
		return err
	}
	if r.flow = f; o.listener.Level != nil {
		o.listener.Level(f)
	}
	return nil
}
