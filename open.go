package carina

import (
	"fmt"
	"os"

	"carina/balance"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/results"
	"carina/internal/run"
	"carina/internal/simd"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda"
	"carina/solver/cuda/tiling"
	"carina/solver/share"
	"carina/solver/transport"
)

// origin is what a flow is opened on.
type origin struct {
	c         Case
	grid      *geometry.Grid // or that of the share
	partition *balance.Partition
	// share is what the one rank of this process needs, where it does not know the
	// whole grid; else nil.
	share *solver.Domain
	// surface is what the grid was made from, in the process of rank 0 and where it is known.
	surface *geometry.Prepared
	// partitionFile is where the partition was read, if it was.
	partitionFile string
	// made are the grid and the partition to be written with the results; or nil.
	made *Voxels
	// on are the flow on another spacing to go on from, and what hears the flow at the
	// end for the next; either may be nil.
	on   *airflow.Resampled
	keep func(*airflow.Resampled)
	// in is the level of a refinement that the flow is; or nil.
	in *level
}

// Open makes a flow of a grid, of who owns its cells, and of what a case says of
// the flow and its results; what the case says of the grid and of the partition does not
// matter any more. It finds what cannot be computed before anything is: all ranks open
// the same flow, or none does.
func Open(grid *geometry.Grid, partition *balance.Partition, c Case, with ...Option) (*Flow, error) {
	return open(origin{c: c, grid: grid, partition: partition}, optionsOf(with))
}

// OpenFile is Open for a partition file and the grid beside it. Of many processes,
// each reads the share of its rank instead where there is one and no cell may change owner.
func OpenFile(path string, c Case, with ...Option) (*Flow, error) {
	o := optionsOf(with)
	from := origin{c: c, partitionFile: path}
	err := from.read(o.transport, o.rebalance.On)
	if err := transport.Agree(o.transport, err); err != nil {
		return nil, err
	}
	return open(from, o)
}

// read reads what a process needs: the whole, or the share of its rank where there is one.
func (o *origin) read(t transport.Transport, whole bool) (err error) {
	if err := o.c.CheckFlow(); err != nil {
		return err
	}
	if t == nil {
		if err := checkFolder(o.c.Output); err != nil {
			return err
		}
	}
	if t != nil && !whole {
		p, err := balance.ReadFile(o.partitionFile)
		if err != nil {
			return err
		}
		if o.share, err = share.Read(o.partitionFile, p, t.Rank()); err != nil {
			return err
		}
		if o.share != nil {
			o.partition, o.grid = p, o.share.Grid
			return nil
		}
	}
	if o.partition, o.grid, err = ReadPartition(o.partitionFile); err != nil {
		if t == nil {
			return err
		}
		if _, none := os.Stat(share.Path(o.partitionFile, t.Rank())); none == nil {
			return fmt.Errorf("with --rebalance every process reads the whole grid, and beside its share rank %d does not find it (%w): copy the grid beside the partition file, or leave --rebalance out", t.Rank(), err)
		}
		return err
	}
	if o.c.Output != "" && (t == nil || t.Rank() == 0) && o.grid.Cells() <= results.PageLimit {
		o.surface = o.findSurface()
	}
	return nil
}

func open(from origin, o options) (*Flow, error) {
	f := &Flow{from: from, options: o}
	t := o.transport
	err := f.prepare()
	if err := transport.Agree(t, err); err != nil {
		return nil, err
	}
	restart := ""
	if o.restart != nil {
		restart = o.restart.ID
	}
	if err := f.job.Agree(run.Agreement{
		Grid: f.from.partition.Source.SHA256 + f.from.partition.Grid.Fingerprint, Partition: share.Fingerprint(f.from.partition),
		Shares: f.from.share != nil, Folder: f.from.c.Output, Restart: restart, Rebalance: f.options.rebalance.String(),
	}); err != nil {
		return nil, err
	}
	err = f.admit()
	if t != nil && err == nil && f.job.Devices[t.Rank()].Kind() == GPU {
		err = f.forgetOthers(t.Rank())
	}
	if err := transport.Agree(t, err); err != nil {
		return nil, err
	}
	return f, nil
}

// prepare checks the case and makes what is to be computed of it.
func (f *Flow) prepare() error {
	c := &f.from.c
	if err := simd.CheckMachines(); err != nil {
		return err
	}
	if err := c.CheckFlow(); err != nil {
		return err
	}
	if err := f.options.check(c.Output); err != nil {
		return err
	}
	if f.options.transport == nil {
		if err := checkFolder(c.Output); err != nil {
			return err
		}
	}
	var err error
	if f.lobes, err = c.lobesOf(f.from.grid); err != nil {
		return err
	}
	if f.series, err = c.series(f.surfaceUnit()); err != nil {
		return err
	}
	settings, plan, err := c.FlowOn(f.from.grid, f.cells())
	if err != nil {
		return err
	}
	if f.from.on != nil {
		settings.Initial, settings.InitialStrain = f.from.on.Initial, f.from.on.InitialStrain
		settings.RampTime = -1
	}
	domain := f.from.share
	if domain == nil {
		if domain, err = solver.NewDomain(f.from.grid, f.from.partition); err != nil {
			return err
		}
	}
	if t := f.options.transport; t != nil {
		if err := fitsProcesses(domain.Ranks, t.Size()); err != nil {
			return err
		}
	}
	devices, err := c.devicesOn(f.from.partition)
	if err != nil {
		return err
	}
	f.job = run.Job{
		Domain: domain, Settings: settings, Plan: plan, Transport: f.options.transport,
		Devices: devices, GPUMemory: c.gpuMemory(), Storage: gpu.Storage(c.Storage), Exchange: cuda.Exchange(c.Exchange),
	}
	if err := f.checkRebalancing(); err != nil {
		return err
	}
	return f.admitBoxes()
}

// fitsProcesses is an error unless there is a process for every rank.
func fitsProcesses(ranks, processes int) error {
	if ranks == processes {
		return nil
	}
	return fmt.Errorf("the partition is for %s, but the launcher started %s: use mpirun -np %d or partition again with --ranks %d",
		quantity.Count(ranks, "rank"), quantity.Count(processes, "process"), ranks, processes)
}

// forgetOthers keeps of a large partitioned grid only the share of a rank:
// small ones are kept as a whole, for the page to turn around, and others where cells may
// change owner.
func (f *Flow) forgetOthers(rank int) error {
	if f.from.share != nil || f.options.rebalance.On || f.job.Domain.Ranks < 2 || f.cells() <= results.PageLimit {
		return nil
	}
	share, err := tiling.Cut(f.job.Domain, rank)
	if err != nil {
		return err
	}
	f.from.share, f.from.grid, f.job.Domain = share, share.Grid, share
	return nil
}
