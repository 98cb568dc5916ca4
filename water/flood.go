package water

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"slices"
	"strings"

	"carina"
	"carina/balance"
	"carina/geometry"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/internal/results"
	"carina/internal/run"
	"carina/internal/together"
	"carina/solver"
	"carina/solver/checkpoint"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/shallow"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Options are what a flood is computed with besides its case. Any may be left out.
type Options struct {
	// Transport connects this process, which is one rank, with the others; nil where it has
	// all ranks.
	Transport transport.Transport
	// Checkpoints say when the state is kept in the folder for results, Restart from which
	// one the computation goes on.
	Checkpoints carina.Checkpoints
	Restart     *checkpoint.Checkpoint
	// Rebalance lets cells change owner while it runs.
	Rebalance carina.Rebalancing
	// Partitioned hears who computes what, Warn what is likely to be wrong, Look what was
	// decided at each look at the balance, Resumed where it goes on, and Progress how many
	// seconds of how many are computed and how fast the water flows, in m/s, on rank 0.
	Partitioned func(*balance.Partition)
	Warn        func(warning string)
	Look        func(carina.Look)
	Resumed     func(step int64, seconds float64)
	Progress    func(time, end, fastest float64)
	// Observe sees the depths of all cells, in the order of the grid's runs, whenever gauges
	// are looked at, on rank 0. An error ends the computation.
	Observe func(step int64, time float64, depths []float64) error
}

// Flood is water on ground that is going to be computed, or was.
type Flood struct {
	c         Case
	options   Options
	settings  settings
	ground    *ground
	partition *balance.Partition
	domain    *solver.Domain
	devices   []carina.Device
	water     *shallow.Water
	entering  [4]float64 // m of each side where water comes in
	cells     int64
	gauges    []gaugeCell
	rows      []gaugeRow // on rank 0
	ranks     together.Ranks
	course    together.Course
	outcome   *outcome
	summary   *Summary
	files     []string
}

// gaugeCell is where a gauge stands.
type gaugeCell struct {
	gauge
	cell        int64 // global number
	column, row int32
}

// gaugeRow is what gauges tell at a time: depth and discharge of each.
type gaugeRow struct {
	Time   float64
	Values []float64
}

// DivergedError says where water came to make no sense.
type DivergedError struct {
	Step  int64
	Time  float64 // s
	Place r3.Vec  // m
}

// Error says so in a sentence.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("the water makes no sense before step %d, after %s, at %.6g, %.6g m: look at the ground and the water there, or give a smaller --cfl", e.Step, quantity.Format(e.Time, "s"), e.Place.X, e.Place.Y)
}

// Open reads the ground and shares its cells among ranks. Processes that a transport
// connects open the same.
func Open(ctx context.Context, c Case, o Options) (*Flood, error) {
	f := &Flood{c: c, options: o}
	err := f.prepare(ctx)
	if err := transport.Agree(o.Transport, err); err != nil {
		return nil, err
	}
	return f, transport.Same(o.Transport, f.agreement())
}

// CheckpointCase is the case that a checkpoint is of.
func CheckpointCase(from *checkpoint.Checkpoint) (c Case, err error) {
	text, _ := results.CheckpointCase(from)
	return c, c.decode(text)
}

// prepare makes what is to be computed of the case.
func (f *Flood) prepare(ctx context.Context) (err error) {
	c, t := &f.c, f.options.Transport
	if t != nil {
		if c.Ranks = cmp.Or(c.Ranks, t.Size()); c.Ranks != t.Size() {
			return fmt.Errorf("%s asked for, and the launcher started %s: leave --ranks out", quantity.Count(c.Ranks, "rank"), quantity.Count(t.Size(), "process"))
		}
	}
	if c.Ranks = cmp.Or(c.Ranks, 1); c.Ranks < 1 {
		return c.CheckRanks()
	}
	if f.settings, err = c.settings(); err != nil {
		return err
	}
	if f.devices, err = c.Devices(c.Ranks); err != nil {
		return err
	}
	if run.On(f.devices, carina.GPU) {
		if err := device.Start(); err != nil {
			return err
		}
	}
	if f.ground, err = c.makeGround(&f.settings); err != nil {
		return err
	}
	grid := f.ground.grid
	f.cells = grid.Cells()
	if err := f.place0(); err != nil {
		return err
	}
	options, err := c.Options(f.settings.cost())
	if err != nil {
		return err
	}
	if f.partition, err = balance.Make(ctx, grid, options); err != nil {
		return err
	}
	if f.domain, err = solver.NewDomain(grid, f.partition); err != nil {
		return err
	}
	for axis, side := range []shallow.Side{shallow.West, shallow.South} {
		f.domain.Periodic[axis] = periodic(f.settings.edges, side)
	}
	f.water = c.water(&f.settings)
	f.ground.bind(f.water)
	if f.water.Edge, f.water.Inflow, f.entering, err = f.ground.border(f.settings.edges); err != nil {
		return err
	}
	f.ranks = together.Ranks{Physics: f.water, Domain: f.domain, Devices: f.devices, Exchange: cuda.Exchange(c.Exchange), Transport: t, Time: func(e *solver.Rank) float64 { return clock(e).Time() }}
	if f.options.Partitioned != nil && (t == nil || t.Rank() == 0) {
		f.options.Partitioned(f.partition)
	}
	return nil
}

// place0 finds the cells of gauges.
func (f *Flood) place0() error {
	grid := f.ground.grid
	starts := grid.Starts()
	for _, g := range f.settings.gauges {
		at := gaugeCell{gauge: g, cell: -1, column: int32((g.x - grid.Origin.X) / grid.Spacing), row: int32((g.y - grid.Origin.Y) / grid.Spacing)}
		inside := g.x >= grid.Origin.X && g.y >= grid.Origin.Y && at.column < grid.Size[0] && at.row < grid.Size[1]
		if inside {
			for i := grid.FirstOfRow(at.row, 0); i < len(grid.Runs) && grid.Runs[i].Y == at.row; i++ {
				if r := &grid.Runs[i]; at.column >= r.X0 && at.column < r.X1 {
					at.cell = starts[i] + int64(at.column-r.X0)
				}
			}
		}
		if at.cell < 0 {
			return fmt.Errorf("gauge %s stands at %g, %g m, where there is no ground: give a place from %g, %g to %g, %g m that has a height", g.name, g.x, g.y,
				grid.Origin.X, grid.Origin.Y, grid.Origin.X+float64(grid.Size[0])*grid.Spacing, grid.Origin.Y+float64(grid.Size[1])*grid.Spacing)
		}
		f.gauges = append(f.gauges, at)
	}
	return nil
}

// place is where the centre of a cell lies, by its global number.
func (f *Flood) place(cell int64) r3.Vec {
	grid := f.ground.grid
	starts := grid.Starts()
	i, found := slices.BinarySearch(starts, cell)
	if !found {
		i--
	}
	r := &grid.Runs[i]
	return grid.Center(r.X0+int32(cell-starts[i]), r.Y, r.Z)
}

// items are what all ranks have in common, and what a checkpoint is of.
func (f *Flood) items() []transport.Item {
	c := &f.c
	return []transport.Item{
		{Name: "terrain", Value: f.ground.hash()}, {Name: "scheme", Value: cmp.Or(c.Scheme, Schemes[0])}, {Name: "precision", Value: cmp.Or(c.Precision, Precisions[0])},
		{Name: "edges", Value: strings.Join(c.Edges, " ")}, {Name: "inflow", Value: inflows(f.settings.edges)}, {Name: "depth of flooded ground", Value: fmt.Sprint(f.settings.wet)},
		{Name: "CFL number", Value: fmt.Sprint(c.CFL)}, {Name: "friction", Value: fmt.Sprint(c.Manning, c.Chezy)},
		{Name: "time", Value: fmt.Sprint(f.settings.time)}, {Name: "gauges", Value: strings.Join(c.Gauges, " ")}, {Name: "interval", Value: fmt.Sprint(f.settings.interval)},
	}
}

// agreement is what processes have in common besides.
func (f *Flood) agreement() []transport.Item {
	c, restart, devices := &f.c, "", make([]string, len(f.devices))
	if f.options.Restart != nil {
		restart = f.options.Restart.ID
	}
	for i, d := range f.devices {
		devices[i] = string(d)
	}
	return append(f.items(), []transport.Item{
		{Name: "program version", Value: machine.Build()}, {Name: "device", Value: strings.Join(devices, ",")}, {Name: "partition", Value: fmt.Sprint(f.partition.Owners)},
		{Name: "steps between exchanges", Value: c.ExchangeEvery}, {Name: "time between snapshots", Value: c.Snapshots}, {Name: "folder for results", Value: c.Output}, {Name: "checkpoint to go on from", Value: restart}, {Name: "balance while it runs", Value: f.options.Rebalance.String()},
	}...)
}

// mayChange are the items that a state does not depend on.
var mayChange = []string{"CFL number", "friction", "inflow", "time", "interval"}

// Run computes the flood to the end of its time, and writes the results into the case's
// folder, if it names one. Where the context ends it before, the results are those reached,
// and the error is a carina.StoppedError.
func (f *Flood) Run(ctx context.Context) error {
	o, t := &f.options, f.options.Transport
	warn := o.Warn
	if warn == nil {
		warn = func(string) {}
	}
	resumed := o.Resumed
	if resumed == nil {
		resumed = func(int64, float64) {}
	}
	if t == nil || t.Rank() == 0 {
		for _, text := range f.ground.warnings {
			warn(text)
		}
	}
	text, err := f.c.encode()
	if err != nil {
		return err
	}
	f.course = together.Course{
		Transport: t, Names: f.names(), Inputs: f.inputs(), Domain: f.domain, Hear: o.Look, Snapshots: f.settings.snapshots > 0,
		Keeping: results.KeepingOf{
			Folder: f.c.Output, Ranks: f.domain.Ranks, Checkpoints: o.Checkpoints, Restart: o.Restart, Resumed: resumed, Warn: warn,
			Case: text, Settings: f.items(), MayChange: mayChange, Save: f.saveRows, Load: f.loadRows,
		},
		Rebalancing: together.NewRebalancing(o.Rebalance.On, o.Rebalance.Every, f.partition),
		Left: func(c run.Computation) int64 {
			return int64((f.settings.time - c.Time()) * float64(c.Engine().Steps()) / max(c.Time(), 1e-9*f.settings.time))
		},
	}
	if f.course.Rebalancing != nil {
		f.course.Rebalancing.Dear = f.wet
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

// saveRows returns what gauges have told so far, for loadRows.
func (f *Flood) saveRows() []byte {
	var data bytes.Buffer
	// Numbers are always written to memory.
	_ = gob.NewEncoder(&data).Encode(f.rows)
	return data.Bytes()
}

func (f *Flood) loadRows(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&f.rows); err != nil {
		return fmt.Errorf("reading the gauges of a checkpoint: %w", err)
	}
	return nil
}

// Grid has the cells, and Partition says who computes what.
func (f *Flood) Grid() *geometry.Grid { return f.ground.grid }

// Partition is who owns which cells.
func (f *Flood) Partition() *balance.Partition { return f.partition }

// Summary is the outcome, nil before Run, and on other ranks than the first.
func (f *Flood) Summary() *Summary { return f.summary }

// Files are those that Run has written.
func (f *Flood) Files() []string { return slices.Clone(f.files) }
