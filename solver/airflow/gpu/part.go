package gpu

import (
	"math"

	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiles"
)

// part is the flow on the tiles of one rank.
type part struct {
	*tiles.Tiles
	walls *wallTables

	fluid, positions, order, findings, sums device.Address
	wallParts                               wallParts
	step                                    [2][2]stepKernel // interior or border, by parity
	memory                                  MemoryUse
	kernels                                 map[program]device.Kernel // of observations
	openTiles                               [2][]openingTile          // at openings, of the interior and the border
	openLists                               [2]device.Address         // the same on the device
	outflow                                 device.Launch             // of the kernel outflow, prepared
	// measuring tells that the openings are measured after the step, arriving that the main
	// queue has not followed what was delivered for it.
	measuring, arriving bool
}

// stepKernel is the kernel of even or odd steps.
type stepKernel struct {
	kernel  device.Kernel
	program program
	perWarp int
	// openings is the kernel for the tiles at openings.
	openings device.Kernel
	// main and atOpenings are the launches, prepared where ready; they end with
	// the rates.
	main, atOpenings device.Launch
	ready            bool
}

// prepare prepares the launches of one side and parity of steps.
func (k *stepKernel) prepare(p *part, side int, odd int64, rates []uint64) {
	first, n := p.Subdomain.Border, p.Subdomain.Own-p.Subdomain.Border
	if side == borderSide {
		first, n = 0, p.Subdomain.Border
	}
	perBlock := k.program.warps * k.perWarp
	k.main = device.Launch{
		Blocks: (n + perBlock - 1) / perBlock, Threads: 32 * k.program.warps, SharedBytes: k.program.sharedBytes(),
		Arguments: append(append(device.Words(p.Populations, p.Rows, p.Slots, p.Exits[odd]), device.Words(first, n, k.perWarp)...), p.wallWords(), rates),
	}.Prepared()
	if k.ready = true; k.openings == nil {
		return
	}
	program, tiles := k.program.atOpenings(), len(p.openTiles[side])
	k.atOpenings = device.Launch{
		Blocks: (tiles + program.warps - 1) / program.warps, Threads: 32 * program.warps, SharedBytes: program.sharedBytes(),
		Arguments: append(append(device.Words(p.Populations, p.Rows, p.Slots, p.Exits[odd], p.openLists[side]), device.Words(tiles)...), p.wallWords(), rates),
	}.Prepared()
}

// forgetRates makes the next steps take other rates.
func (p *part) forgetRates() {
	for side := range p.step {
		for odd := range p.step[side] {
			p.step[side][odd].ready = false
		}
	}
}

// wallParts is struct Walls of kernels/flow.h.
type wallParts struct {
	ranges, cells, links, returning, openingCells, openingLinks, openings, samples, outflow, memory device.Address
	// corrected is 1 from the second step on: before, there was nothing to send to
	// quadratic walls.
	corrected device.Address
	// time is τ, in steps.
	time float64
}

// wallWords returns struct Walls as an argument.
func (p *part) wallWords() []uint64 {
	w := &p.wallParts
	return device.WordsOf([]device.Address{w.ranges, w.cells, w.links, w.returning, w.openingCells, w.openingLinks, w.openings, w.samples, w.outflow, w.memory, p.AskedAt, p.SentRanges, p.Sent, w.corrected, device.Address(math.Float64bits(w.time))})
}

func newPart(t *tiles.Tiles, walls *wallTables) *part {
	p := &part{Tiles: t, walls: walls, kernels: map[program]device.Kernel{}}
	for i := range p.walls.ranges {
		if tile, ok := p.walls.openTile(i); ok {
			side := interiorSide
			if i < t.Subdomain.Border {
				side = borderSide
			}
			p.openTiles[side] = append(p.openTiles[side], tile)
		}
	}
	return p
}

// stepPrograms are the programs of a step on a side, by parity, and how many tiles a warp
// of them updates in a row.
func (s *bound) stepPrograms(side int) (list [2]program, perWarp [2]int) {
	for odd := range 2 {
		p := &list[odd]
		*p, perWarp[odd] = tuned(s.Layout, odd == 1, s.walls, s.flow.Forced(), s.operator(), side == borderSide)
		p.quadratic, p.reflect = s.part.walls.wall == airflow.Quadratic, s.part.walls.reflects
		*p = p.fitting()
	}
	return list, perWarp
}

// compile compiles the kernels of a step.
func (s *bound) compile() (err error) {
	p := s.part
	compile := func(program program) device.Kernel {
		if err != nil {
			return nil
		}
		var k device.Kernel
		k, err = p.Device.Compile(program.source())
		return k
	}
	sides := []int{interiorSide}
	if p.Subdomain.Border > 0 {
		sides = append(sides, borderSide)
	}
	for _, side := range sides {
		programs, perWarp := s.stepPrograms(side)
		for odd, program := range programs {
			k := stepKernel{kernel: compile(program), program: program, perWarp: perWarp[odd]}
			if len(p.openTiles[side]) > 0 {
				k.openings = compile(program.atOpenings())
			}
			p.step[side][odd] = k
		}
	}
	return err
}

// fill allocates and uploads what the flow has beyond the tiles.
func (p *part) fill(openings []opening.Imposed) (err error) {
	put := func(to *device.Address, bytes int64, content []byte) {
		if err == nil {
			*to, err = p.Allocate(bytes, content)
		}
	}
	tiles := p.Set
	put(&p.fluid, 0, device.BytesOf(inOrder(tiles.Fluid, p.Numbers)))
	put(&p.positions, 0, device.BytesOf(inOrder(tiles.Position, p.Numbers)))
	put(&p.order, 0, device.BytesOf(p.Index))
	for side, list := range p.openTiles {
		put(&p.openLists[side], 0, device.BytesOf(list))
	}
	put(&p.findings, foundWords*8, nil)
	put(&p.sums, int64(len(openings))*sumBytes, nil)
	w, t := &p.wallParts, p.walls
	w.time = t.time
	put(&w.ranges, 0, device.BytesOf(t.ranges))
	put(&w.cells, 0, device.BytesOf(t.cells))
	put(&w.links, 0, device.BytesOf(t.links))
	put(&w.returning, int64(len(t.links))*int64(p.ValueBytes()), nil)
	put(&w.openingCells, 0, device.BytesOf(t.openingCells))
	real := int64(realBytes(p.Bits))
	put(&w.openingLinks, 0, openingRecords(t.openingLinks, openings, p.Bits))
	put(&w.openings, int64(len(openings))*openingNumbersOfStep*real, nil)
	put(&w.samples, int64(len(t.openingCells))*sampleBytes(p.Bits), nil)
	put(&w.outflow, int64(len(t.openingLinks))*real, nil)
	put(&w.memory, int64(len(t.openingLinks))*real, nil)
	return err
}

// openingNumbersOfStep are the numbers of struct Opening of kernels/flow.h.
const openingNumbersOfStep = 15

// The sides of a part.
const (
	interiorSide = iota
	borderSide
)

// ready returns the kernels of a side, prepared; nil where it has no tiles.
func (p *part) ready(side int, odd int64, rates []uint64) *stepKernel {
	n := p.Subdomain.Own - p.Subdomain.Border
	if side == borderSide {
		n = p.Subdomain.Border
	}
	if n == 0 {
		return nil
	}
	k := &p.step[side][odd]
	if !k.ready {
		k.prepare(p, side, odd, rates)
	}
	return k
}

// launchBorder updates the tiles at the border.
func (p *part) launchBorder(odd int64, rates []uint64) error {
	k := p.ready(borderSide, odd, rates)
	if k == nil {
		return nil
	}
	if err := p.Device.Launch(device.BorderQueue, k.kernel, k.main); err != nil {
		return err
	}
	return p.launchOpenings(device.BorderQueue, k)
}

// launchInterior updates the other tiles. Where the openings are measured after the step,
// those at openings are done first, so that the others are computed while the ranks tell each
// other what was measured.
func (p *part) launchInterior(odd int64, rates []uint64) error {
	k := p.ready(interiorSide, odd, rates)
	if p.measuring {
		if err := p.launchOpenings(device.MainQueue, k); err != nil {
			return err
		}
		if err := p.Device.Follow(device.BorderQueue, device.MainQueue); err != nil {
			return err
		}
	}
	if k != nil {
		if err := p.Device.Launch(device.MainQueue, k.kernel, k.main); err != nil {
			return err
		}
	}
	if p.measuring {
		return nil
	}
	if err := p.arrive(); err != nil {
		return err
	}
	return p.launchOpenings(device.MainQueue, k)
}

// arrive lets the main queue follow what was delivered for it.
func (p *part) arrive() error {
	if !p.arriving {
		return nil
	}
	p.arriving = false
	return p.Device.Follow(device.MainQueue, device.BorderQueue)
}

// launchOpenings updates the tiles at openings of a side, if there are any.
func (p *part) launchOpenings(q device.Queue, k *stepKernel) error {
	if k == nil || k.openings == nil {
		return nil
	}
	return p.Device.Launch(q, k.openings, k.atOpenings)
}

// inOrder returns the values of the tiles in an order.
func inOrder[T any](values []T, order []int32) []T {
	list := make([]T, len(order))
	for i, t := range order {
		list[i] = values[t]
	}
	return list
}
