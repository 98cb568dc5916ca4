package cuda

import (
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// part is the tiles of one device.
type part struct {
	device device
	number int
	// tiles are the numbers of its tiles in the order in which they lie in
	// memory, sorted is the same by number, place where those lie.
	tiles, sorted, place []int32
	walls                *wallTables

	populations, rows, places, fluid, positions, order, findings, flags, sums address
	wallParts                                                                 wallParts
	memory                                                                    []uint64  // struct Memory
	meeting                                                                   []address // the flags of all parts
	allocated                                                                 []address
	bytes                                                                     int64
	step                                                                      [2]stepKernel
	observe                                                                   [observeModes]kernel
	outflow                                                                   kernel
}

// stepKernel is the kernel of even or odd steps.
type stepKernel struct {
	kernel  kernel
	program program
	perWarp int
}

// wallParts is struct Walls of kernels/tile.h.
type wallParts struct {
	spans, cells, links, held, openingCells, openingLinks, openings, samples, outflow address
}

// words returns struct Walls as an argument.
func (w *wallParts) words() []uint64 {
	return wordsOf([]address{w.spans, w.cells, w.links, w.held, w.openingCells, w.openingLinks, w.openings, w.samples, w.outflow})
}

// openingRecord is struct Opening of kernels/tile.h.
type openingRecord struct{ velocity, inflow, density, _ float32 }

// findings is struct Findings of kernels/observe.cu.
type findings struct {
	hash, diverged uint64
	peak, _        uint32
}

func newPart(d device, number int, tiles []int32, walls *wallTables) *part {
	p := &part{device: d, number: number, tiles: tiles, walls: walls.of(tiles)}
	byNumber := make([]int64, len(tiles))
	for i, t := range tiles {
		byNumber[i] = int64(t)<<32 | int64(i)
	}
	slices.Sort(byNumber)
	p.sorted, p.place = make([]int32, len(tiles)), make([]int32, len(tiles))
	for i, v := range byNumber {
		p.sorted[i], p.place[i] = int32(v>>32), int32(v&math.MaxUint32)
	}
	return p
}

// needs returns the memory that the part takes on its device.
func (p *part) needs(bits int) int64 {
	const row, mask, position, order = 4 * directions, 8, 12, 4
	n := int64(len(p.tiles)) * (tileBytes(bits) + row + mask + position + order)
	t := p.walls
	if len(t.links) > 0 {
		n += sizeOf(t.spans) + sizeOf(t.cells) + sizeOf(t.links) + int64(len(t.links))*int64(bits)/8
	}
	return n
}

// checkMemory says before anything is allocated whether it will fit.
func (p *part) checkMemory(bits int) error {
	free, _, err := p.device.memory()
	if err != nil {
		return err
	}
	if need := p.needs(bits); need > free {
		return fmt.Errorf("GPU %d needs %.1f GB for its part and has %.1f GB free; use 16-bit storage, more GPUs or a coarser spacing",
			p.number, float64(need)/1e9, float64(free)/1e9)
	}
	return nil
}

// compile compiles all kernels.
func (p *part) compile(bits int, walls, force bool, devices int) error {
	for i := range p.step {
		program, perWarp := tuned(bits, i == 1, walls, force, devices)
		k, err := p.device.compile(program)
		if err != nil {
			return err
		}
		p.step[i] = stepKernel{k, program, perWarp}
	}
	var err error
	summing, _ := summing(bits)
	if p.outflow, err = p.device.compile(summing); err != nil {
		return err
	}
	for mode := range p.observe {
		k, err := p.device.compile(observing(bits, mode, walls, devices))
		if err != nil {
			return err
		}
		p.observe[mode] = k
	}
	return nil
}

// fill allocates and uploads everything; the fluid is at rest. Numbers are
// those of the tiles' neighbours on all devices.
func (p *part) fill(tiles *tileSet, numbers []int32, bits, openings int) (err error) {
	put := func(to *address, bytes int64, content []byte) {
		if err == nil {
			*to, err = p.allocate(bytes, content)
		}
	}
	rows := inOrder(tiles.neighbours, p.tiles)
	for i := range rows {
		for d, n := range rows[i] {
			if n >= 0 {
				rows[i][d] = numbers[n]
			}
		}
	}
	put(&p.populations, int64(len(p.tiles))*tileBytes(bits), nil)
	put(&p.rows, 0, bytesOf(rows))
	put(&p.places, 0, bytesOf(chunkPlaces()))
	put(&p.fluid, 0, bytesOf(inOrder(tiles.fluid, p.tiles)))
	put(&p.positions, 0, bytesOf(inOrder(tiles.position, p.tiles)))
	put(&p.order, 0, bytesOf(p.place))
	put(&p.findings, int64(unsafe.Sizeof(findings{})), nil)
	put(&p.flags, maxDevices*4, nil)
	put(&p.sums, int64(openings)*8, nil)
	w, t := &p.wallParts, p.walls
	put(&w.spans, 0, bytesOf(t.spans))
	put(&w.cells, 0, bytesOf(t.cells))
	put(&w.links, 0, bytesOf(t.links))
	put(&w.held, int64(len(t.links))*int64(bits)/8, nil)
	put(&w.openingCells, 0, bytesOf(t.openingCells))
	put(&w.openingLinks, 0, bytesOf(t.openingLinks))
	put(&w.openings, int64(openings)*int64(unsafe.Sizeof(openingRecord{})), nil)
	put(&w.samples, int64(len(t.openingCells))*16, nil)
	put(&w.outflow, int64(len(t.openingLinks))*4, nil)
	return err
}

// allocate returns memory with the given content, or that many zeros.
func (p *part) allocate(bytes int64, content []byte) (address, error) {
	bytes = max(bytes, int64(len(content)))
	const least = 256
	a, err := p.device.allocate(max(bytes, least))
	if err != nil {
		return 0, err
	}
	p.allocated = append(p.allocated, a)
	p.bytes += bytes
	if len(content) > 0 {
		return a, p.device.upload(a, content)
	}
	return a, p.device.zero(a, max(bytes, least))
}

// launchStep updates the tiles.
func (p *part) launchStep(odd int64, rates []uint64) error {
	k := &p.step[odd]
	perBlock := k.program.warps * k.perWarp
	n := len(p.tiles)
	return p.device.launch(k.kernel, launch{
		blocks: (n + perBlock - 1) / perBlock, threads: 32 * k.program.warps, sharedBytes: k.program.sharedBytes(),
		arguments: append(append(append([][]uint64{p.memory}, words(p.rows, p.places)...), words(0, n, k.perWarp)...), p.wallParts.words(), rates),
	})
}

// close releases the memory and the device.
func (p *part) close() error {
	for _, a := range p.allocated {
		p.device.free(a)
	}
	p.allocated = nil
	return p.device.close()
}

func sizeOf[T any](list []T) int64 {
	var t T
	return int64(len(list)) * int64(unsafe.Sizeof(t))
}

func bytesOf[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), sizeOf(list))
}

// wordsOf copies a structure of whole words.
func wordsOf[T any](list []T) []uint64 {
	words := make([]uint64, sizeOf(list)/8)
	copy(bytesOf(words), bytesOf(list))
	return words
}

// inOrder returns the values of the tiles in an order.
func inOrder[T any](values []T, order []int32) []T {
	list := make([]T, len(order))
	for i, t := range order {
		list[i] = values[t]
	}
	return list
}
