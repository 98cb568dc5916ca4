package workflow

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"carina/balance"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/transport"
)

// Settings translates what the case says of the flow.
func (c *Case) Settings() (solver.Settings, error) {
	s := solver.DefaultSettings()
	for _, q := range []struct {
		name, text string
		parse      func(string) (float64, error)
		value      *float64
	}{
		{"flow", c.Flow, quantity.Flow.Parse, &s.FlowRate},
		{"viscosity", c.Viscosity, quantity.Viscosity.ParsePositive, &s.KinematicViscosity},
		{"density", c.Density, quantity.Density.ParsePositive, &s.Density},
		{"time step", c.TimeStep, quantity.Time.ParsePositive, &s.TimeStep},
	} {
		if q.text == "" {
			continue
		}
		var err error
		if *q.value, err = q.parse(q.text); err != nil {
			return s, fmt.Errorf("%s: %w", q.name, err)
		}
	}
	setIfGiven(&s.Collision, c.Collision)
	setIfGiven(&s.Wall, c.Wall)
	setIfGiven(&s.Precision, c.Precision)
	if c.Storage == string(solver.Half) {
		if s.Precision == solver.Double {
			return s, errors.New("16-bit storage is for single precision: leave storage or precision out")
		}
		s.Precision = solver.Half
	}
	setIfGiven(&s.Lattice, c.Lattice)
	setIfGiven(&s.Layout, c.Layout)
	setIfGiven(&s.Profile, c.Profile)
	if c.LatticeVelocity != 0 {
		s.LatticeVelocity = c.LatticeVelocity
	}
	s.Smagorinsky = c.Smagorinsky
	var err error
	if s.Waveform, err = c.parseWaveform(c.Waveform); err != nil {
		return s, err
	}
	return s, s.Validate()
}

// setIfGiven sets a named choice unless the text is empty.
func setIfGiven[T ~string](choice *T, text string) {
	if text != "" {
		*choice = T(text)
	}
}

// Check finds the mistakes in a case that can be found before its surface is
// read, so that nobody waits for them.
func (c *Case) Check() error {
	if err := c.CheckRanks(); err != nil {
		return err
	}
	if err := CheckFolder(c.Output); err != nil {
		return err
	}
	return c.CheckFlow()
}

// CheckFlow is Check for a case whose geometry and ranks are settled.
func (c *Case) CheckFlow() error {
	if c.Steps < 0 {
		return fmt.Errorf("%d steps cannot be computed: give a positive number", c.Steps)
	}
	if c.Time != "" {
		if c.Steps > 0 {
			return errors.New("give either a number of steps or a time, not both")
		}
		if _, err := quantity.Time.ParsePositive(c.Time); err != nil {
			return err
		}
	}
	if c.Device != "" && c.Device != "cpu" && c.Device != "gpu" {
		return fmt.Errorf("there is no device %q: choose cpu or gpu", c.Device)
	}
	if c.Device == "gpu" && c.Layout == string(solver.Dense) {
		return fmt.Errorf("the %s layout is not computed on a GPU: leave it out, or compute on the processor", solver.Dense)
	}
	if err := c.checkContradictions(); err != nil {
		return err
	}
	if storage := cuda.Storage(c.Storage); storage != "" && storage != cuda.Single && storage != cuda.Half {
		return fmt.Errorf("there is no storage %q: choose %s or %s", c.Storage, cuda.Single, cuda.Half)
	}
	if exchange := cuda.Exchange(c.Exchange); exchange != "" && exchange != cuda.IPC && exchange != cuda.Host {
		return fmt.Errorf("there is no exchange %q: choose %s or %s", c.Exchange, cuda.IPC, cuda.Host)
	}
	for i := range c.Conditions {
		if _, err := c.condition(&c.Conditions[i]); err != nil {
			return fmt.Errorf("condition of opening %s: %w", c.Conditions[i].Opening, err)
		}
	}
	_, err := c.Settings()
	return err
}

// checkContradictions refuses what cannot be meant together and what has no
// effect.
func (c *Case) checkContradictions() error {
	if !(c.Tolerance >= 0 && c.Tolerance < 1) {
		return fmt.Errorf("a tolerance of %g tells nothing steady: give one between 0 and 1, such as 1e-4", c.Tolerance)
	}
	switch {
	case c.TimeStep != "" && c.LatticeVelocity != 0:
		return errors.New("a time step and a lattice velocity contradict each other: give either time-step or lattice-velocity, not both")
	case c.Storage == string(cuda.Single) && c.Precision == string(solver.Half):
		return errors.New("half precision is single precision with 16-bit storage: leave storage or precision out")
	case c.Exchange != "" && c.Device != "gpu":
		return errors.New("an exchange is for GPUs: leave it out, or compute with device gpu")
	}
	return nil
}

// steadyTolerance is the relative change of the velocity, while sound crosses
// the domain, below which a flow is called steady unless the case says
// otherwise.
const steadyTolerance = 1e-4

// plan says how long to compute: the case's steps or time, or else until the
// flow is steady, at most until the air in the lumen has been exchanged three
// times. A flow that a waveform changes is never called steady.
func (c *Case) plan(cells int64, spacing float64, s solver.Settings) (solver.Plan, error) {
	plan := solver.Plan{Steps: c.Steps, Tolerance: c.Tolerance}
	if !c.unsteady() {
		plan.Watch = steadyTolerance
	}
	switch {
	case c.Steps > 0:
		return plan, nil
	case c.Time != "":
		var err error
		plan.Time, err = quantity.Time.ParsePositive(c.Time)
		return plan, err
	case s.FlowRate == 0:
		return plan, errors.New("without a flow the program cannot tell how long to compute: give --time or --steps")
	}
	if plan.Tolerance == 0 && !c.unsteady() {
		plan.Tolerance = steadyTolerance
	}
	const throughflows = 3
	volume := float64(cells) * spacing * spacing * spacing
	plan.Time = throughflows * volume / max(s.FlowRate, -s.FlowRate)
	return plan, nil
}

// unsteady tells whether a waveform keeps the flow changing.
func (c *Case) unsteady() bool {
	return c.Waveform != "" || slices.ContainsFunc(c.Conditions, func(k ConditionCase) bool { return k.Waveform != "" })
}

// Solution is what a computation ended with.
type Solution struct {
	Summary    *solver.Summary
	Provenance *Provenance
	// Steadiness says whether the flow became steady.
	Steadiness string
	// Files were written, with their paths.
	Files []string
}

// Solver computes the flow on a partitioned grid.
type Solver struct {
	Case Case
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
	// Report hears how far the computation is, on rank 0; may be nil.
	Report func(solver.Progress)
	// Memory hears what the computation takes of the memory of GPUs, before it
	// begins; may be nil.
	Memory func([]cuda.MemoryUse)
	// Warn hears warnings before the computation begins, on rank 0.
	Warn func(warnings []string)

	made *made // to be written with the results; or nil
}

// inputs are the files that the computation depends on. Results never take their
// place.
func (s *Solver) inputs() []string {
	files := s.Case.files()
	if s.PartitionFile != "" {
		files = append(files, s.PartitionFile, filepath.Join(filepath.Dir(s.PartitionFile), filepath.Base(s.Partition.Source.File)))
	}
	return files
}

// prepare checks the settings and the memory and makes the domain.
// Where ranks have processes of their own, all fail if one does, or if they are
// not to compute the same.
func (s *Solver) prepare(t transport.Transport) (*solver.Domain, solver.Settings, solver.Plan, error) {
	domain, settings, plan, err := s.examine(t)
	if err := transport.Agree(t, err); err != nil {
		return nil, settings, plan, err
	}
	if err := s.agree(t, settings, plan); err != nil {
		return nil, settings, plan, err
	}
	plan.Report, plan.Warn = s.Report, s.Warn
	return domain, settings, plan, nil
}

// examine is what prepare does without the other ranks.
func (s *Solver) examine(t transport.Transport) (*solver.Domain, solver.Settings, solver.Plan, error) {
	settings, err := s.Case.Settings()
	if err != nil {
		return nil, settings, solver.Plan{}, err
	}
	if settings.Conditions, err = s.Case.conditions(s.Grid); err != nil {
		return nil, settings, solver.Plan{}, err
	}
	plan, err := s.Case.plan(s.cells(), s.Grid.Spacing, settings)
	if err != nil {
		return nil, settings, plan, err
	}
	if err := s.Case.CheckOpenings(s.Grid); err != nil {
		return nil, settings, plan, err
	}
	domain := s.Share
	if domain == nil {
		if domain, err = domainOf(s.Partition, s.Grid); err != nil {
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

// domainOf is a partitioned grid as the solver wants it.
func domainOf(p *balance.Partition, g *geometry.Grid) (*solver.Domain, error) {
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

// cells is the number of all fluid cells.
func (s *Solver) cells() int64 {
	if s.Share != nil {
		return s.Share.CellCount()
	}
	return s.Grid.Cells()
}

// forgetOthers keeps of a large partitioned grid only the share of a rank:
// small ones are kept as a whole, for the page to turn around.
func (s *Solver) forgetOthers(domain *solver.Domain, rank int) (*solver.Domain, error) {
	if s.Share != nil || domain.Ranks < 2 || s.cells() <= pageLimit {
		return domain, nil
	}
	share, err := cuda.Cut(domain, rank)
	if err != nil {
		return nil, err
	}
	s.Share, s.Grid = share, share.Grid
	return share, nil
}

// CheckOpenings says whether air can flow through the grid.
func (c *Case) CheckOpenings(g *geometry.Grid) error {
	settings, err := c.Settings()
	if err != nil || settings.FlowRate == 0 {
		return err
	}
	count := map[geometry.Role]int{}
	for _, o := range g.Openings {
		count[o.Role]++
	}
	if count[geometry.Inlet] == 0 || count[geometry.Outlet] == 0 {
		return fmt.Errorf("the geometry has %d inlets and %d outlets, air needs one of each at least: name openings with --opening, for which carina inspect suggests places",
			count[geometry.Inlet], count[geometry.Outlet])
	}
	return nil
}

// InProcess computes all ranks as goroutines of this process. Where only the
// results could not be written, there is a solution beside the error.
func (s *Solver) InProcess(ctx context.Context) (*Solution, error) {
	domain, settings, plan, err := s.prepare(nil)
	if err != nil {
		return nil, err
	}
	if err := s.admitRanks(0, domain.Ranks); err != nil {
		return nil, err
	}
	gathered := newSharedGather(domain.Ranks)
	results := newResults(s, domain.Ranks, nil)
	results.follow(&plan, gathered)
	summary, err := solver.RunInProcess(ctx, domain, settings, plan)
	if err != nil {
		return nil, results.abandon(err)
	}
	return results.finish(summary, gathered)
}

// OnGPUs computes with one GPU for every rank: all in this process, or, with a
// transport, the one rank that it stands for. Then only rank 0 gets a
// solution; the others get nil.
func (s *Solver) OnGPUs(ctx context.Context, t transport.Transport) (*Solution, error) {
	domain, settings, plan, err := s.prepare(t)
	if err != nil {
		return nil, err
	}
	options := cuda.Options{Storage: cuda.Single, Exchange: cuda.Exchange(s.Case.Exchange), Transport: t}
	setIfGiven(&options.Storage, s.Case.Storage)
	var gathered gather = newSharedGather(domain.Ranks)
	if t != nil {
		gathered = &transportGather{transport: t}
		domain, err = s.forgetOthers(domain, t.Rank())
		if err := transport.Agree(t, err); err != nil {
			return nil, err
		}
	} else {
		for device := range domain.Ranks {
			options.Devices = append(options.Devices, device)
		}
	}
	results := newResults(s, domain.Ranks, t)
	results.follow(&plan, gathered)
	summary, err := cuda.Run(ctx, domain, settings, plan, options, results.hooks(domain, gathered, t != nil))
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
	return fmt.Errorf("the partition is for %d ranks, but %d processes were started: use mpirun -np %d or partition again with --ranks %d",
		ranks, processes, ranks, processes)
}

// OnTransport computes the one rank that the transport stands for. Only rank
// 0 gets a solution; the others get nil.
func (s *Solver) OnTransport(ctx context.Context, t transport.Transport) (*Solution, error) {
	domain, settings, plan, err := s.prepare(t)
	if err != nil {
		return nil, err
	}
	if err := transport.Agree(t, s.admitRanks(t.Rank(), t.Rank()+1)); err != nil {
		return nil, err
	}
	gathered := &transportGather{transport: t}
	results := newResults(s, domain.Ranks, t)
	results.follow(&plan, gathered)
	summary, err := solver.RunRank(ctx, domain, settings, plan, t)
	if err != nil {
		return nil, results.abandon(err)
	}
	return results.finish(summary, gathered)
}
