package gpu

import (
	"cmp"
	"math"
	"slices"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
)

// foundWords is the room for what an observation finds, in words.
const foundWords = 4

// launch starts a kernel, compiled when it is first needed.
func (p *part) launch(program program, l device.Launch) error {
	return p.launchOn(device.MainQueue, program, l)
}

// launchOn is launch on a queue.
func (p *part) launchOn(q device.Queue, program program, l device.Launch) error {
	if err := p.load(program); err != nil {
		return err
	}
	return p.Device.Launch(q, p.kernels[program], l)
}

// load compiles a kernel, unless that was done before. What steps need is loaded
// before the first one: to load waits for the device, and another rank's step may
// wait for this one's.
func (p *part) load(program program) error {
	if _, ok := p.kernels[program]; ok {
		return nil
	}
	k, err := p.Device.Compile(program.source())
	if err == nil {
		p.kernels[program] = k
	}
	return err
}

// tileRange is some of the tiles of a part, in an order; without one all of
// them in the order of memory.
type tileRange struct {
	order        device.Address
	first, count int
}

func (p *part) allTiles() tileRange { return tileRange{count: len(p.Numbers)} }

// observe starts a kernel that observes tiles. The arguments are what it has
// beyond those of all.
func (p *part) observe(program program, tiles tileRange, rates []uint64, arguments [][]uint64) error {
	return p.launch(program, p.observation(program, tiles, rates, arguments))
}

// observation is the launch of a kernel that observes tiles, here or on a device that
// reaches this one's memory.
func (p *part) observation(program program, tiles tileRange, rates []uint64, arguments [][]uint64) device.Launch {
	perBlock := program.warps * observedTiles
	all := [][]uint64{{uint64(p.Populations)},
		{uint64(p.Rows), uint64(p.Slots), uint64(p.fluid), uint64(p.positions), uint64(tiles.order), uint64(tiles.first) | uint64(tiles.count)<<32},
		p.wallWords()}
	if rates != nil {
		all = append(all, rates)
	}
	return device.Launch{
		Blocks: (tiles.count + perBlock - 1) / perBlock, Threads: 32 * program.warps, SharedBytes: program.sharedBytes(),
		Arguments: append(all, arguments...),
	}
}

// observer returns the program of a kernel that observes the flow before the next
// step.
func (s *bound) observer(kernel string, mode int) program {
	return s.observerBefore(kernel, mode, s.steps%2 == 1)
}

// observerBefore is observer before an odd step or an even one.
func (s *bound) observerBefore(kernel string, mode int, odd bool) program {
	s.correct()
	program := observer(kernel, s.Layout, mode, s.walls)
	program.quadratic, program.reflect, program.odd = s.flow.Settings.Wall == airflow.Quadratic, s.flow.ReflectsWalls(), odd
	return program.fitting()
}

// find lets a kernel observe all tiles and returns what it has found. Arguments may
// be nil.
func (s *bound) find(program program, found [foundWords]uint64, arguments [][]uint64) ([foundWords]uint64, error) {
	p := s.part
	// What neighbours leave here is complete when they and the border are done.
	if err := p.Device.Synchronize(); err != nil {
		return found, err
	}
	rates := s.plainRates()
	if program.collides() {
		rates = s.rates
	}
	if err := p.Device.Upload(p.findings, device.BytesOf(found[:])); err != nil {
		return found, err
	}
	if err := p.observe(program, p.allTiles(), rates, append(device.Words(uint64(p.findings)), arguments...)); err != nil {
		return found, err
	}
	err := p.Device.Download(device.BytesOf(found[:]), p.findings)
	return found, err
}

// CheckAll returns the largest velocity and the lowest number of a cell that has
// diverged. No rank steps meanwhile.
func (s *bound) CheckAll() (peak float64, diverged int64, err error) {
	if err := s.settleWalls(); err != nil {
		return 0, solver.NoCell, err
	}
	const none = math.MaxUint64
	const limit = airflow.DivergedVelocity * airflow.DivergedVelocity
	found, err := s.find(s.observer("peak", 0), [foundWords]uint64{0, none}, [][]uint64{s.reals(limit)})
	if err != nil {
		return 0, solver.NoCell, err
	}
	diverged = solver.NoCell
	if found[1] != none {
		const bits = 21
		const mask = 1<<bits - 1
		diverged = s.cellNumber(int32(found[1]&mask), int32(found[1]>>bits&mask), int32(found[1]>>(2*bits)))
	}
	// Bits of numbers ≥ 0 are in their order.
	if s.Bits == 64 {
		return math.Sqrt(math.Float64frombits(found[0])), diverged, nil
	}
	return math.Sqrt(float64(math.Float32frombits(uint32(found[0])))), diverged, nil
}

// cellNumber is the global number of an own cell.
func (s *bound) cellNumber(x, y, z int32) int64 {
	pieces := s.layout.Pieces
	i, found := slices.BinarySearchFunc(pieces, [3]int32{x, y, z}, func(p solver.Piece, at [3]int32) int {
		return cmp.Or(cmp.Compare(p.Z, at[2]), cmp.Compare(p.Y, at[1]), cmp.Compare(p.X0, at[0]))
	})
	if !found {
		i--
	}
	return pieces[i].Global + int64(x-pieces[i].X0)
}
