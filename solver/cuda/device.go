package cuda

import (
	"embed"
	"errors"
	"fmt"
	"slices"

	"carina/solver"
	"carina/solver/cuda/device"
	"carina/solver/transport"
)

// Device is a GPU as the engine has it, for any physics: values lie in arrays by local
// cell, as on processors, and what is computed is Work of the physics.
type Device struct {
	gpu       device.Device
	transport transport.Transport
	exchange  Exchange
	number    int64
	layout    *solver.Layout
	// memory holds all arrays and, behind them, flags of the handshake: other ranks reach
	// it at once.
	memory      device.Address
	memoryBytes int64
	arrays      []array
	parts       map[*solver.Block]parts
	links       map[*solver.Exchange]*link
	connections []*connection
	// begun are exchanges that have begun, waiting the first of them whose messages have
	// not been exchanged.
	begun   []*solver.Exchange
	waiting int
	// behind tells that the main queue has not followed the one for borders.
	behind                 bool
	move, handshake, unfit device.Kernel
	scratch                [3]scratch
	found                  device.Address
	allocated              []device.Address
	pinned                 [][]byte
	bytes                  int64
	watch                  stopwatch
}

// array is one value of all cells.
type array struct {
	offset int64 // in bytes from the beginning of memory
	bytes  int
}

// parts are the cells of a side on the device.
type parts struct {
	at    device.Address
	count int
}

var _ solver.Device = (*Device)(nil)

// Open opens a GPU of this machine by its number, from 0 on, as the device of a rank.
func Open(number int, t transport.Transport) (*Device, error) {
	gpu, err := device.Open(number)
	if err != nil {
		return nil, err
	}
	return New(gpu, t, ""), nil
}

// New is a GPU as the device of a rank. Exchange is how it exchanges with other GPUs,
// chosen for each if empty.
func New(gpu device.Device, t transport.Transport, exchange Exchange) *Device {
	return &Device{gpu: gpu, transport: t, exchange: exchange, number: Register(gpu),
		parts: map[*solver.Block]parts{}, links: map[*solver.Exchange]*link{}}
}

// GPU is the device itself.
func (d *Device) GPU() device.Device { return d.gpu }

// Unit is one cell.
func (d *Device) Unit() int32 { return 1 }

//go:embed kernels
var sources embed.FS

// source is a kernel of this package.
func source(name string) device.Source {
	return device.Source{Name: name, Constants: constants(unbounded), Body: text(name + ".cu")}
}

func text(name string) string {
	content, err := sources.ReadFile("kernels/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(content)
}

const (
	// Threads are a block's of kernels over cells.
	Threads         = 32 * warps
	warps           = 4
	threadConstants = "#define WARPS 4\n"
	// unbounded lets the compiler use as many registers a thread as it likes.
	unbounded = 1
	// alignment is of the arrays, in bytes.
	alignment = 256
	// flagRoom is how many flags fit behind the arrays.
	flagRoom = 1 << 14
)

// Allocate makes room for all fields.
func (d *Device) Allocate(l *solver.Layout, fields []solver.Field) (err error) {
	d.layout = l
	for _, f := range fields {
		stride := d.Stride() * int64(f.Kind.Bytes())
		for range f.Values {
			d.arrays = append(d.arrays, array{d.memoryBytes, f.Kind.Bytes()})
			d.memoryBytes += stride
		}
		d.memoryBytes = (d.memoryBytes + alignment - 1) / alignment * alignment
	}
	if d.memory, err = d.Room(d.memoryBytes+flagRoom*HandshakeFlagBytes, nil); err != nil {
		return err
	}
	for name, k := range map[string]*device.Kernel{"move": &d.move, "count_unfit": &d.unfit} {
		if *k, err = d.gpu.Compile(source(name)); err != nil {
			return err
		}
	}
	d.found, err = d.Room(8, nil)
	return err
}

// Stride is how many values lie from one array of a field to the next.
func (d *Device) Stride() int64 {
	const line = alignment / 8
	return (int64(d.layout.Cells+d.layout.Ghosts) + line - 1) / line * line
}

// At is where an array lies, by its number as of Binding.Array.
func (d *Device) At(array int32) device.Address {
	return d.memory + device.Address(d.arrays[array].offset)
}

// Room returns memory with the given content, or that many zeros, until the device is
// closed.
func (d *Device) Room(bytes int64, content []byte) (device.Address, error) {
	bytes = max(bytes, int64(len(content)), 8)
	a, err := d.gpu.Allocate(bytes)
	if err != nil {
		return 0, err
	}
	d.allocated, d.bytes = append(d.allocated, a), d.bytes+bytes
	if len(content) > 0 {
		return a, d.gpu.Upload(a, content)
	}
	return a, d.gpu.Zero(a, bytes)
}

// Take returns numbers that kernels have added up in memory and zeroes these: for
// solver.Reducer. It waits for the device.
func (d *Device) Take(at device.Address, numbers []int64) error {
	if err := d.gpu.Download(device.BytesOf(numbers), at); err != nil {
		return err
	}
	return d.gpu.Zero(at, device.SizeOf(numbers))
}

// Windows uploads windows and returns the argument of kernels that stands for them.
func (d *Device) Windows(w *solver.Windows) ([]uint64, error) {
	var argument []uint64
	for _, list := range [][]int32{w.Shapes, w.Shifts, w.First, w.Runs} {
		at, err := d.Room(0, device.BytesOf(list))
		if err != nil {
			return nil, err
		}
		argument = append(argument, uint64(at))
	}
	return append(argument, uint64(len(w.Offsets))), nil
}

// Compile returns a kernel over cells from the source behind kernels/cells.h.
func (d *Device) Compile(name, body string) (device.Kernel, error) {
	return d.CompileBounded(unbounded, name, body)
}

// CompileBounded is Compile for a kernel of which a multiprocessor is to hold so many blocks
// of threads at a time: a thread gets no more registers than that leaves it. More blocks hide
// the memory's latency, too few registers spill into memory.
func (d *Device) CompileBounded(blocks int, name, body string) (device.Kernel, error) {
	return d.gpu.Compile(device.Source{Name: name, Constants: constants(blocks), Body: text("cells.h") + body, Often: true})
}

// constants are those of kernels of which a multiprocessor is to hold so many blocks.
func constants(blocks int) string {
	return fmt.Sprintf("%s#define BLOCKS %d\n", threadConstants, blocks)
}

// Work is a kernel over the cells of blocks.
type Work struct {
	Kernel device.Kernel
	// Arguments are those behind the first, which are the Cells: each of one word or, if
	// it is a structure, more. Changed, they are those of the next launch.
	Arguments [][]uint64
	// Cut, unless nil, makes the first argument of the blocks in place of Cells.
	Cut *Cut
	// Beside, unless nil, is done together with it, by another kernel on other cells.
	Beside *Work
	// Idle lets it be left out until this is changed.
	Idle     bool
	launches map[*solver.Block]device.Launch
}

// Cut makes of blocks what the first argument of kernels points to, in an order of threads
// of its own. Kernels that share one see what the others have left there.
type Cut struct {
	of    func(blocks []solver.Block) (content []byte, blocksOfThreads int)
	parts solver.Cuts[parts]
}

// NewCut is one by a function that returns the content, and how many blocks of threads it
// is for.
func NewCut(of func(blocks []solver.Block) (content []byte, blocksOfThreads int)) *Cut {
	return &Cut{of: of}
}

// NewCells is one of kernels over Cells that chooses which of the blocks' it is for.
func NewCells(of func(blocks []solver.Block) []CellRange) *Cut {
	return NewCut(func(blocks []solver.Block) ([]byte, int) {
		list := aligned(of(blocks))
		return device.BytesOf(list), len(list)
	})
}

// partsOf uploads what it makes of blocks, once of the same ones.
func (c *Cut) partsOf(d *Device, blocks []solver.Block) (parts, error) {
	return c.parts.Of(blocks, func(blocks []solver.Block) (p parts, err error) {
		content, count := c.of(blocks)
		p.count = count
		p.at, err = d.Room(0, content)
		return p, err
	})
}

// NewWork is a kernel with its arguments but for the Cells.
func NewWork(k device.Kernel, arguments ...[]uint64) *Work {
	return &Work{Kernel: k, Arguments: arguments, launches: map[*solver.Block]device.Launch{}}
}

// partsOf is what the first argument points to, of blocks.
func (w *Work) partsOf(d *Device, blocks []solver.Block) (parts, error) {
	if w.Cut != nil {
		return w.Cut.partsOf(d, blocks)
	}
	return d.partsOf(blocks)
}

// launch is that on a side.
func (w *Work) launch(first *solver.Block, p parts) device.Launch {
	l, ok := w.launches[first]
	if !ok {
		l = device.Launch{Blocks: p.count, Threads: Threads, Arguments: append([][]uint64{{uint64(p.at)}}, w.Arguments...)}.Prepared()
		w.launches[first] = l
	}
	at := 1
	for _, a := range w.Arguments {
		at += copy(l.All[at:], a)
	}
	return l
}

// Run starts work: the border's on a queue of its own.
func (d *Device) Run(w solver.Work, s solver.Side) error {
	work, ok := w.(*Work)
	if !ok {
		return fmt.Errorf("a GPU does work of package cuda, not %T; bind the physics to it", w)
	}
	q := device.MainQueue
	if s.Border {
		if len(s.Blocks) == 0 {
			return nil
		}
		q = device.BorderQueue
	}
	if len(s.Blocks) > 0 {
		// What is uploaded is there before the queue of borders goes on.
		for w := work; w != nil; w = w.Beside {
			if _, err := w.partsOf(d, s.Blocks); err != nil {
				return err
			}
		}
		if s.Border {
			if err := d.gpu.Follow(device.BorderQueue, device.MainQueue); err != nil {
				return err
			}
			d.behind = true
		}
		for w := work; w != nil; w = w.Beside {
			p, err := w.partsOf(d, s.Blocks)
			if l := w.launch(&s.Blocks[0], p); err == nil && p.count > 0 && !w.Idle {
				err = d.watch.launch(d.gpu, q, w.Kernel, l)
			}
			if err != nil {
				return err
			}
		}
	}
	if s.Border {
		return nil
	}
	return d.catchUp()
}

// catchUp lets the main queue follow the one for borders.
func (d *Device) catchUp() error {
	if !d.behind {
		return nil
	}
	d.behind = false
	return d.gpu.Follow(device.MainQueue, device.BorderQueue)
}

// partsOf uploads the cells of blocks, in parts of as many as a block of threads has,
// aligned.
func (d *Device) partsOf(blocks []solver.Block) (parts, error) {
	if p, ok := d.parts[&blocks[0]]; ok {
		return p, nil
	}
	ranges := make([]CellRange, len(blocks))
	for i := range blocks {
		ranges[i] = CellRange{blocks[i].First, blocks[i].End}
	}
	list := aligned(ranges)
	at, err := d.Room(0, device.BytesOf(list))
	p := parts{at, len(list)}
	d.parts[&blocks[0]] = p
	return p, err
}

// CellRange is local cells from the first one to that before the end.
type CellRange struct{ First, End int32 }

// aligned cuts ranges into as many as there are blocks of threads.
func aligned(ranges []CellRange) (list []CellRange) {
	for _, r := range ranges {
		for c := r.First; c < r.End; {
			end := min(r.End, c/Threads*Threads+Threads)
			if n := len(list); n > 0 && list[n-1].End == c && c%Threads != 0 {
				list[n-1].End = end
			} else {
				list = append(list, CellRange{c, end})
			}
			c = end
		}
	}
	return list
}

// Wait waits for the device.
func (d *Device) Wait() error { return d.gpu.Synchronize() }

// Spare is how much more memory there is.
func (d *Device) Spare() (int64, error) {
	free, _, err := d.gpu.Memory()
	return free, err
}

// Bytes is the memory on the device.
func (d *Device) Bytes() int64 { return d.bytes }

// AllFinite tells whether the values of arrays are finite numbers in all own cells.
func (d *Device) AllFinite(arrays []int32) (bool, error) {
	for _, a := range arrays {
		l := device.Launch{Blocks: (d.layout.Cells + Threads - 1) / Threads, Threads: Threads,
			Arguments: device.Words(uint64(d.At(a)), uint64(d.arrays[a].bytes), uint64(d.layout.Cells), uint64(d.found))}
		if l.Blocks == 0 {
			break
		}
		if err := d.gpu.Launch(device.MainQueue, d.unfit, l); err != nil {
			return false, err
		}
	}
	var found [1]int64
	err := d.Take(d.found, found[:])
	return found[0] == 0, err
}

// Close releases the device. What is left to say of one that fails meanwhile nobody can
// use.
func (d *Device) Close() {
	Forget(d.number)
	failures := []error{d.gpu.Synchronize()}
	for _, c := range d.connections {
		if c.opened {
			failures = append(failures, d.gpu.CloseOpened(c.memory))
		}
	}
	for _, m := range d.pinned {
		failures = append(failures, d.gpu.Unpin(m))
	}
	for _, a := range slices.Backward(d.allocated) {
		failures = append(failures, d.gpu.Free(a))
	}
	_ = errors.Join(append(failures, d.gpu.Close())...)
}
