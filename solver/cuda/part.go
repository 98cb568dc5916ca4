package cuda

import (
	"errors"
	"math"
	"slices"

	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// part is the tiles of one rank, on a device.
type part struct {
	tiling.Layout
	device    device.Device
	subdomain *tiling.Subdomain
	// tiles are the numbers of its own tiles in the order in which they lie in
	// memory, sorted is the same by number, index where those lie.
	tiles, sorted, index []int32
	walls                *wallTables
	connections          []*connection
	// borderRows are the indices of the neighbours of the tiles at the border,
	// by tile and direction.
	borderRows []int32

	populations, rows, slots, fluid, positions, order, findings, sums device.Address
	exits                                                             [2]device.Address // by parity
	wallParts                                                         wallParts
	allocated                                                         []device.Address
	pinned                                                            [][]byte
	bytes                                                             int64
	step                                                              [2][2]stepKernel // interior or border, by parity
	memory                                                            MemoryUse
	kernels                                                           map[program]device.Kernel // of observations
	openTiles                                                         [2][]openingTile          // at openings, of the interior and the border
	openLists                                                         [2]device.Address         // the same on the device
	handshake                                                         handshake
	outflow                                                           device.Launch // of the kernel outflow, prepared
	// asked are the values that the part's links need, by the rank that has them.
	asked    map[int][]request
	unpack   device.Kernel
	timeline *timeline // nil unless steps are measured
	// number tells the devices of this process's ranks apart.
	number int64
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
	first, n := p.subdomain.Border, p.subdomain.Own-p.subdomain.Border
	if side == borderSide {
		first, n = 0, p.subdomain.Border
	}
	perBlock := k.program.warps * k.perWarp
	k.main = device.Launch{
		Blocks: (n + perBlock - 1) / perBlock, Threads: 32 * k.program.warps, SharedBytes: k.program.sharedBytes(),
		Arguments: append(append(device.Words(p.populations, p.rows, p.slots, p.exits[odd]), device.Words(first, n, k.perWarp)...), p.wallParts.words(), rates),
	}.Prepared()
	if k.ready = true; k.openings == nil {
		return
	}
	program, tiles := k.program.atOpenings(), len(p.openTiles[side])
	k.atOpenings = device.Launch{
		Blocks: (tiles + program.warps - 1) / program.warps, Threads: 32 * program.warps, SharedBytes: program.sharedBytes(),
		Arguments: append(append(device.Words(p.populations, p.rows, p.slots, p.exits[odd], p.openLists[side]), device.Words(tiles)...), p.wallParts.words(), rates),
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

// wallParts is struct Walls of kernels/tile.h.
type wallParts struct {
	ranges, cells, links, returning, openingCells, openingLinks, openings, samples, outflow, memory device.Address
	// Of quadratic walls: what others send, and what is sent to them. Corrected is
	// 1 from the second step on: before, there was nothing to send.
	remote, sentRanges, sent, corrected device.Address
	// time is τ, in steps.
	time float64
}

// words returns struct Walls as an argument.
func (w *wallParts) words() []uint64 {
	return device.WordsOf([]device.Address{w.ranges, w.cells, w.links, w.returning, w.openingCells, w.openingLinks, w.openings, w.samples, w.outflow, w.memory, w.remote, w.sentRanges, w.sent, w.corrected, device.Address(math.Float64bits(w.time))})
}

func newPart(d device.Device, l tiling.Layout, subdomain *tiling.Subdomain, walls *wallTables) *part {
	tiles := subdomain.Tiles[:subdomain.Own]
	p := &part{Layout: l, device: d, subdomain: subdomain, tiles: tiles, walls: walls.of(tiles), kernels: map[program]device.Kernel{}}
	p.number = opened.next.Add(1)
	opened.devices.Store(p.number, d)
	byNumber := make([]int64, len(tiles))
	for i, t := range tiles {
		byNumber[i] = int64(t)<<32 | int64(i)
	}
	slices.Sort(byNumber)
	for i := range p.walls.ranges {
		if tile, ok := p.walls.openTile(i); ok {
			side := interiorSide
			if i < subdomain.Border {
				side = borderSide
			}
			p.openTiles[side] = append(p.openTiles[side], tile)
		}
	}
	p.sorted, p.index = make([]int32, len(tiles)), make([]int32, len(tiles))
	for i, v := range byNumber {
		p.sorted[i], p.index[i] = int32(v>>32), int32(v&math.MaxUint32)
	}
	return p
}

// compile compiles the kernels of a step.
func (p *part) compile(walls, force bool, o operator) (err error) {
	compile := func(program program) device.Kernel {
		if err != nil {
			return nil
		}
		var k device.Kernel
		k, err = p.device.Compile(program.source())
		return k
	}
	sides := []int{interiorSide}
	if p.subdomain.Border > 0 {
		sides = append(sides, borderSide)
		p.handshake.kernel, p.unpack = compile(program{kernel: "handshake"}), compile(unpacking(p.Layout))
	}
	for _, side := range sides {
		for odd := range 2 {
			program, perWarp := tuned(p.Layout, odd == 1, walls, force, o, side == borderSide)
			program.quadratic, program.reflect = p.walls.wall == airflow.Quadratic, p.walls.reflects
			program = program.fitting()
			k := stepKernel{kernel: compile(program), program: program, perWarp: perWarp}
			if len(p.openTiles[side]) > 0 {
				k.openings = compile(program.atOpenings())
			}
			p.step[side][odd] = k
		}
	}
	return err
}

// fill allocates and uploads everything but what belongs to connections; the
// fluid is at rest. Place is where the tiles lie on their ranks, by number.
func (p *part) fill(tiles *tiling.Set, owner, index []int32, openings int) (err error) {
	put := func(to *device.Address, bytes int64, content []byte) {
		if err == nil {
			*to, err = p.allocate(bytes, content)
		}
	}
	// What other tiles send and the flags lie behind the tiles, so that neighbours
	// reach all at once.
	put(&p.populations, p.flagOffset()+maxConnections*flagBytes, nil)
	rows := p.subdomain.Rows(tiles, owner, index)
	p.borderRows = slices.Clone(rows[:p.subdomain.Border*p.Directions])
	put(&p.rows, 0, device.BytesOf(rows))
	put(&p.slots, 0, slotTable(p.Layout))
	put(&p.fluid, 0, device.BytesOf(inOrder(tiles.Fluid, p.tiles)))
	put(&p.positions, 0, device.BytesOf(inOrder(tiles.Position, p.tiles)))
	put(&p.order, 0, device.BytesOf(p.index))
	for side, list := range p.openTiles {
		put(&p.openLists[side], 0, device.BytesOf(list))
	}
	put(&p.findings, foundWords*8, nil)
	put(&p.sums, int64(openings)*sumBytes, nil)
	w, t := &p.wallParts, p.walls
	w.time = t.time
	put(&w.ranges, 0, device.BytesOf(t.ranges))
	put(&w.cells, 0, device.BytesOf(t.cells))
	put(&w.links, 0, device.BytesOf(t.links))
	put(&w.returning, int64(len(t.links))*int64(p.ValueBytes()), nil)
	put(&w.openingCells, 0, device.BytesOf(t.openingCells))
	real := int64(realBytes(p.Bits))
	put(&w.openingLinks, 0, openingRecords(t.openingLinks, p.Bits))
	put(&w.openings, int64(openings)*openingNumbersOfStep*real, nil)
	put(&w.samples, int64(len(t.openingCells))*sampleNumbers*real, nil)
	put(&w.outflow, int64(len(t.openingLinks))*real, nil)
	put(&w.memory, int64(len(t.openingLinks))*real, nil)
	return err
}

// Numbers of struct Opening and struct Sample of kernels/tile.h.
const (
	openingNumbersOfStep = 12
	sampleNumbers        = 10
)

// flagOffset is where the flags lie behind the tiles.
func (p *part) flagOffset() int64 { return p.remoteOffset() + p.remoteBytes() }

// tile is the address of a tile by index.
func (p *part) tile(index int32) uint64 {
	return uint64(p.populations) + uint64(index)*uint64(p.TileBytes())
}

// placeOf returns where a tile lies in memory, own or ghost.
func (p *part) placeOf(tile int32) (index int32, ok bool) {
	if i, found := slices.BinarySearch(p.sorted, tile); found {
		return p.index[i], true
	}
	ghosts := p.subdomain.Tiles[p.subdomain.Own:]
	i, found := slices.BinarySearch(ghosts, tile)
	return int32(p.subdomain.Own + i), found
}

// pin returns memory of the host that is given back with the part.
func (p *part) pin(bytes int64) ([]byte, error) {
	m, err := p.device.Pin(bytes)
	if err == nil {
		p.pinned = append(p.pinned, m)
	}
	return m, err
}

// allocate returns memory with the given content, or that many zeros.
func (p *part) allocate(bytes int64, content []byte) (device.Address, error) {
	bytes = max(bytes, int64(len(content)))
	const least = 256
	a, err := p.device.Allocate(max(bytes, least))
	if err != nil {
		return 0, err
	}
	p.allocated = append(p.allocated, a)
	p.bytes += bytes
	if len(content) > 0 {
		return a, p.device.Upload(a, content)
	}
	return a, p.device.Zero(a, max(bytes, least))
}

// The sides of a part.
const (
	interiorSide = iota
	borderSide
)

// launchBorder updates the tiles at the border, which follow what the neighbours
// have left.
func (p *part) launchBorder(odd int64, rates []uint64) error {
	if p.subdomain.Border == 0 {
		return nil
	}
	if err := p.device.Follow(device.BorderQueue, device.MainQueue); err != nil {
		return err
	}
	if err := p.timeline.stamp(p.device, device.BorderQueue, beforeBorder); err != nil {
		return err
	}
	if err := p.launchSide(borderSide, odd, rates); err != nil {
		return err
	}
	return p.timeline.stamp(p.device, device.BorderQueue, afterBorder)
}

// launchInterior updates the other tiles. What is given to either queue afterwards
// follows this step on both sides.
func (p *part) launchInterior(odd int64, rates []uint64) error {
	if p.subdomain.Border == 0 {
		return p.launchSide(interiorSide, odd, rates)
	}
	if err := p.timeline.stamp(p.device, device.MainQueue, beforeInterior); err != nil {
		return err
	}
	if err := p.launchSide(interiorSide, odd, rates); err != nil {
		return err
	}
	if err := p.timeline.stamp(p.device, device.MainQueue, afterInterior); err != nil {
		return err
	}
	return p.device.Follow(device.MainQueue, device.BorderQueue)
}

// launchSide updates the tiles of a side.
func (p *part) launchSide(side int, odd int64, rates []uint64) error {
	n, on := p.subdomain.Own-p.subdomain.Border, device.MainQueue
	if side == borderSide {
		n, on = p.subdomain.Border, device.BorderQueue
	}
	if n == 0 {
		return nil
	}
	k := &p.step[side][odd]
	if !k.ready {
		k.prepare(p, side, odd, rates)
	}
	if err := p.device.Launch(on, k.kernel, k.main); err != nil || k.openings == nil {
		return err
	}
	return p.device.Launch(on, k.openings, k.atOpenings)
}

// close releases the memory and the device.
func (p *part) close() error {
	opened.devices.Delete(p.number)
	var failures []error
	for _, c := range p.connections {
		failures = append(failures, c.close(p.device))
	}
	for _, m := range p.pinned {
		failures = append(failures, p.device.Unpin(m))
	}
	for _, a := range p.allocated {
		p.device.Free(a)
	}
	p.allocated = nil
	return errors.Join(append(failures, p.device.Close())...)
}

// inOrder returns the values of the tiles in an order.
func inOrder[T any](values []T, order []int32) []T {
	list := make([]T, len(order))
	for i, t := range order {
		list[i] = values[t]
	}
	return list
}

// slotTable is what the kernels know of where the image lies in memory.
func slotTable(l tiling.Layout) []byte {
	return append(append([]byte(nil), device.BytesOf(l.ChunkSlots())...), device.BytesOf(l.Singles())...)
}
