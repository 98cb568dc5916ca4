package workflow

import (
	"context"
	"fmt"
	"path/filepath"

	"carina"
	"carina/balance"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/run"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/checkpoint"
	"carina/solver/cuda"
	"carina/solver/cuda/tiling"
	"carina/solver/transport"
)

// Solution is what a computation ended with.
type Solution struct {
	Summary    *airflow.Summary
	Provenance *Provenance
	// Steadiness says whether the flow became steady.
	Steadiness string
	// Refinement is what this flow and those on other spacings tend to; or nil.
	Refinement *carina.Refinement
	// Files were written, with their paths.
	Files []string

	told []string // warnings, before the computation
}

// Solver computes the flow on a partitioned grid.
type Solver struct {
	Case carina.Case
	// Grid is what the partition belongs to, or that of the share.
	Grid      *geometry.Grid
	Partition *balance.Partition
	// Share is what the one rank of this process needs, where it does not know
	// the whole grid; else nil.
	Share *solver.Domain
	// Folder receives the results; none are written when empty.
	Folder string
	// PartitionFile is where the partition was read, if it was.
	PartitionFile string
	// Checkpoints say when the state is kept in the folder for results, Restart from
	// which one the computation goes on; nil begins anew.
	Checkpoints Checkpoints
	Restart     *checkpoint.Checkpoint
	// Report hears how far the computation is, on rank 0; may be nil.
	Report func(airflow.Progress)
	// Memory hears what the computation takes of the memory of GPUs, before it
	// begins; may be nil.
	Memory func([]gpu.MemoryUse)
	// From is a flow on another spacing to go on from; nil begins at rest.
	From *airflow.Resampled
	// Keep hears the flow at the end, for another spacing to go on from; may be nil.
	Keep func(*airflow.Resampled)
	// Refine tells what the flow and those on other spacings tend to, for the
	// summary; may be nil.
	Refine func(*airflow.Summary) (*carina.Refinement, error)
	// Announce hears what is going to be computed, before it begins, and how long that
	// will take, on rank 0; may be nil.
	Announce func(words string)
	// Warn hears warnings before the computation begins, on rank 0.
	Warn func(warnings []string)

	made *made    // to be written with the results; or nil
	told []string // warnings that Warn has heard
}

// axes are those that the case says, or else the partition file.
func (s *Solver) axes() geometry.Axes {
	axes, _ := geometry.ParseAxes(s.Case.Axes) // checked before
	if axes == geometry.UnknownAxes && s.Partition != nil {
		axes = s.Partition.Source.Axes
	}
	return axes
}

// warn tells warnings before the computation begins.
func (s *Solver) warn(warnings ...string) {
	if s.Warn != nil {
		s.told = append(s.told, warnings...)
		s.Warn(warnings)
	}
}

// inputs are the files that the computation depends on. Results never take their
// place.
func (s *Solver) inputs() []string {
	files := s.Case.Files()
	if s.PartitionFile != "" {
		files = append(files, s.PartitionFile, filepath.Join(filepath.Dir(s.PartitionFile), filepath.Base(s.Partition.Source.File)))
	}
	return files
}

// prepare checks the settings and the memory and makes the domain.
// Where ranks have processes of their own, all fail if one does, or if they are
// not to compute the same.
func (s *Solver) prepare(t transport.Transport) (*solver.Domain, airflow.Settings, airflow.Plan, error) {
	domain, settings, plan, err := s.examine(t)
	if err := transport.Agree(t, err); err != nil {
		return nil, settings, plan, err
	}
	if err := s.agree(t, settings, plan); err != nil {
		return nil, settings, plan, err
	}
	plan.Announce = func(o airflow.Outlook) {
		if words := outlookWords(&s.Case, o); words != "" && s.Announce != nil {
			s.Announce(words)
		}
	}
	plan.Report, plan.Warn = s.Report, func(warnings []string) { s.warn(warnings...) }
	return domain, settings, plan, nil
}

// examine is what prepare does without the other ranks.
func (s *Solver) examine(t transport.Transport) (*solver.Domain, airflow.Settings, airflow.Plan, error) {
	settings, plan, err := s.Case.FlowOn(s.Grid, s.cells())
	if err != nil {
		return nil, settings, plan, err
	}
	if s.From != nil {
		settings.Initial, settings.InitialStrain = s.From.Initial, s.From.InitialStrain
		settings.RampTime = -1
	}
	domain := s.Share
	if domain == nil {
		if domain, err = solver.NewDomain(s.Grid, s.Partition); err != nil {
			return nil, settings, plan, err
		}
	}
	if t != nil {
		if err := fitsProcesses(domain.Ranks, t.Size()); err != nil {
			return nil, settings, plan, err
		}
	}
	return domain, settings, plan, s.admitBoxes(domain, settings)
}

// cells is the number of all fluid cells.
func (s *Solver) cells() int64 {
	if s.Share != nil {
		return s.Share.CellCount()
	}
	return s.Grid.Cells()
}

// volume is that of all fluid cells, in cubic metres.
func (s *Solver) volume() float64 {
	return float64(s.cells()) * s.Grid.Spacing * s.Grid.Spacing * s.Grid.Spacing
}

// forgetOthers keeps of a large partitioned grid only the share of a rank:
// small ones are kept as a whole, for the page to turn around.
func (s *Solver) forgetOthers(domain *solver.Domain, rank int) (*solver.Domain, error) {
	if s.Share != nil || domain.Ranks < 2 || s.cells() <= pageLimit {
		return domain, nil
	}
	share, err := tiling.Cut(domain, rank)
	if err != nil {
		return nil, err
	}
	s.Share, s.Grid = share, share.Grid
	return share, nil
}

// Solve computes all ranks in this process, or, with a transport, the one that it
// stands for. Then only rank 0 gets a solution; the others get nil. Where only the
// results could not be written, there is a solution beside the error.
func (s *Solver) Solve(ctx context.Context, t transport.Transport) (*Solution, error) {
	domain, settings, plan, err := s.prepare(t)
	if err != nil {
		return nil, err
	}
	onGPU := s.Case.Device == carina.GPU
	switch {
	case !onGPU && t == nil:
		err = s.admitRanks(0, domain.Ranks)
	case !onGPU:
		err = s.admitRanks(t.Rank(), t.Rank()+1)
	case t != nil:
		domain, err = s.forgetOthers(domain, t.Rank())
	}
	if err := transport.Agree(t, err); err != nil {
		return nil, err
	}
	var gathered gather = newSharedGather(domain.Ranks)
	if t != nil {
		gathered = &transportGather{transport: t}
	}
	results := newResults(s, domain.Ranks, t)
	asked, end := requests()
	defer end()
	results.kept = newKeeping(ctx, results, settings, asked)
	if results.processes, err = processes(t, domain.Ranks); err != nil {
		return nil, err
	}
	defer results.unfinished.remove()
	if t != nil && t.Size() > 1 {
		defer watchLost(results.processes, t.Rank(), &results.unfinished, s.Folder)()
	}
	job := run.Job{
		Domain: domain, Settings: settings, Plan: plan, Transport: t,
		GPU: onGPU, Storage: gpu.Storage(s.Case.Storage), Exchange: cuda.Exchange(s.Case.Exchange),
	}
	summary, err := job.Run(ctx, results.follow(&job.Plan, gathered))
	if err != nil {
		return nil, results.abandon(err)
	}
	return results.finish(summary, gathered)
}

// fitsProcesses is an error unless there is a process for every rank.
func fitsProcesses(ranks, processes int) error {
	if ranks == processes {
		return nil
	}
	return fmt.Errorf("the partition is for %s, but the launcher started %s: use mpirun -np %d or partition again with --ranks %d",
		quantity.Count(ranks, "rank"), quantity.Count(processes, "process"), ranks, processes)
}
