//go:build !cuda

package devicetest

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"carina/internal/crash"
	"carina/solver/cuda/device"

	"github.com/ebitengine/purego"
)

// emulatedMemory is shared by emulated devices that reach each other.
type emulatedMemory struct {
	sync.Mutex
	content   []byte
	next      int64
	allocated []allocation
}

// allocation is memory by its address.
type allocation struct{ first, bytes int64 }

// emulator is a device that runs the kernels on the processor, in this process.
// What is given to a queue is done some time later, in its order, beside the work of
// the other queue and of other devices but for what follow demands.
type emulator struct {
	*emulatedMemory
	lock    sync.Mutex
	changed *sync.Cond
	queues  [device.Queues]emulatedQueue
	failed  error
	stopped bool
	working sync.WaitGroup
}

// emulatedQueue is work given to a queue that was not done yet.
type emulatedQueue struct {
	pending     []emulatedWork
	given, done int
}

// emulatedWork is done when so much of the other queue's is.
type emulatedWork struct {
	run   func() error
	after int
}

// emulation is what device.h is on a GPU, entry how a kernel is called.
var (
	//go:embed emulation.h
	emulation string
	//go:embed entry.h
	entry string
)

// emulated are the programs loaded by all tests.
var emulated = struct {
	sync.Mutex
	programs map[device.Source]func() (*library, error)
}{programs: map[device.Source]func() (*library, error){}}

// library is a program compiled for the processor. Its lanes are its own
// variables: it does a launch at a time.
type library struct {
	sync.Mutex
	run uintptr
}

const (
	emulatedHandshake = "handshake"
	emulatedBytes     = 1 << 28
)

// newEmulators returns emulated devices that reach each other; the test is skipped
// where there is no C++ compiler.
func newEmulators(t testing.TB, n int) []device.Device {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++ to compile the kernels for the processor")
	}
	content, err := syscall.Mmap(-1, 0, emulatedBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(content) })
	memory := &emulatedMemory{content: content, next: 256}
	devices := make([]device.Device, n)
	for i := range devices {
		devices[i] = startEmulator(t, memory, uint64(i))
	}
	return devices
}

// startEmulator returns a device with some memory, until the test ends or it is closed.
func startEmulator(t testing.TB, memory *emulatedMemory, seed uint64) *emulator {
	e := &emulator{emulatedMemory: memory}
	e.changed = sync.NewCond(&e.lock)
	for q := range device.Queues {
		e.working.Go(func() {
			defer crash.Guard()
			e.work(q, rand.New(rand.NewPCG(seed, uint64(q))))
		})
	}
	t.Cleanup(e.stop)
	return e
}

// stop ends the work.
func (e *emulator) stop() {
	e.lock.Lock()
	e.stopped = true
	e.changed.Broadcast()
	e.lock.Unlock()
	e.working.Wait()
}

// work does what a queue is given, at once or a little later.
func (e *emulator) work(q device.Queue, random *rand.Rand) {
	e.lock.Lock()
	defer e.lock.Unlock()
	for {
		of := &e.queues[q]
		switch {
		case e.stopped:
			return
		case len(of.pending) == 0 || of.pending[0].after > e.queues[1-q].done:
			e.changed.Wait()
			continue
		}
		next := of.pending[0]
		of.pending = of.pending[1:]
		var err error
		if e.failed == nil {
			e.lock.Unlock()
			if random.IntN(4) == 0 {
				time.Sleep(time.Duration(random.IntN(100)) * time.Microsecond)
			}
			err = next.run()
			e.lock.Lock()
		}
		if err != nil {
			e.failed = err
		}
		of.done++
		e.changed.Broadcast()
	}
}

func (m *emulatedMemory) base() device.Address {
	return device.Address(uintptr(unsafe.Pointer(&m.content[0])))
}

func (m *emulatedMemory) Allocate(bytes int64) (device.Address, error) {
	m.Lock()
	defer m.Unlock()
	a := m.next
	m.next += (bytes + 255) / 256 * 256
	if m.next > emulatedBytes {
		return 0, fmt.Errorf("the emulated memory is full")
	}
	for i := range m.content[a:m.next] {
		m.content[a+int64(i)] = 0x7b
	}
	m.allocated = append(m.allocated, allocation{a, bytes})
	return m.base() + device.Address(a), nil
}

// AllocateSplit has nothing but memory of the host.
func (m *emulatedMemory) AllocateSplit(bytes, _ int64) (device.Address, error) {
	return m.Allocate(bytes)
}

// inside tells whether bytes from an address on lie in one allocation: as on a GPU,
// others are not copied.
func (m *emulatedMemory) inside(a device.Address, bytes int64) error {
	m.Lock()
	defer m.Unlock()
	from := int64(a - m.base())
	i := sort.Search(len(m.allocated), func(i int) bool { return m.allocated[i].first > from }) - 1
	if bytes > 0 && (i < 0 || from+bytes > m.allocated[i].first+m.allocated[i].bytes) {
		return fmt.Errorf("%d bytes are copied or cleared that are not in one allocation", bytes)
	}
	return nil
}

func (m *emulatedMemory) at(a device.Address, bytes int64) []byte {
	return m.content[a-m.base():][:bytes]
}

func (m *emulatedMemory) Memory() (int64, int64, error) {
	m.Lock()
	defer m.Unlock()
	return emulatedBytes - m.next, emulatedBytes, nil
}

// flag is a number that other devices see.
func (m *emulatedMemory) flag(a device.Address) *uint32 {
	return (*uint32)(unsafe.Pointer(&m.content[a-m.base()]))
}

// give adds work to a queue.
func (e *emulator) give(q device.Queue, run func() error) { e.giveAfter(q, 0, run) }

func (e *emulator) giveAfter(q device.Queue, after int, run func() error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.queues[q].pending = append(e.queues[q].pending, emulatedWork{run, after})
	e.queues[q].given++
	e.changed.Broadcast()
}

// wait waits until so much of a queue's work is done, or all that was given.
func (e *emulator) wait(q device.Queue, until int) error {
	e.lock.Lock()
	defer e.lock.Unlock()
	if until < 0 {
		until = e.queues[q].given
	}
	for e.queues[q].done < until && !e.stopped {
		e.changed.Wait()
	}
	return e.failed
}

func (e *emulator) Name() string              { return "emulated" }
func (e *emulator) Free(device.Address) error { return nil }

func (e *emulator) Zero(to device.Address, bytes int64) error {
	if err := e.inside(to, bytes); err != nil {
		return err
	}
	e.give(device.MainQueue, func() error {
		clear(e.at(to, bytes))
		return nil
	})
	return nil
}

func (e *emulator) Upload(to device.Address, from []byte) error {
	if err := e.inside(to, int64(len(from))); err != nil {
		return err
	}
	content := slices.Clone(from)
	e.give(device.MainQueue, func() error {
		copy(e.at(to, int64(len(content))), content)
		return nil
	})
	return nil
}

func (e *emulator) Download(to []byte, from device.Address) error {
	if err := e.inside(from, int64(len(to))); err != nil {
		return err
	}
	if err := e.wait(device.MainQueue, -1); err != nil {
		return err
	}
	copy(to, e.at(from, int64(len(to))))
	return nil
}

func (e *emulator) Compile(s device.Source) (device.Kernel, error) {
	if s.Name == emulatedHandshake {
		return emulatedHandshake, nil
	}
	emulated.Lock()
	compiled, ok := emulated.programs[s]
	if !ok {
		compiled = sync.OnceValues(func() (*library, error) { return loadLibrary(s) })
		emulated.programs[s] = compiled
	}
	emulated.Unlock()
	return compiled()
}

func (e *emulator) Prepare(s device.Source) error {
	_, err := e.Compile(s)
	return err
}

// loadLibrary compiles a program for the processor, unless that was done before,
// and loads it.
func loadLibrary(s device.Source) (*library, error) {
	// What steps do not need is launched a few times: to make it fast takes longer.
	optimization := "-O0"
	if s.Often {
		optimization = "-O1"
	}
	text := s.Constants + emulation + s.Body + "\n#define ENTRY " + s.Name + "\n" + entry
	path, err := compiledLibrary(text, optimization)
	if err != nil {
		return nil, fmt.Errorf("compiling the kernel %s for the processor: %w", s.Name, err)
	}
	loaded, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	run, err := purego.Dlsym(loaded, "run")
	if err != nil {
		return nil, err
	}
	return &library{run: run}, nil
}

func (e *emulator) Launch(q device.Queue, k device.Kernel, l device.Launch) error {
	if l.Blocks == 0 {
		return nil
	}
	all, _ := l.Flat()
	words := slices.Clone(all)
	if k == emulatedHandshake {
		e.give(q, func() error {
			return e.handshake(device.Address(words[0]), device.Address(words[1]), int64(words[2]), uint32(words[3]))
		})
		return nil
	}
	library := k.(*library)
	e.give(q, func() error {
		library.Lock()
		defer library.Unlock()
		purego.SyscallN(library.run, uintptr(l.Blocks), uintptr(l.Threads), uintptr(l.SharedBytes), uintptr(unsafe.Pointer(unsafe.SliceData(words))))
		runtime.KeepAlive(words)
		return nil
	})
	return nil
}

// handshake is what kernels/handshake.cu does.
func (e *emulator) handshake(remoteFlags, ownFlags device.Address, neighbours int64, step uint32) error {
	for n := range neighbours {
		if a := device.Address(binary.NativeEndian.Uint64(e.at(remoteFlags+device.Address(8*n), 8))); a != 0 {
			atomic.StoreUint32(e.flag(a), step)
		}
	}
	for n := range neighbours {
		if binary.NativeEndian.Uint64(e.at(remoteFlags+device.Address(8*n), 8)) == 0 {
			continue // by messages
		}
		for begin := time.Now(); int32(atomic.LoadUint32(e.flag(ownFlags+device.Address(4*n)))-step) < 0; time.Sleep(10 * time.Microsecond) {
			if time.Since(begin) > time.Minute {
				return errors.New("a neighbour did not come")
			}
		}
	}
	return nil
}

func (e *emulator) Follow(q, other device.Queue) error {
	e.lock.Lock()
	after := e.queues[other].given
	e.lock.Unlock()
	e.giveAfter(q, after, func() error { return nil })
	return nil
}
func (e *emulator) Reach(other device.Device) error {
	if o, ok := other.(*emulator); !ok || o.emulatedMemory != e.emulatedMemory {
		return errors.New("its memory is its own")
	}
	return nil
}
func (e *emulator) Sees(other device.Device) bool { return e.Reach(other) == nil }
func (e *emulator) Export(device.Address) ([]byte, error) {
	return nil, errors.New("the emulated memory cannot be shared")
}
func (e *emulator) Open([]byte) (device.Address, error) {
	return 0, errors.New("the emulated memory cannot be shared")
}
func (e *emulator) CloseOpened(device.Address) error { return nil }
func (e *emulator) Pin(bytes int64) ([]byte, error)  { return make([]byte, bytes), nil }
func (e *emulator) Unpin([]byte) error               { return nil }
func (e *emulator) Fetch(to []byte, from device.Address) error {
	if err := e.inside(from, int64(len(to))); err != nil {
		return err
	}
	e.give(device.BorderQueue, func() error {
		copy(to, e.at(from, int64(len(to))))
		return nil
	})
	return nil
}
func (e *emulator) Deliver(to device.Address, from []byte) error {
	if err := e.inside(to, int64(len(from))); err != nil {
		return err
	}
	e.give(device.BorderQueue, func() error {
		copy(e.at(to, int64(len(from))), from)
		return nil
	})
	return nil
}
func (e *emulator) Settle() error { return e.wait(device.BorderQueue, -1) }
func (e *emulator) Stamp(q device.Queue) (device.Stamp, error) {
	at := new(time.Time)
	e.give(q, func() error {
		*at = time.Now()
		return nil
	})
	return at, nil
}
func (e *emulator) Unstamp(...device.Stamp) {}
func (e *emulator) Between(from, to device.Stamp) (float64, error) {
	return to.(*time.Time).Sub(*from.(*time.Time)).Seconds(), nil
}
func (e *emulator) Follower() (device.Follower, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	return &emulatedFollower{device: e, after: e.queues[device.MainQueue].given}, nil
}
func (e *emulator) Synchronize() error { return errors.Join(e.wait(device.MainQueue, -1), e.Settle()) }
func (e *emulator) Elapsed(f func() error) (float64, error) {
	begin := time.Now()
	err := errors.Join(f(), e.Synchronize())
	return time.Since(begin).Seconds(), err
}
func (e *emulator) Close() error { return nil }

var _ device.Device = (*emulator)(nil)

// emulatedFollower copies late: when it is waited for.
type emulatedFollower struct {
	device *emulator
	after  int
	copy   func()
}

func (f *emulatedFollower) Begin(to []byte, from device.Address) error {
	f.copy = func() { copy(to, f.device.at(from, int64(len(to)))) }
	return nil
}
func (f *emulatedFollower) Wait() error {
	err := f.device.wait(device.MainQueue, f.after)
	f.copy()
	return err
}
func (f *emulatedFollower) Close() error { return nil }
