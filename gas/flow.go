package gas

import (
	"context"
	"errors"
	"fmt"

	"carina"
	"carina/balance"
	"carina/geometry/generate"
	"carina/internal/results"
	"carina/internal/run"
	"carina/internal/together"
	"carina/solver"
	"carina/solver/checkpoint"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/thermal"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Options are what a gas is computed with besides its case. Any may be left out.
type Options struct {
	// Transport connects this process, which is one rank, with the others; nil where it has
	// all ranks.
	Transport transport.Transport
	// Checkpoints say when the state is kept in the folder of results, Restart from which one
	// the computation goes on.
	Checkpoints carina.Checkpoints
	Restart     *checkpoint.Checkpoint
	// Rebalance lets cells change owner while it runs.
	Rebalance carina.Rebalancing
	// Partitioned hears who computes what, Warn what is likely to be wrong, Look what was
	// decided at each look at the balance, Resumed where it goes on, and Progress how many
	// steps of how many are computed, on rank 0.
	Partitioned func(*balance.Partition)
	Warn        func(warning string)
	Look        func(carina.Look)
	Resumed     func(step int64)
	Progress    func(step, of int)
}

// Flow is a case that is going to be computed, or was.
type Flow struct {
	c, asked  Case // complete, and as it was given
	options   Options
	scene     *scene
	gas       thermal.Gas
	partition *balance.Partition
	domain    *solver.Domain
	ranks     together.Ranks
	course    together.Course
	lines     []thermal.Line  // at the last look
	noted     bool            // what that saw, before a checkpoint
	states    []thermal.State // of all cells, while they are drawn, on rank 0
	snapshots int64           // steps between those, 0: none
	samples   []Sample
	summary   Summary
	files     []string
}

// Sample is the whole at a time; energy is without that of height.
type Sample struct {
	Step     int        `json:"step"`
	Mass     float64    `json:"mass"`
	Momentum [2]float64 `json:"momentum"`
	Energy   float64    `json:"energy"`
	Kinetic  float64    `json:"kinetic_energy"`
	// Figure is what the scene is about.
	Figure float64 `json:"figure"`
}

// Summary is what came out.
type Summary struct {
	Scene     string  `json:"scene"`
	Size      [2]int  `json:"size"`
	Steps     int     `json:"steps"`
	Tau       float64 `json:"tau"`
	Rayleigh  float64 `json:"rayleigh,omitempty"`
	Gravity   float64 `json:"gravity"`
	Collision string  `json:"collision"`
	Precision string  `json:"precision"`
	Ranks     int     `json:"ranks"`
	Cut       string  `json:"cut"`
	Device    string  `json:"device,omitempty"`
	// Figure is the name of the samples' figure.
	Figure string `json:"figure"`
	First  Sample `json:"first"`
	Last   Sample `json:"last"`
	Hash   string `json:"hash"`
	// Seconds is how long the steps took.
	Seconds float64 `json:"seconds"`
	Updates float64 `json:"cell_updates_per_s"`
	// Interrupted tells that somebody has stopped it.
	Interrupted bool      `json:"interrupted,omitempty"`
	Speeds      []float64 `json:"speeds,omitempty"`
}

// Open shares the box of a case among ranks. Processes that a transport connects open the
// same.
func Open(ctx context.Context, c Case, o Options) (*Flow, error) {
	f := &Flow{c: c, asked: c, options: o}
	err := f.prepare(ctx)
	if err := transport.Agree(o.Transport, err); err != nil {
		return nil, err
	}
	return f, transport.Same(o.Transport, f.agreement())
}

// prepare makes what is to be computed of the case.
func (f *Flow) prepare(ctx context.Context) (err error) {
	t, c := f.options.Transport, &f.c
	if err := c.agreeRanks(t); err != nil {
		return err
	}
	if f.scene, err = c.complete(); err != nil {
		return err
	}
	if f.snapshots, err = c.between(); err != nil {
		return err
	}
	devices, err := c.Devices(c.Ranks)
	if err != nil {
		return err
	}
	if run.On(devices, carina.GPU) {
		if err := device.Start(); err != nil {
			return err
		}
	}
	grid := generate.FullGrid([3]int32{int32(c.Size[0]), int32(c.Size[1]), 1})
	gas, start := f.scene.make(c)
	f.gas = gas
	f.gas.Tau, f.gas.Collision, f.gas.Single = c.Tau, c.collision(), c.Precision == "single"
	f.gas.Initial = func(p r3.Vec) thermal.State {
		return start((p.X-grid.Origin.X)/grid.Spacing, (p.Y-grid.Origin.Y)/grid.Spacing)
	}
	if err := f.share(ctx, grid); err != nil {
		return err
	}
	f.ranks = together.Ranks{Physics: &f.gas, Domain: f.domain, Devices: devices, Exchange: cuda.Exchange(c.Exchange), Transport: t, Time: func(r *solver.Rank) float64 { return float64(r.Steps()) }}
	f.summary = Summary{
		Scene: c.Scene, Size: c.Size, Tau: c.Tau, Rayleigh: c.Rayleigh, Gravity: -f.gas.Gravity[1], Collision: c.Collision, Precision: c.Precision,
		Ranks: c.Ranks, Cut: c.Cut, Device: string(c.Device), Figure: f.scene.figureName,
	}
	if c.Cut == "" {
		f.summary.Cut = f.partition.Method.Decompose + " + " + f.partition.Method.Balance
	}
	if f.options.Partitioned != nil && (t == nil || t.Rank() == 0) {
		f.options.Partitioned(f.partition)
	}
	return nil
}

// Run computes the gas and writes the results into the case's folder, if it names one. Where
// the context ends it before, the results are those reached, and the error is a
// carina.StoppedError.
func (f *Flow) Run(ctx context.Context) error {
	text, err := f.asked.encode()
	if err != nil {
		return err
	}
	o := &f.options
	f.course = together.Course{
		Transport: o.Transport, Names: f.fileNames(), Inputs: f.inputs(), Keep: f.keeps, Snapshots: f.snapshots > 0, Domain: f.domain, Hear: o.Look,
		Keeping: results.KeepingOf{
			Folder: f.c.Output, Ranks: f.domain.Ranks, Checkpoints: o.Checkpoints, Restart: o.Restart, Case: text, Settings: f.items(), MayChange: mayChange,
			Save: f.saveSamples, Load: f.loadSamples, Warn: o.warn, Resumed: o.goesOn,
		},
		Rebalancing: together.NewRebalancing(o.Rebalance.On, o.Rebalance.Every, f.partition),
		Left:        func(r run.Computation) int64 { return int64(f.c.Steps) - r.Engine().Steps() },
	}
	defer f.course.End()
	if err := f.course.Begin(ctx); err != nil {
		return err
	}
	if err := f.ranks.Each(func(t transport.Transport) error { return f.compute(ctx, t) }); err != nil {
		return err
	}
	return f.conclude(ctx)
}

func (o *Options) warn(words string) {
	if o.Warn != nil {
		o.Warn(words)
	}
}

func (o *Options) goesOn(step int64, _ float64) {
	if o.Resumed != nil {
		o.Resumed(step)
	}
}

// attention is how many steps pass at most until somebody who wants it to stop is heard.
const attention = 64

// compute is what a rank does.
func (f *Flow) compute(ctx context.Context, t transport.Transport) error {
	r, err := f.ranks.Start(t, solver.Options{})
	if err != nil {
		return err
	}
	defer func() { r.Close() }()
	if err := f.course.Resume(r); err != nil {
		return err
	}
	if steps := r.Engine().Steps(); steps > int64(f.c.Steps) {
		return transport.AgreedError{Cause: fmt.Errorf("the checkpoint is of step %d and the gas is to end after %d: give more --steps, or compute it anew", steps, f.c.Steps)}
	}
	looked := int64(-1)
	look := func() error {
		looked = r.Engine().Steps()
		return f.look(r)
	}
	due := func(float64) (bool, error) {
		step := r.Engine().Steps()
		if t.Rank() == 0 && f.options.Progress != nil {
			f.options.Progress(int(step), f.c.Steps)
		}
		if step%int64(f.c.Every) == 0 {
			if err := look(); err != nil {
				return false, err
			}
		}
		return false, f.show(r)
	}
	if _, err := due(0); err != nil {
		return err
	}
	loop := solver.Loop{End: int64(f.c.Steps), Interval: attention, Pause: func(step int64) bool { return step%int64(f.c.Every) == 0 || f.snapshotAt(step) }, LookWhenStopped: true, Dues: append([]solver.Due{{Do: due}}, f.course.Dues(r)...)}
	stopped := loop.Run(ctx, r.Engine)
	if stopped != nil && !errors.As(stopped, new(*solver.StoppedError)) {
		return explained(stopped)
	}
	if looked < r.Engine().Steps() {
		if err := look(); err != nil {
			return err
		}
	}
	if err := f.course.Finish(r); err != nil {
		return err
	}
	return f.hand(r, stopped != nil)
}

// explained says of a gas that has diverged what helps.
func explained(err error) error {
	var diverged *solver.DivergedError
	if errors.As(err, &diverged) {
		return transport.AgreedError{Cause: fmt.Errorf("the gas makes no sense before step %d: give more cells or a longer relaxation time", diverged.Step)}
	}
	return err
}

// hand notes on rank 0 how it ended.
func (f *Flow) hand(r *together.Member, interrupted bool) error {
	e := r.Engine()
	hash, err := e.Hash()
	if err != nil || e.Transport().Rank() > 0 {
		return err
	}
	s, timing := &f.summary, e.Timing()
	s.Steps, s.Hash, s.Interrupted, s.Seconds = int(e.Steps()), fmt.Sprintf("%016x", hash), interrupted, timing.Total.Seconds()
	s.Updates = float64(f.c.Size[0]) * float64(f.c.Size[1]) * float64(timing.Steps) / max(s.Seconds, 1e-9)
	s.Speeds = f.course.Looks.Speeds()
	if len(f.samples) > 0 {
		s.First, s.Last = f.samples[0], f.samples[len(f.samples)-1]
	}
	return nil
}

// look sums over lines of cells, and notes the totals on rank 0.
func (f *Flow) look(r *together.Member) error {
	e := r.Engine()
	step, t := int(e.Steps()), e.Transport()
	lines, err := f.gas.Lines(e, f.scene.across())
	if err != nil {
		return err
	}
	if t.Rank() == 0 {
		f.lines = lines
		n := len(f.samples)
		if f.noted = n > 0 && f.samples[n-1].Step >= step; !f.noted {
			err = f.sample(step)
		}
	}
	return transport.Agree(t, err)
}

// show draws and writes fields where it is time, but draws none of a step that was noted before
// a checkpoint.
func (f *Flow) show(r *together.Member) (err error) {
	step, t := r.Engine().Steps(), r.Engine().Transport()
	draws, writes := f.drawnAt(int(step)), f.snapshotAt(step)
	if f.c.Output == "" || !draws && !writes {
		return nil
	}
	if err := f.gather(r, t); err != nil {
		return err
	}
	if t.Rank() == 0 {
		if draws && !f.noted {
			err = f.draw(int(step))
		}
		if writes {
			f.course.AddSnapshot(step, f.image(step))
		}
		f.states = nil
	}
	return transport.Agree(t, err)
}

// gather brings the states of all cells together on rank 0.
func (f *Flow) gather(r *together.Member, t transport.Transport) error {
	e, size := r.Engine(), f.domain.Grid.Size
	if t.Rank() == 0 {
		f.states = make([]thermal.State, f.c.Size[0]*f.c.Size[1])
	}
	const values = 4
	return r.Gather(values, f.gas.Slots(e.Steps()),
		func(global int64, found, into []float64) []float64 {
			s := f.gas.StateOf(size, global, found)
			return append(into, s.Density, s.Velocity[0], s.Velocity[1], s.Temperature)
		},
		func(global int64, v []float64) {
			f.states[global] = thermal.State{Density: v[0], Velocity: [2]float64{v[1], v[2]}, Temperature: v[3]}
		})
}

// at is the state of a cell.
func (f *Flow) at(x, y int) *thermal.State { return &f.states[y*f.c.Size[0]+x] }

// sample notes the totals.
func (f *Flow) sample(step int) error {
	s := Sample{Step: step}
	for i := range f.lines {
		l := &f.lines[i]
		s.Mass += l.Mass
		s.Momentum[0] += l.Momentum[0]
		s.Momentum[1] += l.Momentum[1]
		s.Energy += l.Energy
		s.Kinetic += l.Kinetic
	}
	if s.Energy > most*s.Mass {
		return fmt.Errorf("the flow has no energy that makes sense after %d steps: give more cells or a longer relaxation time", step)
	}
	s.Figure = f.scene.figure(f)
	f.samples = append(f.samples, s)
	return nil
}

// most is the energy of a mass that no flow of the scenes has.
const most = 10

// Summary is what came out, nil before Run, and on other ranks than the first.
func (f *Flow) Summary() *Summary {
	if f.summary.Hash == "" {
		return nil
	}
	return &f.summary
}

// Samples are the totals over time.
func (f *Flow) Samples() []Sample { return f.samples }

// Files are the paths of what was written.
func (f *Flow) Files() []string { return f.files }

// Partition is who owns which cells.
func (f *Flow) Partition() *balance.Partition { return f.partition }
