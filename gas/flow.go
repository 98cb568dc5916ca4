package gas

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/crash"
	"carina/internal/resultsfolder"
	"carina/solver"
	"carina/solver/processor"
	"carina/solver/thermal"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Flow is a case that is computed.
type Flow struct {
	c       Case
	scene   *scene
	gas     thermal.Gas
	states  []thermal.State // of all cells, at a look
	samples []Sample
	summary Summary
	folder  *resultsfolder.Folder
	files   []string
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
	// Figure is the name of the samples' figure.
	Figure  string  `json:"figure"`
	First   Sample  `json:"first"`
	Last    Sample  `json:"last"`
	Hash    string  `json:"hash"`
	Seconds float64 `json:"seconds"`
	Updates float64 `json:"cell_updates_per_s"`
}

// Run computes a case and writes its results. Progress is told the step, may be nil.
func Run(ctx context.Context, c Case, progress func(step, of int)) (*Flow, error) {
	s, err := c.complete()
	if err != nil {
		return nil, err
	}
	f := &Flow{c: c, scene: s}
	gas, start := s.make(&f.c)
	f.gas = gas
	f.gas.Tau, f.gas.Collision, f.gas.Single = f.c.Tau, f.c.collision(), f.c.Precision == "single"
	if c.Output != "" {
		if f.folder, err = resultsfolder.Open(c.Output, ""); err != nil {
			return nil, fmt.Errorf("preparing the folder of results: %w", err)
		}
		defer f.folder.Close()
		if err := f.folder.Admit(f.fileNames(), nil); err != nil {
			return nil, err
		}
	}
	grid := generate.FullGrid([3]int32{int32(f.c.Size[0]), int32(f.c.Size[1]), 1})
	f.gas.Initial = func(p r3.Vec) thermal.State {
		return start((p.X-grid.Origin.X)/grid.Spacing, (p.Y-grid.Origin.Y)/grid.Spacing)
	}
	f.states = make([]thermal.State, f.c.Size[0]*f.c.Size[1])
	f.summary = Summary{Scene: s.name, Size: f.c.Size, Steps: f.c.Steps, Tau: f.c.Tau, Rayleigh: f.c.Rayleigh, Gravity: -f.gas.Gravity[1], Collision: f.c.Collision, Precision: f.c.Precision, Ranks: f.c.Ranks, Cut: f.c.Cut, Figure: s.figureName}
	domain := f.domain(grid)
	failures := make([]error, f.c.Ranks)
	var all sync.WaitGroup
	for _, t := range transport.NewLocal(f.c.Ranks) {
		all.Go(func() {
			defer crash.Guard()
			if err := f.compute(ctx, domain, t, progress); err != nil {
				failures[t.Rank()] = err
				t.Abort(err)
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return f, f.conclude()
}

// domain cuts the box.
func (f *Flow) domain(grid *geometry.Grid) *solver.Domain {
	columns, rows := f.c.parts()
	d := &solver.Domain{Grid: grid, Ranks: f.c.Ranks, Periodic: f.scene.periodic}
	for rank := range f.c.Ranks {
		d.Owners = append(d.Owners, int32(rank))
	}
	w := f.c.Size[0]
	for _, r := range grid.Runs {
		row := int(r.Y) * rows / f.c.Size[1]
		for column := range columns {
			// The columns x with x·columns/w = column.
			from, to := (column*w+columns-1)/columns, ((column+1)*w+columns-1)/columns
			d.Segments = append(d.Segments, cuboid.Segment{Run: geometry.Run{X0: int32(from), X1: int32(to), Y: r.Y, Z: r.Z}, Cuboid: int32(row*columns + column)})
		}
	}
	return d
}

// attention is how many steps pass at most until somebody who wants it to stop is heard.
const attention = 64

// compute is what a rank does.
func (f *Flow) compute(ctx context.Context, domain *solver.Domain, t transport.Transport, progress func(step, of int)) error {
	gas := f.gas
	workers := max(1, runtime.GOMAXPROCS(0)/f.c.Ranks)
	rank, err := solver.NewRank(domain, solver.Together{&gas}, processor.New(workers, t), t, solver.Options{})
	if err != nil {
		return err
	}
	defer rank.Close()
	began := time.Now()
	for step := 0; ; step++ {
		due := step%f.c.Every == 0 || step == f.c.Steps
		if due || step%attention == 0 {
			if err := transport.Agree(t, ctx.Err()); err != nil {
				return err
			}
			if t.Rank() == 0 && progress != nil {
				progress(step, f.c.Steps)
			}
		}
		if due {
			if err := f.look(rank, t, step); err != nil {
				return err
			}
		}
		if step == f.c.Steps {
			break
		}
		if err := rank.Step(); err != nil {
			return err
		}
	}
	hash, err := rank.Hash()
	if t.Rank() == 0 {
		f.summary.Hash, f.summary.Seconds = fmt.Sprintf("%016x", hash), time.Since(began).Seconds()
		f.summary.Updates = float64(len(f.states)) * float64(f.c.Steps) / f.summary.Seconds
	}
	return err
}

// look gathers the states of all ranks, which the first one then looks at while the others
// wait.
func (f *Flow) look(rank *solver.Rank, t transport.Transport, step int) error {
	err := f.gas.Each(rank, func(global int64, s thermal.State) { f.states[global] = s })
	if err := transport.Agree(t, err); err != nil {
		return err
	}
	err = nil
	if t.Rank() == 0 {
		err = f.sample(step)
	}
	return transport.Agree(t, err)
}

// at is the state of a cell.
func (f *Flow) at(x, y int) *thermal.State { return &f.states[y*f.c.Size[0]+x] }

// sample notes the totals and draws.
func (f *Flow) sample(step int) error {
	s := Sample{Step: step}
	for i := range f.states {
		cell := &f.states[i]
		u := cell.Velocity
		s.Mass += cell.Density
		s.Momentum[0] += cell.Density * u[0]
		s.Momentum[1] += cell.Density * u[1]
		s.Energy += cell.Energy()
		s.Kinetic += cell.Density * (u[0]*u[0] + u[1]*u[1]) / 2
	}
	if math.IsNaN(s.Energy) || math.IsInf(s.Energy, 0) {
		return fmt.Errorf("the flow has no finite energy after %d steps: give more cells or a longer relaxation time", step)
	}
	s.Figure = f.scene.figure(f)
	if f.samples = append(f.samples, s); step == 0 {
		f.summary.First = s
	}
	f.summary.Last = s
	looks := f.c.Steps / f.c.Every
	if n := step / f.c.Every; f.folder != nil && f.c.Pictures > 0 && step > 0 && step%f.c.Every == 0 && n*f.c.Pictures/looks > (n-1)*f.c.Pictures/looks {
		return f.draw(step)
	}
	return nil
}

// Summary is what came out.
func (f *Flow) Summary() *Summary { return &f.summary }

// Samples are the totals over time.
func (f *Flow) Samples() []Sample { return f.samples }

// Files are the paths of what was written.
func (f *Flow) Files() []string { return f.files }
