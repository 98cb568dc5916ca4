package run

import (
	"context"

	"carina/balance"
	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda"
	"carina/solver/transport"
)

// Job is a flow to compute.
type Job struct {
	Domain   *solver.Domain
	Settings airflow.Settings
	// Plan says for how long. Its Observe, Diverged and Visit are not used.
	Plan airflow.Plan
	// GPU computes with one GPU for every rank, with their Storage and Exchange.
	GPU      bool
	Storage  cuda.Storage
	Exchange cuda.Exchange
	// Transport connects this process, which is one rank, with the others; nil
	// where it is all.
	Transport transport.Transport
}

// Hooks are called on the way; any may be nil. Those with a View are called for
// every rank of the processor, concurrently for the ranks of one process, and once
// in a process that computes on GPUs.
type Hooks struct {
	// Memory is called before the first step with what the ranks of this process
	// take of their GPUs.
	Memory func([]cuda.MemoryUse)
	// Observe is called every airflow.CheckInterval steps.
	Observe func(View) error
	// Diverged is called when the flow has diverged, with the last good fields of
	// the view's cells.
	Diverged func(View, *airflow.Fields) error
	// Visit is called at the end.
	Visit func(View) error
}

// Domain is a partitioned grid as the solver wants it.
func Domain(p *balance.Partition, g *geometry.Grid) (*solver.Domain, error) {
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	domain := &solver.Domain{Grid: g, Segments: segments, Owners: p.Owners, Boxes: p.Cuboids, Ranks: len(p.Ranks)}
	for _, rank := range p.Quality.Ranks {
		domain.Work = append(domain.Work, rank.Work)
	}
	return domain, nil
}

// Run computes the flow and returns the summary, which is the same in all
// processes.
func (j *Job) Run(ctx context.Context, h Hooks) (*airflow.Summary, error) {
	if j.GPU {
		return j.onGPUs(ctx, h)
	}
	plan := j.Plan
	view := func(r *airflow.Rank) View { return rankView{r, j.Domain} }
	if h.Observe != nil {
		plan.Observe = func(r *airflow.Rank) error { return h.Observe(view(r)) }
	}
	if h.Diverged != nil {
		plan.Diverged = func(r *airflow.Rank, f *airflow.Fields) error { return h.Diverged(view(r), f) }
	}
	if h.Visit != nil {
		plan.Visit = func(r *airflow.Rank) error { return h.Visit(view(r)) }
	}
	if j.Transport != nil {
		return airflow.RunRank(ctx, j.Domain, j.Settings, plan, j.Transport)
	}
	return airflow.RunInProcess(ctx, j.Domain, j.Settings, plan)
}

func (j *Job) onGPUs(ctx context.Context, h Hooks) (*airflow.Summary, error) {
	options := cuda.Options{Storage: cuda.Single, Exchange: j.Exchange, Transport: j.Transport}
	if j.Storage != "" {
		options.Storage = j.Storage
	}
	if j.Transport == nil {
		for device := range j.Domain.Ranks {
			options.Devices = append(options.Devices, device)
		}
	}
	view := func(g *cuda.Solver) View { return gpuView{g, j.Domain, j.Transport != nil} }
	hooks := cuda.Hooks{Memory: h.Memory}
	if h.Observe != nil {
		hooks.Observe = func(g *cuda.Solver) error { return h.Observe(view(g)) }
	}
	if h.Diverged != nil {
		hooks.Diverged = func(g *cuda.Solver, f *airflow.Fields) error { return h.Diverged(view(g), f) }
	}
	if h.Visit != nil {
		hooks.Visit = func(g *cuda.Solver) error { return h.Visit(view(g)) }
	}
	return cuda.Run(ctx, j.Domain, j.Settings, j.Plan, options, hooks)
}
