package gpu

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	"carina/internal/parallel"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/moments"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiles"
	"carina/solver/cuda/tiling"
)

// physics is a flow as GPUs compute it.
type physics struct {
	solver.Physics // of processors: fields and program are the same
	flow           *airflow.Flow
	options        Options
}

// Bind makes the tiles of a rank.
func (p physics) Bind(b *solver.Binding) (solver.Kernel, error) {
	d, ok := b.Device.(*tiles.Device)
	if !ok {
		return nil, fmt.Errorf("the flow is bound to GPUs here and the device is a %T: give tiles.NewDevice, or the flow that belongs to the device", b.Device)
	}
	k := &bound{flow: p.flow, on: d, layout: b.Layout, Layout: tiling.Layout{Bits: 32, Directions: p.flow.Set.Q - 1},
		workers: parallel.New(runtime.GOMAXPROCS(0))}
	switch p.flow.Settings.Precision {
	case airflow.Double:
		k.Bits = 64
	case airflow.Half:
		k.Bits = 16
	}
	samples := &sampler{on: k}
	k.statistics.Sampler = samples
	d.OnClose(func() error { return errors.Join(k.kept.close(d.GPU()), samples.close(), k.closeCopied()) })
	plan, ok := b.Foreseen.(*plan)
	if !ok {
		var err error
		if plan, err = p.plan(b.Layout); err != nil {
			return nil, err
		}
	}
	if err := k.makePart(plan, b.Finder, p.options); err != nil {
		return nil, err
	}
	return k, k.initialize()
}

// bound is the flow on the tiles of one rank.
type bound struct {
	flow   *airflow.Flow
	on     *tiles.Device
	layout *solver.Layout
	tiles  *tiling.Set
	tiling.Layout
	walls bool
	part  *part
	rates []uint64 // struct Rates of kernels/flow.h
	imposing

	steps int64 // done or begun
	// stepped tells that a step has left quadratic parts of walls for the next.
	stepped    bool
	average    *average
	statistics moments.Statistics
	kept       *snapshotMemory
	compared   *compared
	sparse     sparse
	copied     *copied           // for all own cells, once a state was saved
	sorting    chan *sorted      // a part of it that is being made beside the steps
	workers    *parallel.Workers // of the host, that sort what is saved and loaded
}

var (
	_ airflow.Kernel   = (*bound)(nil)
	_ solver.Auxiliary = (*bound)(nil)
	_ solver.Inheritor = (*bound)(nil)
	_ solver.Resumer   = (*bound)(nil)
)

// maxTiles of a rank, ghosts included: their numbers have 31 bits.
const maxTiles = math.MaxInt32

// plan is what a rank makes of its cells before a device has them.
type plan struct {
	tiles     *tiling.Set
	owner     []int32 // of every tile
	subdomain *tiling.Subdomain
	walls     *wallTables
}

// Foresee makes the plan beside the steps of before.
func (p physics) Foresee(f *solver.Finder) (any, error) { return p.plan(f.Layout) }

// plan makes that of a rank.
func (p physics) plan(l *solver.Layout) (m *plan, err error) {
	domain, rank := l.Domain, l.Rank
	m = &plan{}
	if m.tiles, err = tiling.NewSet(domain, p.flow.Set.Q-1); err != nil {
		return nil, err
	}
	if m.owner, err = m.tiles.Owners(domain); err != nil {
		return nil, err
	}
	if domain.Grid.Links.Len() == 0 && domain.Share == nil && !m.tiles.Endless() {
		return nil, errors.New("the grid ends at walls and has no links to them; voxelize the surface again")
	}
	m.subdomain = tiling.NewSubdomain(m.tiles, m.owner, int(rank))
	own := m.subdomain.Own
	if len(m.subdomain.Tiles) > maxTiles {
		return nil, fmt.Errorf("rank %d has %d tiles of 4×4×4 cells, and %d is the most; use more GPUs", rank, own, maxTiles)
	}
	m.walls, err = newWallTables(m.tiles, domain, p.flow, p.flow.Settings.Wall, m.subdomain.Indices(m.tiles), own)
	return m, err
}

// makePart makes the part of this rank, still without its neighbours, in the memory that
// options let it have.
func (s *bound) makePart(m *plan, finder *solver.Finder, o Options) (err error) {
	s.tiles, s.walls = m.tiles, s.layout.Domain.Grid.Links.Len() > 0 // as on all ranks
	s.rates = s.ratesNow()
	owner := m.owner
	tiles := tiles.NewTiles(s.on.GPU(), s.Layout, m.tiles, m.subdomain)
	s.on.Bind(tiles, s.layout, finder) // which closes them, whatever fails from here on
	p := newPart(tiles, m.walls)
	s.part = p
	p.ask(owner)
	for _, step := range []func() error{
		func() error { return p.checkMemory(o) },
		s.compile,
		func() error { return p.Fill(owner) },
		func() error { return p.fill(s.flow.Openings) },
		func() error { return s.imposing.prepare(p, len(s.flow.Openings)) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if s.flow.States.Coupled() && len(p.walls.openingCells) > 0 {
		return p.load(p.outflowProgram())
	}
	return nil
}

// scale is that of stored populations.
func (s *bound) scale() float64 {
	if s.Bits == 16 {
		return 1 << 15
	}
	return 1
}

// Work starts the updates of a step. Quadratic parts of walls are those of the next
// one's.
func (s *bound) Work(step, phase int) solver.Work {
	if phase > 0 {
		return nil
	}
	return tiles.Launch(func(border bool) error {
		if border {
			return s.part.launchBorder(int64(step), s.rates)
		}
		s.steps++
		s.on.SetSteps(s.steps)
		s.stepped = true
		return s.part.launchInterior(int64(step), s.rates)
	})
}

// Begin sets what acts in the next step: what the openings impose, delivered
// as far as it has changed, and the body force.
func (s *bound) Begin(steps int64) error {
	s.steps = steps
	s.correct()
	s.part.measuring = s.flow.States.Coupled() && (steps+1)%opening.CouplingInterval == 0
	s.flow.Prepare(steps)
	if s.flow.Settings.ForceWaveform != nil {
		s.rates = s.ratesNow()
		s.part.forgetRates()
	}
	if err := s.impose(); err != nil {
		return fmt.Errorf("imposing conditions at the openings: %w", err)
	}
	return nil
}

// Resume goes on after so many steps.
func (s *bound) Resume(steps int64) {
	s.steps = steps
	s.on.SetSteps(steps)
	s.stepped = false
	s.kept.forget()
	s.setCorrected(0) // records hold the quadratic parts
	if s.flow.Settings.ForceWaveform != nil {
		s.flow.SetForce(max(0, steps-1))
		s.rates = s.ratesNow()
		s.part.forgetRates()
	}
}

// correct lets what comes next take the quadratic parts that a step has left.
func (s *bound) correct() {
	if s.stepped && s.flow.Settings.Wall == airflow.Quadratic {
		s.setCorrected(1)
	}
}

// setCorrected tells whether a step has left quadratic parts for the next.
func (s *bound) setCorrected(corrected device.Address) {
	if p := s.part; p.wallParts.corrected != corrected {
		p.wallParts.corrected = corrected
		p.forgetRates()
	}
}

// Openings are in the state of the present step.
func (s *bound) Openings() *opening.States { return s.flow.States }

// Apply tells the openings what flows through them.
func (s *bound) Apply(_ int, sums []int64) { s.flow.Couple(sums) }

// SaveGlobal returns what openings know of earlier steps.
func (s *bound) SaveGlobal() []byte { return s.flow.States.Save() }

// LoadGlobal takes it over.
func (s *bound) LoadGlobal(data []byte) error { return s.flow.States.Load(data) }

// Bytes is nothing beside the device's.
func (s *bound) Bytes() int64 { return 0 }

// Device names the GPU.
func (s *bound) Device() string { return s.part.Device.Name() }

// Describe adds nothing to the settings.
func (s *bound) Describe(*airflow.UsedSettings) {}
