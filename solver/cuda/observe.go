package cuda

import (
	"fmt"
	"math"

	"carina/solver/airflow"
	"carina/solver/transport"
)

// foundWords is the room for what an observation finds, in words.
const foundWords = 4

// requireComplete is an error unless the flow is complete, as it is after an even
// number of steps.
func (s *Solver) requireComplete() error {
	if s.steps%2 == 1 {
		return fmt.Errorf("the flow was to be observed after %d steps; only after an even number is it complete", s.steps)
	}
	return s.synchronize()
}

// launch starts a kernel, compiled when it is first needed.
func (p *part) launch(program program, l launch) error {
	k, ok := p.kernels[program]
	if !ok {
		var err error
		if k, err = p.device.compile(program); err != nil {
			return err
		}
		p.kernels[program] = k
	}
	return p.device.launch(mainQueue, k, l)
}

// tileRange is some of the tiles of a part, in an order; without one all of
// them in the order of memory.
type tileRange struct {
	order        address
	first, count int
}

func (p *part) allTiles() tileRange { return tileRange{count: len(p.tiles)} }

// observe starts a kernel that observes tiles. The arguments are what it has
// beyond those of all.
func (p *part) observe(program program, tiles tileRange, rates []uint64, arguments [][]uint64) error {
	perBlock := program.warps * observedTiles
	all := [][]uint64{{uint64(p.populations)},
		{uint64(p.rows), uint64(p.slots), uint64(p.fluid), uint64(p.positions), uint64(tiles.order), uint64(tiles.first) | uint64(tiles.count)<<32},
		p.wallParts.words()}
	if rates != nil {
		all = append(all, rates)
	}
	return p.launch(program, launch{
		blocks: (tiles.count + perBlock - 1) / perBlock, threads: 32 * program.warps, sharedBytes: program.sharedBytes(),
		arguments: append(all, arguments...),
	})
}

// observer returns the program of a kernel that observes the flow.
func (s *Solver) observer(kernel string, mode int) program {
	program := observer(kernel, s.tileLayout, mode, s.walls)
	program.quadratic, program.reflect = s.flow.Settings.Wall == airflow.Quadratic, s.flow.ReflectsWalls()
	return program.fitting()
}

// find lets a kernel observe all tiles of all ranks, which work at the same
// time, and hands what each has found to merge. Arguments may be nil.
func (s *Solver) find(program program, begin [foundWords]uint64, arguments func(*part) [][]uint64, merge func(found [foundWords]uint64)) error {
	if err := s.requireComplete(); err != nil {
		return err
	}
	rates := s.plainRates()
	if program.collides() {
		rates = s.rates
	}
	for _, p := range s.parts {
		if err := p.device.upload(p.findings, bytesOf(begin[:])); err != nil {
			return err
		}
		all := words(uint64(p.findings))
		if arguments != nil {
			all = append(all, arguments(p)...)
		}
		if err := p.observe(program, p.allTiles(), rates, all); err != nil {
			return err
		}
	}
	own := make([][foundWords]uint64, len(s.parts))
	for i, p := range s.parts {
		if err := p.device.download(bytesOf(own[i][:]), p.findings); err != nil {
			return err
		}
	}
	all, err := s.fromAll(own)
	for _, found := range all {
		merge(found)
	}
	return err
}

// check returns the largest velocity, or an error where the flow has diverged.
func (s *Solver) check() (peak float64, err error) {
	const none = math.MaxUint64
	const limit = airflow.DivergedVelocity * airflow.DivergedVelocity
	highest, diverged := uint64(0), uint64(none)
	err = s.find(s.observer("peak", 0), [foundWords]uint64{0, none},
		func(*part) [][]uint64 { return [][]uint64{s.reals(limit)} },
		func(found [foundWords]uint64) {
			highest = max(highest, found[0]) // bits of numbers ≥ 0 are in their order
			diverged = min(diverged, found[1])
		})
	if err != nil {
		return 0, err
	}
	if diverged != none {
		const bits = 21
		const mask = 1<<bits - 1
		return 0, transport.AgreedError{Cause: s.flow.DivergedAt(s.steps, [3]int32{int32(diverged & mask), int32(diverged >> bits & mask), int32(diverged >> (2 * bits))})}
	}
	if s.bits == 64 {
		return math.Sqrt(math.Float64frombits(highest)), nil
	}
	return math.Sqrt(float64(math.Float32frombits(uint32(highest)))), nil
}

// Summary describes the state of the computation, after an even step.
func (s *Solver) Summary() (*airflow.Summary, error) {
	if err := s.couple(); err != nil {
		return nil, err
	}
	peak, err := s.check()
	if err != nil {
		return nil, err
	}
	hash, err := s.Hash()
	if err != nil {
		return nil, err
	}
	state := &airflow.FlowState{Steps: s.steps, Seconds: s.seconds, PeakVelocity: peak, Fastest: s.fastest, Hash: hash, Watch: s.watch}
	if state.Ranks, err = s.rankSummaries(); err != nil {
		return nil, err
	}
	if state.Outflow, state.AreaDensity, err = s.sumOpenings(); err != nil {
		return nil, err
	}
	if state.Limited, err = s.limited(); err != nil {
		return nil, err
	}
	if state.Grain, err = s.grain(); err != nil {
		return nil, err
	}
	return s.flow.Summary(state), nil
}
