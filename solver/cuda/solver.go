package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
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

// prepareOpenings uploads what the openings impose if it has changed.
func (s *Solver) prepareOpenings() error {
	if len(s.flow.Openings) == 0 {
		return nil
	}
	if s.steps > 0 && s.flow.Couples(s.steps) {
		outflow := make([]int64, len(s.flow.Openings))
		for _, p := range s.parts {
			if err := p.sumOutflow(outflow); err != nil {
				return err
			}
		}
		s.flow.Couple(outflow)
	}
	s.flow.Prepare(s.steps)
	changed := s.imposed == nil
	if changed {
		s.imposed = make([]openingRecord, len(s.flow.Openings))
	}
	for i, o := range s.flow.Openings {
		r := openingRecord{inflow: float32(o.Inflow), density: float32(o.Density)}
		if o.Velocity {
			r.velocity = 1
		}
		changed = changed || r != s.imposed[i]
		s.imposed[i] = r
	}
	if !changed {
		return nil
	}
	for _, p := range s.parts {
		if err := p.device.upload(p.wallParts.openings, bytesOf(s.imposed)); err != nil {
			return err
		}
	}
	return nil
}

// observing returns the program that looks at the flow.
func (s *Solver) observing(mode int) program { return observing(s.bits, mode, s.walls, len(s.parts)) }

// find looks at all tiles and returns what it finds.
func (s *Solver) find(mode int) (all findings, err error) {
	all.diverged = math.MaxUint64
	if s.steps%2 == 1 {
		return all, fmt.Errorf("the flow was to be observed after %d steps; only after an even number is it complete", s.steps)
	}
	if err := s.synchronize(); err != nil {
		return all, err
	}
	for _, p := range s.parts {
		f := []findings{{diverged: math.MaxUint64}}
		if err := p.device.upload(p.findings, bytesOf(f)); err != nil {
			return all, err
		}
		if err := p.launchObserve(s.observing(mode), 0, len(p.tiles), 0, s.rates); err != nil {
			return all, err
		}
		if err := p.device.download(bytesOf(f), p.findings); err != nil {
			return all, err
		}
		all.hash += f[0].hash
		all.peak = max(all.peak, f[0].peak) // bits of numbers ≥ 0 are in their order
		if d := f[0].diverged; d != math.MaxUint64 {
			all.diverged = min(all.diverged, uint64(p.sorted[d>>6])<<6|d&63)
		}
	}
	return all, nil
}

// check returns the largest velocity, or an error where the flow has diverged.
func (s *Solver) check() (peak float64, err error) {
	f, err := s.find(observePeak)
	if err != nil {
		return 0, err
	}
	if f.diverged != math.MaxUint64 {
		p, bit := s.tiles.position[f.diverged>>6], int32(f.diverged&63)
		return 0, s.flow.DivergedAt(s.steps, [3]int32{4*p[0] + bit>>4, 4*p[1] + bit>>2&3, 4*p[2] + bit&3})
	}
	return math.Sqrt(float64(math.Float32frombits(f.peak))), nil
}

// Hash returns a hash of the state that does not depend on the order of cells.
func (s *Solver) Hash() (uint64, error) {
	f, err := s.find(observeHash)
	return f.hash, err
}

// Summary describes the state of the computation, after an even step.
func (s *Solver) Summary() (*solver.Summary, error) {
	peak, err := s.check()
	if err != nil {
		return nil, err
	}
	hash, err := s.Hash()
	if err != nil {
		return nil, err
	}
	state := &solver.FlowState{Steps: s.steps, Seconds: s.seconds, PeakVelocity: peak, Hash: hash, Bytes: s.Bytes(), Device: s.parts[0].device.name()}
	if n := len(s.parts); n > 1 {
		state.Device = fmt.Sprintf("%d × %s", n, state.Device)
	}
	n := len(s.flow.Openings)
	state.Outflow, state.AreaDensity = make([]int64, n), make([]int64, n)
	for _, p := range s.parts {
		if err := errors.Join(p.sumOutflow(state.Outflow), p.sumDensity(state.AreaDensity)); err != nil {
			return nil, err
		}
	}
	return s.flow.Summary(state), nil
}

// sumDensity adds the densities of the opening cells times the areas of their
// links, in fixed point.
func (p *part) sumDensity(sums []int64) error {
	samples := make([][4]float32, len(p.walls.openingCells))
	if err := p.device.download(bytesOf(samples), p.wallParts.samples); err != nil {
		return err
	}
	for i, c := range p.walls.openingCells {
		for k := c.firstLink; k < c.firstLink+c.links; k++ {
			sums[p.walls.openingLinks[k].opening] += solver.ToFixed(float64(samples[i][0]) * p.walls.openingAreas[k])
		}
	}
	return nil
}
