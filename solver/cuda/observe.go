package cuda

import (
	"errors"
	"fmt"
	"math"

	"carina/solver"
)

// observing returns the program that looks at the flow.
func (s *Solver) observing(mode int) program { return observing(s.bits, mode, s.walls) }

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

// launchObserve looks at some of the tiles, by position in the order of their
// numbers.
func (p *part) launchObserve(program program, first, tiles int, cells address, rates []uint64) error {
	const limit = solver.DivergedVelocity * solver.DivergedVelocity
	return p.device.launch(mainQueue, p.observe[program.mode], launch{
		blocks: (tiles + program.warps - 1) / program.warps, threads: 32 * program.warps, sharedBytes: program.sharedBytes(),
		arguments: append(append(append(words(p.populations, p.rows, p.places), words(first, tiles)...),
			words(p.fluid, p.positions, p.order, cells, p.findings)...), []uint64{uint64(math.Float32bits(limit))}, p.wallParts.words(), rates),
	})
}
