package carina

import (
	"context"
	"errors"
	"fmt"
	"os"

	"carina/internal/resultsfolder"
	"carina/solver/cuda/device"
)

// Run takes all steps from a case to the flow and its results: it reads the surface and
// fills it with cells, or reads a grid file, shares the cells among the case's ranks and
// computes; on several spacings, where the case asks for a refinement or an accuracy,
// each from the flow on the coarser one. The flow is that on the finest, or on the one
// that reaches the accuracy.
//
// Where the context ends the flow, the error is a StoppedError, beside which there is a flow
// where there is something to tell: as of Flow.Run that which was reached, whose summary has
// the refinement of the spacings before, if those are two. Without a flow, a coarser spacing
// was stopped, of which no results are kept. Once an accuracy has complete results, those
// stay, and their flow is returned, where a finer spacing is stopped or fails; series alone
// are those of the spacing computed last, as they are written while the flow goes.
//
// A coarser spacing that cannot be computed does not count, and a note of the refinement
// says so.
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
		return refine(ctx, &refining{base: &c, options: o, finest: v, accuracy: accuracy})
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
