package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"carina/solver"
	"carina/solver/transport"
)

// Storage names how populations are stored; all is computed in 32 bits.
type Storage string

// The storages.
const (
	Single Storage = "single" // 32 bits
	Half   Storage = "half"   // 16 bits, scaled by 2¹⁵
)

// Options choose devices and storage.
type Options struct {
	// Devices are the numbers of the GPUs, the first one if empty: one a rank.
	Devices []int
	Storage Storage
	// Exchange is how ranks exchange their borders; chosen for each pair if
	// empty.
	Exchange Exchange
	// Transport connects this process, which is one rank with one device, with
	// the others; nil where one process has all ranks.
	Transport transport.Transport
}

// Solver computes a flow on GPUs: all of it, or the part of one process.
type Solver struct {
	flow  *solver.Flow
	tiles *tileSet
	bits  int
	walls bool
	parts []*part
	rates []uint64 // struct Rates of kernels/collide.h
	// imposed is what the openings impose, as uploaded.
	imposed []openingRecord

	transport transport.Transport
	messages  []transport.Message // of every step
	swapsHere bool                // parts of this process exchange messages

	steps   int64
	seconds float64
}

// New prepares a computation. Close it after use.
func New(domain *solver.Domain, settings solver.Settings, o Options) (*Solver, error) {
	flow, err := solver.NewFlow(domain, settings)
	if err != nil {
		return nil, err
	}
	if settings.Precision == solver.Double {
		return nil, errors.New("a GPU computes in single precision; choose it, or compute on the processor")
	}
	if len(o.Devices) == 0 {
		o.Devices = []int{0}
	}
	var devices []device
	for _, number := range o.Devices {
		d, err := openDevice(number)
		if err != nil {
			closeAll(devices)
			return nil, err
		}
		devices = append(devices, d)
	}
	s, err := newSolver(flow, devices, o)
	if err != nil {
		closeAll(devices)
		return nil, err
	}
	return s, nil
}

func closeAll(devices []device) {
	for _, d := range devices {
		d.close()
	}
}

// maxTiles of a rank, ghosts included: their numbers have 31 bits.
const maxTiles = math.MaxInt32

func newSolver(flow *solver.Flow, devices []device, o Options) (s *Solver, err error) {
	s = &Solver{flow: flow, bits: 32, transport: o.Transport}
	if o.Storage == Half {
		s.bits = 16
	}
	if s.tiles, err = newTileSet(flow.Domain); err != nil {
		return nil, err
	}
	walls, err := newWallTables(s.tiles, flow.Domain, flow, flow.Settings.Wall)
	if err != nil {
		return nil, err
	}
	s.walls = len(walls.links) > 0
	force := flow.Force != [3]float64{}
	scale := float32(s.scale())
	f := flow.Force
	s.rates = wordsOf([]float32{float32(flow.OmegaPlus), float32(flow.OmegaMinus), float32(f[0]) * scale, float32(f[1]) * scale, float32(f[2]) * scale, 0})
	owner, place, err := s.divide(devices, walls)
	if err != nil {
		return nil, err
	}
	for _, p := range s.parts {
		for _, step := range []func() error{
			func() error { return p.checkMemory(s.bits) },
			func() error { return p.compile(s.bits, s.walls, force) },
			func() error { return p.fill(s.tiles, owner, place, s.bits, len(flow.Openings)) },
		} {
			if err := step(); err != nil {
				return nil, err
			}
		}
	}
	if err := s.connect(o.Exchange); err != nil {
		return nil, err
	}
	s.listMessages()
	return s, nil
}

// divide gives every tile an owner and makes the parts of this process. It
// also returns where the tiles of its parts lie.
func (s *Solver) divide(devices []device, walls *wallTables) (owner, place []int32, err error) {
	ranks := len(devices)
	if s.transport != nil {
		ranks = s.transport.Size()
	}
	if n := len(s.tiles.position); ranks > n || n/ranks >= maxTiles {
		return nil, nil, fmt.Errorf("%d GPUs cannot share %d tiles; use not fewer tiles than GPUs", ranks, n)
	}
	owner = s.tiles.divide(ranks, func(tile int32) int64 { return walls.spans[tile].work(s.bits) })
	own := make([]int, len(devices))
	for i := range own {
		own[i] = i
		if s.transport != nil {
			own[i] = s.transport.Rank()
		}
	}
	place = make([]int32, len(owner))
	for i, share := range newShares(s.tiles, owner, own) {
		for at, tile := range share.tiles[:share.own] {
			place[tile] = int32(at)
		}
		s.parts = append(s.parts, newPart(devices[i], share, walls))
	}
	return owner, place, nil
}

// Bytes returns the memory that the computation needs on all devices.
func (s *Solver) Bytes() int64 {
	var n int64
	for _, p := range s.parts {
		n += p.needs(s.bits)
	}
	return n
}

// scale is that of stored populations.
func (s *Solver) scale() float64 {
	if s.bits == 16 {
		return 1 << 15
	}
	return 1
}

// Close releases the devices.
func (s *Solver) Close() error {
	var err error
	for _, p := range s.parts {
		err = errors.Join(err, p.close())
	}
	return err
}

// Flow returns what is computed.
func (s *Solver) Flow() *solver.Flow { return s.flow }

// Advance computes the given number of steps, rounded up to an even one,
// reports progress, and stops early when ctx is done or the flow diverges.
func (s *Solver) Advance(ctx context.Context, steps int64, report func(solver.Progress)) error {
	steps += steps & 1
	begin := time.Now()
	cells := float64(s.flow.Domain.Grid.Cells())
	for done := int64(0); done < steps; {
		n := min(solver.CheckInterval, steps-done)
		from := time.Now()
		for range n {
			if err := s.Step(); err != nil {
				return err
			}
		}
		if err := s.synchronize(); err != nil {
			return err
		}
		s.seconds += time.Since(from).Seconds()
		done += n
		peak, err := s.check()
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped at step %d: %w", s.steps, err)
		}
		if report != nil {
			u := s.flow.Units
			report(solver.Progress{
				Step: done, Steps: steps, Time: float64(s.steps) * u.TimeStep,
				EndTime:      float64(s.steps+steps-done) * u.TimeStep,
				MLUPS:        cells * float64(done) / time.Since(begin).Seconds() / 1e6,
				PeakVelocity: peak * u.Velocity(),
			})
		}
	}
	return nil
}

// Step starts one step on the devices: first the tiles at the borders, then the
// interior, during which the borders are exchanged.
func (s *Solver) Step() error {
	if err := s.prepareOpenings(); err != nil {
		return err
	}
	for _, p := range s.parts {
		if err := p.launchStep(s.steps%2, s.rates); err != nil {
			return fmt.Errorf("step %d: %w", s.steps, err)
		}
	}
	if err := s.exchange(); err != nil {
		return fmt.Errorf("step %d: %w", s.steps, err)
	}
	s.steps++
	return nil
}

// synchronize waits for all devices.
func (s *Solver) synchronize() error {
	for _, p := range s.parts {
		if err := p.device.synchronize(); err != nil {
			return err
		}
	}
	return nil
}
