package processor

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"carina/internal/crash"
	"carina/solver"
	"carina/solver/transport"
)

// Ahead is how many more values than cells and ghosts every field has in memory:
// kernels read whole groups, beyond the last cell.
const Ahead = solver.GroupCells

// pinnedCells is how many cells a rank must have for its workers to be pinned:
// waking a pinned worker takes longer, some microseconds.
const pinnedCells = 1 << 20

// Device computes on a processor.
type Device struct {
	workers, sharing int
	pool             *pool
	blocks           []solver.Block // at hand, and the work on them
	work             solver.BlockWork
	onBlock          func(i, worker int)
	fields           []field
	arrays           []array
	start            chan []*solver.Exchange
	done             chan error
	bytes            int64
	disturb          func(cells int) time.Duration
	follows          bool // another device, from which it has inherited first
}

var (
	_ solver.Device = (*Device)(nil)
	_ solver.Heir   = (*Device)(nil)
)

// field is the memory of all values of a field.
type field struct {
	memory []byte
	stride int // bytes from one value to the next
}

// array is one value of all cells.
type array struct {
	at    unsafe.Pointer
	bytes uintptr
}

// New returns a device with so many workers; 0 shares the processors among the
// ranks of this machine.
func New(workers int, t transport.Transport) *Device {
	d := &Device{workers: workers, sharing: ranksSharing(t)}
	if workers == 0 {
		d.workers = max(1, runtime.GOMAXPROCS(0)/d.sharing)
	}
	return d
}

// ranksSharing is how many ranks share this machine.
func ranksSharing(t transport.Transport) int {
	if _, local := t.(*transport.Local); local {
		return t.Size()
	}
	if n, err := strconv.Atoi(os.Getenv("OMPI_COMM_WORLD_LOCAL_SIZE")); err == nil && n > 0 {
		return n
	}
	return 1
}

// Workers is how many blocks are worked on at the same time.
func (d *Device) Workers() int { return d.workers }

// Sharing is how many ranks share this host.
func (d *Device) Sharing() int { return d.sharing }

// Allocate makes room for fields and starts the workers.
func (d *Device) Allocate(l *solver.Layout, fields []solver.Field) error {
	for _, f := range fields {
		bytes := f.Kind.Bytes()
		stride := bytes * paddedStride(l.Cells+l.Ghosts, bytes)
		// In words, so that they are aligned for every kind.
		words := make([]uint64, (f.Values*stride+Ahead*bytes+7)/8)
		adviseHugePages(words)
		memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
		for v := range f.Values {
			d.arrays = append(d.arrays, array{unsafe.Pointer(&memory[v*stride]), uintptr(bytes)})
		}
		d.fields = append(d.fields, field{memory, stride})
		d.bytes += int64(len(memory))
	}
	var processors []int
	if d.sharing == 1 && l.Cells >= pinnedCells {
		processors = wholeMachine(d.workers)
	}
	d.pool = newPool(d.workers, processors)
	d.onBlock = func(i, worker int) { d.work(&d.blocks[i], worker) }
	d.start, d.done = make(chan []*solver.Exchange, 1), make(chan error, 1)
	if l.Domain.Ranks == 1 {
		return nil
	}
	go func() {
		defer crash.Guard()
		for list := range d.start {
			d.done <- d.exchange(list)
		}
	}()
	return nil
}

// paddedStride spaces the arrays of a field so that equal cells of different
// values fall into different sets of the first-level cache.
func paddedStride(cells, bytesPerValue int) int {
	const line = 64
	const sets = 64 // of a 4096-byte way
	const step = 3
	lines := (cells*bytesPerValue + line - 1) / line
	lines += ((step-lines)%sets + sets) % sets
	return lines * line / bytesPerValue
}

// Values returns the memory of a field, given the number of its first array:
// value v of cell c is at v·stride + c.
func Values[T any](d *Device, array int32) (values []T, stride int) {
	for i := range d.fields {
		if f := &d.fields[i]; unsafe.Pointer(&f.memory[0]) == d.arrays[array].at {
			size := int(unsafe.Sizeof(*new(T)))
			return unsafe.Slice((*T)(unsafe.Pointer(&f.memory[0])), len(f.memory)/size), f.stride / size
		}
	}
	return nil, 0
}

// Field returns the values of a field of the physics that is bound to a processor, each of all
// cells.
func Field[T any](b *solver.Binding, field int) (values [][]T) {
	memory, stride := Values[T](b.Device.(*Device), b.Array(field))
	for v := range b.Values(field) {
		values = append(values, memory[v*stride:][:stride])
	}
	return values
}

// Finite is the Check of a solver.Checker of which values are to be finite numbers: it returns the
// lowest global number of a cell of a block where one is not.
func Finite[T float32 | float64](l *solver.Layout, b *solver.Block, values ...[]T) (bad int64) {
	bad = solver.NoCell
	l.EachGlobal(b, func(cell int32, global int64) {
		for _, list := range values {
			if v := float64(list[cell]); math.IsNaN(v) || math.IsInf(v, 0) {
				bad = min(bad, global)
			}
		}
	})
	return bad
}

// PartWork is work on other parts than blocks: it says into how many parts blocks are cut, and
// what does one, by its number.
type PartWork func(blocks []solver.Block) (parts int, do func(part, worker int))

var errNoBlockWork = errors.New("a processor does the work of blocks, or of their parts, alone")

// Run does work on blocks, side by side.
func (d *Device) Run(w solver.Work, s solver.Side) error {
	switch work := w.(type) {
	case solver.BlockWork:
		d.blocks, d.work = s.Blocks, work
		d.pool.run(len(s.Blocks), d.onBlock)
	case PartWork:
		d.pool.run(work(s.Blocks))
	default:
		return fmt.Errorf("%w, not %T", errNoBlockWork, w)
	}
	if d.disturb != nil {
		cells := 0
		for i := range s.Blocks {
			cells += int(s.Blocks[i].End - s.Blocks[i].First)
		}
		time.Sleep(d.disturb(cells))
	}
	return nil
}

// Disturb slows the device, and those that inherit from it first, for tests and benchmarks of
// balance: after work on so many cells it sleeps as long as by says. Nil is undisturbed.
func (d *Device) Disturb(by func(cells int) time.Duration) { d.disturb = by }

// Wait has nothing to wait for.
func (d *Device) Wait() error { return nil }

// Unit is one cell.
func (d *Device) Unit() int32 { return 1 }

// Begin starts exchanges on a goroutine of their own.
func (d *Device) Begin(list []*solver.Exchange, _ bool) error {
	d.start <- list
	return nil
}

// End waits for them.
func (d *Device) End() error { return <-d.done }

func (d *Device) exchange(list []*solver.Exchange) error {
	for _, x := range list {
		if err := x.Run(d); err != nil {
			return err
		}
	}
	return nil
}

// Read copies values out of memory.
func (d *Device) Read(s *solver.Segment, values []byte) error {
	a := &d.arrays[s.Array]
	switch a.bytes {
	case 1:
		read[uint8](a.at, s.Cells, values)
	case 2:
		read[uint16](a.at, s.Cells, values)
	case 4:
		read[uint32](a.at, s.Cells, values)
	default:
		read[uint64](a.at, s.Cells, values)
	}
	return nil
}

// Write copies values into memory.
func (d *Device) Write(s *solver.Segment, values []byte) error {
	a := &d.arrays[s.Array]
	switch a.bytes {
	case 1:
		write[uint8](a.at, s.Cells, values)
	case 2:
		write[uint16](a.at, s.Cells, values)
	case 4:
		write[uint32](a.at, s.Cells, values)
	default:
		write[uint64](a.at, s.Cells, values)
	}
	return nil
}

// Reaches tells whether the other device is a processor's, too.
func (d *Device) Reaches(from solver.Device) bool {
	other, ok := from.(*Device)
	return ok && len(other.arrays) == len(d.arrays)
}

// Inherit copies the values of rows of cells out of the memory of another processor's
// device, some arrays at a time.
func (d *Device) Inherit(from solver.Device, rows []solver.Row) error {
	other := from.(*Device)
	if !d.follows {
		d.follows, d.disturb = true, other.disturb
	}
	var all sync.WaitGroup
	for w := range min(d.workers, len(d.arrays)) {
		all.Go(func() {
			defer crash.Guard()
			for k := w; k < len(d.arrays); k += d.workers {
				to, from := &d.arrays[k], &other.arrays[k]
				for _, r := range rows {
					n := int(r.Count) * int(to.bytes)
					copy(unsafe.Slice((*byte)(unsafe.Add(to.at, uintptr(r.To)*to.bytes)), n), unsafe.Slice((*byte)(unsafe.Add(from.at, uintptr(r.From)*from.bytes)), n))
				}
			}
		})
	}
	all.Wait()
	return nil
}

func read[T any](array unsafe.Pointer, cells []int32, values []byte) {
	list := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(values))), len(cells))
	for i, c := range cells {
		list[i] = *(*T)(unsafe.Add(array, uintptr(c)*unsafe.Sizeof(list[0])))
	}
}

func write[T any](array unsafe.Pointer, cells []int32, values []byte) {
	list := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(values))), len(cells))
	for i, c := range cells {
		*(*T)(unsafe.Add(array, uintptr(c)*unsafe.Sizeof(list[0]))) = list[i]
	}
}

// Bytes is the memory of the fields.
func (d *Device) Bytes() int64 { return d.bytes }

// Close ends the goroutines.
func (d *Device) Close() {
	if d.pool != nil {
		d.pool.close()
		close(d.start)
	}
}
