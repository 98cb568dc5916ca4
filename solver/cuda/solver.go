package cuda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"carina/solver"
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
	// Devices are the numbers of the GPUs, the first one if empty.
	Devices []int
	Storage Storage
}

// Solver computes a flow on the GPUs of one host.
type Solver struct {
	flow  *solver.Flow
	tiles *tileSet
	bits  int
	walls bool
	parts []*part
	rates []uint64 // struct Rates of kernels/collide.h
	// imposed is what the openings impose, as uploaded.
	imposed []openingRecord

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
	s, err := newSolver(flow, devices, o.Storage)
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

// Limits of struct Memory of kernels/tile.h.
const (
	maxDevices     = 8
	deviceShift    = 28
	maxDeviceTiles = 1 << deviceShift
)

func newSolver(flow *solver.Flow, devices []device, storage Storage) (s *Solver, err error) {
	s = &Solver{flow: flow, bits: 32}
	if storage == Half {
		s.bits = 16
	}
	if s.tiles, err = newTileSet(flow.Domain); err != nil {
		return nil, err
	}
	n := len(s.tiles.position)
	if len(devices) > min(maxDevices, n) || n/len(devices) >= maxDeviceTiles {
		return nil, fmt.Errorf("%d GPUs cannot share %d tiles; use at most %d GPUs and not fewer tiles than GPUs", len(devices), n, maxDevices)
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
	numbers := s.divide(devices, walls)
	for _, p := range s.parts {
		for _, step := range []func() error{
			func() error { return p.checkMemory(s.bits) },
			func() error { return p.compile(s.bits, s.walls, force, len(devices)) },
			func() error { return p.fill(s.tiles, numbers, s.bits, len(flow.Openings)) },
		} {
			if err := step(); err != nil {
				return nil, err
			}
		}
	}
	return s, s.connect()
}

// divide gives the devices consecutive pieces of the tiles along Morton's
// curve, of equal work, and returns the numbers of the tiles by which their
// neighbours know them.
func (s *Solver) divide(devices []device, walls *wallTables) (numbers []int32) {
	order := s.tiles.mortonOrder()
	var total, done int64
	for i := range walls.spans {
		total += walls.spans[i].work()
	}
	numbers = make([]int32, len(order))
	from := 0
	for d, device := range devices {
		to := from
		limit := total * int64(d+1) / int64(len(devices))
		for to < len(order) && (done < limit || d == len(devices)-1) && len(order)-to >= len(devices)-d {
			done += walls.spans[order[to]].work()
			to++
		}
		own := order[from:to]
		for i, tile := range own {
			numbers[tile] = int32(d)<<deviceShift | int32(i)
		}
		s.parts = append(s.parts, newPart(device, d, own, walls))
		from = to
	}
	return numbers
}

// connect lets the devices reach each other.
func (s *Solver) connect() error {
	for i, p := range s.parts {
		for j, q := range s.parts {
			p.memory = append(p.memory, uint64(q.populations))
			p.meeting = append(p.meeting, q.flags)
			if i == j {
				continue
			}
			if err := p.device.reach(q.device); err != nil {
				return err
			}
		}
		p.memory = append(p.memory, uint64(i))
		if err := p.device.synchronize(); err != nil {
			return err
		}
	}
	return nil
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

// Step starts one step on the devices. A device goes on when all others have
// done the step: what it will touch on them is complete then.
func (s *Solver) Step() error {
	if err := s.prepareOpenings(); err != nil {
		return err
	}
	for i, p := range s.parts {
		if err := p.launchStep(s.steps%2, s.rates); err != nil {
			return fmt.Errorf("step %d: %w", s.steps, err)
		}
		if len(s.parts) > 1 {
			if err := p.device.meet(p.meeting, i, uint32(s.steps+1)); err != nil {
				return fmt.Errorf("step %d: %w", s.steps, err)
			}
		}
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
