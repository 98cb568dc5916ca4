package together

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"carina/balance"
	"carina/internal/results"
	"carina/internal/resultsfolder"
	"carina/internal/run"
	"carina/output/series"
	"carina/output/vtk"
	"carina/solver"
	"carina/solver/transport"
)

// Course is what goes with the computation of any physics from its first step to its
// results: the folder, processes that are lost, checkpoints, and cells that change owner.
type Course struct {
	// Transport connects this process with the others, nil where it has all ranks.
	Transport transport.Transport
	// Keeping says what checkpoints are of. Without a folder there are no results.
	Keeping results.KeepingOf
	// Names are the results that are going to be written, Inputs files that they may not
	// replace.
	Names, Inputs []string
	// Snapshots tells that fields are written while it is computed.
	Snapshots bool
	// Keep tells which of the earlier results stay, by their names, nil: none.
	Keep func(name string) bool
	// Rebalancing lets cells of the domain change owner, nil: none does. Left tells how many
	// steps remain, and Hear hears of every look.
	Rebalancing *run.Rebalancing
	Domain      *solver.Domain
	Left        func(run.Computation) int64
	Hear        func(run.Look)
	// Looks are those at the balance.
	Looks *results.Looks

	target  results.Target
	series  *series.Folder // on rank 0, until it cannot be written
	keeping *results.Keeping
	ends    []func()
}

// Begin opens the folder and prepares the rest. End it, whatever it returns.
func (c *Course) Begin(ctx context.Context) error {
	of, t := &c.Keeping, c.Transport
	c.target = results.NewTarget(of.Folder, t)
	if of.Folder == "" && (of.Checkpoints.On() || of.Restart != nil) {
		return errors.New("checkpoints lie in the folder for results: name one")
	}
	if t != nil && t.Size() > 1 {
		end, err := results.WatchLost(t)
		if err != nil {
			return err
		}
		c.ends = append(c.ends, end)
	}
	if of.Folder != "" {
		if err := c.target.Open(func(folder *resultsfolder.Folder) error { return folder.Admit(c.Names, c.Inputs) }); err != nil {
			return err
		}
		if err := c.openSeries(); err != nil {
			return err
		}
		var end func()
		c.keeping, end = results.NewKeeping(ctx, *of)
		c.ends = append(c.ends, c.target.Close, end)
	}
	if b := c.Rebalancing; b != nil {
		c.Looks = &results.Looks{}
		b.Hear = func(l run.Look) {
			c.Looks.Add(l)
			if c.Hear != nil {
				c.Hear(l)
			}
		}
		inner, cancel := context.WithCancel(ctx)
		c.ends = append(c.ends, cancel)
		b.Start(inner, c.Domain, c.Left)
	}
	return nil
}

// openSeries opens the folder of snapshots on rank 0. All ranks call it.
func (c *Course) openSeries() (err error) {
	t, after := c.Transport, int64(-1)
	if c.Keeping.Restart != nil {
		after = c.Keeping.Restart.Steps
	}
	if c.Snapshots && c.target.Writes() && (t == nil || t.Rank() == 0) {
		c.series, err = series.Open(filepath.Join(c.Keeping.Folder, results.SeriesFolder), nil, after)
	}
	return transport.Agree(t, err)
}

// AddSnapshot writes fields of all cells after so many steps, on rank 0. Where they cannot be
// written they end with a warning, and the computation goes on.
func (c *Course) AddSnapshot(step int64, m *vtk.Image) {
	if c.series == nil {
		return
	}
	if err := c.series.AddImage(step, m); err != nil {
		c.Keeping.Warn(fmt.Sprintf("snapshots end after step %d, since they cannot be written: %v", step, err))
		c.series = nil
	}
}

// NewRebalancing lets cells of a partition change owner every so many steps, 0 choosing;
// nil where that is not wanted, or there is one rank.
func NewRebalancing(on bool, every int64, p *balance.Partition) *run.Rebalancing {
	if !on || len(p.Ranks) < 2 {
		return nil
	}
	return &run.Rebalancing{Every: every, Partition: p}
}

// End gives back what Begin has made.
func (c *Course) End() {
	for i := len(c.ends) - 1; i >= 0; i-- {
		c.ends[i]()
	}
	c.ends = nil
}

// Resume lets a rank go on from the checkpoint, where there is one.
func (c *Course) Resume(r run.Computation) error {
	if c.Keeping.Restart == nil {
		return nil
	}
	return c.keeping.Resume(r, 0)
}

// Dues are what a rank does between steps behind what only looks.
func (c *Course) Dues(r run.Computation) (list []solver.Due) {
	if c.keeping != nil {
		list = append(list, solver.Due{Do: func(float64) (bool, error) { return false, c.keeping.Look(r, 0) }})
	}
	if c.Rebalancing != nil {
		list = append(list, solver.Due{Do: func(float64) (bool, error) { return false, c.Rebalancing.Look(r) }})
	}
	return list
}

// Finish keeps the state of a rank at the end, where that is wanted.
func (c *Course) Finish(r run.Computation) error {
	if c.keeping == nil {
		return nil
	}
	return c.keeping.Finish(r, 0)
}

// Conclude moves the results into the folder, if there is one, where writing them has not
// failed, and returns their paths.
func (c *Course) Conclude(failed error) ([]string, error) {
	if c.Keeping.Folder == "" {
		return nil, nil
	}
	files, err := c.target.Conclude(failed, func(folder *resultsfolder.Folder) ([]string, error) {
		keep := folder.Among(c.Inputs)
		for _, name := range folder.Old() {
			if c.Keep != nil && c.Keep(name) {
				keep = append(keep, name)
			}
		}
		return folder.Commit(keep...)
	})
	if err == nil && c.series != nil {
		files = append(files, c.series.Files()...)
	}
	return files, err
}
