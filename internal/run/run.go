package run

import (
	"context"
	"slices"
	"sync"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda"
	"carina/solver/transport"
)

// Job is a flow to compute.
type Job struct {
	Domain   *solver.Domain
	Settings airflow.Settings
	// Plan says for how long. Its Between, Diverged and Visit are not used.
	Plan airflow.Plan
	// Devices are what the ranks compute on, one for each, processors where there are
	// none; Storage and Exchange are those of GPUs.
	Devices  []Device
	Storage  gpu.Storage
	Exchange cuda.Exchange
	// GPUMemory is how much a rank may take of its GPU, in bytes; 0 is all that is free.
	GPUMemory int64
	// Transport connects this process, which is one rank, with the others; nil
	// where it is all.
	Transport transport.Transport
	// GPUs makes the backend of ranks on GPUs; nil is that of this machine's.
	GPUs func(gpu.Options) airflow.Backend
}

// Hooks are called on the way; any may be nil. Those with a View are called for
// every rank, concurrently for the ranks of one process.
type Hooks struct {
	// Memory is called before the first step with what the ranks of this process
	// take of their GPUs.
	Memory func([]gpu.MemoryUse)
	// Between is done between steps, in this order. It is the place for what any run
	// does on the way: checkpoints and a balancer that moves cells come behind those
	// that only look.
	Between []Between
	// Rebalance lets cells change owner, after all else between steps; nil: none does.
	Rebalance *Rebalancing
	// Diverged is called when the flow has diverged, with the last good fields of
	// the view's cells.
	Diverged func(*View, *airflow.Fields) error
	// Visit is called at the end.
	Visit func(*View) error
}

// Between is something that is done between steps on every rank. It is due at the first
// multiple of airflow.CheckInterval at or after each multiple of Every steps, and at
// each of them and at the end if that is 0, also where somebody stops the run. All ranks
// of the job do it after the same step, concurrently where they share a process.
type Between struct {
	Every int64
	Do    func(*View) error
}

// Run computes the flow and returns the summary, which is the same in all
// processes.
func (j *Job) Run(ctx context.Context, h Hooks) (*airflow.Summary, error) {
	s, err := j.run(ctx, h)
	if err == nil && h.Rebalance != nil {
		h.Rebalance.end()
	}
	return s, err
}

func (j *Job) run(ctx context.Context, h Hooks) (*airflow.Summary, error) {
	plan := j.Plan
	view := func(r *airflow.Rank) *View { return &View{r, j.Domain} }
	between := h.Between
	if h.Rebalance != nil {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		between = append(slices.Clone(between), h.Rebalance.between(ctx, j))
	}
	for _, b := range between {
		plan.Between = append(plan.Between, airflow.Between{Every: b.Every, Do: func(r *airflow.Rank) error { return b.Do(view(r)) }})
	}
	if h.Diverged != nil {
		plan.Diverged = func(r *airflow.Rank, f *airflow.Fields) error { return h.Diverged(view(r), f) }
	}
	if h.Visit != nil {
		plan.Visit = func(r *airflow.Rank) error { return h.Visit(view(r)) }
	}
	if h.Memory != nil {
		plan.Prepared = j.tellMemory(h.Memory)
	}
	backends := j.backends()
	if j.Transport != nil {
		return airflow.RunRankOn(ctx, backends[j.Transport.Rank()], j.Domain, j.Settings, plan, j.Transport)
	}
	summaries := make([]*airflow.Summary, j.Domain.Ranks)
	err := transport.InProcess(j.Domain.Ranks, func(t transport.Transport) (err error) {
		summaries[t.Rank()], err = airflow.RunRankOn(ctx, backends[t.Rank()], j.Domain, j.Settings, plan, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return summaries[0], nil
}

// tellMemory tells what the ranks of this process take, when all are prepared.
func (j *Job) tellMemory(hear func([]gpu.MemoryUse)) func(*airflow.Rank) {
	ranks := 1
	if j.Transport == nil {
		ranks = len(slices.DeleteFunc(slices.Clone(j.Devices), func(d Device) bool { return d.Kind() != GPU }))
	}
	var all sync.Mutex
	var uses []gpu.MemoryUse
	return func(r *airflow.Rank) {
		use, ok := gpu.MemoryOf(r)
		if !ok {
			return
		}
		all.Lock()
		defer all.Unlock()
		if uses = append(uses, use); len(uses) == ranks {
			slices.SortFunc(uses, func(a, b gpu.MemoryUse) int { return a.Rank - b.Rank })
			hear(uses)
		}
	}
}
