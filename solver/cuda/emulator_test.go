//go:build !cuda

package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
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
	queues  [queues]emulatedQueue
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

// emulated are the programs loaded by all tests.
var emulated = struct {
	sync.Mutex
	programs map[program]func() (*library, error)
}{programs: map[program]func() (*library, error){}}

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
func newEmulators(t testing.TB, n int) []device {
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
	devices := make([]device, n)
	for i := range devices {
		e := &emulator{emulatedMemory: memory}
		e.changed = sync.NewCond(&e.lock)
		for q := range queues {
			e.working.Go(func() { e.work(q, rand.New(rand.NewPCG(uint64(i), uint64(q)))) })
		}
		t.Cleanup(e.stop)
		devices[i] = e
	}
	return devices
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
func (e *emulator) work(q queue, random *rand.Rand) {
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

func (m *emulatedMemory) base() address { return address(uintptr(unsafe.Pointer(&m.content[0]))) }

func (m *emulatedMemory) allocate(bytes int64) (address, error) {
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
	return m.base() + address(a), nil
}

// inside tells whether bytes from an address on lie in one allocation: as on a GPU,
// others are not copied.
func (m *emulatedMemory) inside(a address, bytes int64) error {
	m.Lock()
	defer m.Unlock()
	from := int64(a - m.base())
	i := sort.Search(len(m.allocated), func(i int) bool { return m.allocated[i].first > from }) - 1
	if bytes > 0 && (i < 0 || from+bytes > m.allocated[i].first+m.allocated[i].bytes) {
		return fmt.Errorf("%d bytes are copied or cleared that are not in one allocation", bytes)
	}
	return nil
}

func (m *emulatedMemory) at(a address, bytes int64) []byte { return m.content[a-m.base():][:bytes] }

func (m *emulatedMemory) memory() (int64, int64, error) {
	m.Lock()
	defer m.Unlock()
	return emulatedBytes - m.next, emulatedBytes, nil
}

// flag is a number that other devices see.
func (m *emulatedMemory) flag(a address) *uint32 {
	return (*uint32)(unsafe.Pointer(&m.content[a-m.base()]))
}

// give adds work to a queue.
func (e *emulator) give(q queue, run func() error) { e.giveAfter(q, 0, run) }

func (e *emulator) giveAfter(q queue, after int, run func() error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.queues[q].pending = append(e.queues[q].pending, emulatedWork{run, after})
	e.queues[q].given++
	e.changed.Broadcast()
}

// wait waits until so much of a queue's work is done, or all that was given.
func (e *emulator) wait(q queue, until int) error {
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

func (e *emulator) name() string       { return "emulated" }
func (e *emulator) free(address) error { return nil }

func (e *emulator) zero(to address, bytes int64) error {
	if err := e.inside(to, bytes); err != nil {
		return err
	}
	e.give(mainQueue, func() error {
		clear(e.at(to, bytes))
		return nil
	})
	return nil
}

func (e *emulator) upload(to address, from []byte) error {
	if err := e.inside(to, int64(len(from))); err != nil {
		return err
	}
	content := slices.Clone(from)
	e.give(mainQueue, func() error {
		copy(e.at(to, int64(len(content))), content)
		return nil
	})
	return nil
}

func (e *emulator) download(to []byte, from address) error {
	if err := e.inside(from, int64(len(to))); err != nil {
		return err
	}
	if err := e.wait(mainQueue, -1); err != nil {
		return err
	}
	copy(to, e.at(from, int64(len(to))))
	return nil
}

func (e *emulator) compile(p program) (kernel, error) {
	if p.kernel == emulatedHandshake {
		return emulatedHandshake, nil
	}
	emulated.Lock()
	compiled, ok := emulated.programs[p]
	if !ok {
		compiled = sync.OnceValues(func() (*library, error) { return loadLibrary(p) })
		emulated.programs[p] = compiled
	}
	emulated.Unlock()
	return compiled()
}

// loadLibrary compiles a program for the processor, unless that was done before,
// and loads it.
func loadLibrary(p program) (*library, error) {
	emulation, err := os.ReadFile("kernels/emulation.h")
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile("kernels/emulator.cpp")
	if err != nil {
		return nil, err
	}
	// What steps do not need is launched a few times: to make it fast takes longer.
	optimization := "-O0"
	if p.steps() {
		optimization = "-O1"
	}
	text := p.constants() + string(emulation) + p.body() + "\n#define ENTRY " + p.kernel + "\n" + string(source)
	path, err := compiledLibrary(text, optimization)
	if err != nil {
		return nil, fmt.Errorf("compiling %+v for the processor: %w", p, err)
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

func (e *emulator) launch(q queue, k kernel, l launch) error {
	all, _ := l.flat()
	words := slices.Clone(all)
	if k == emulatedHandshake {
		e.give(q, func() error {
			return e.handshake(address(words[0]), address(words[1]), int64(words[2]), uint32(words[3]))
		})
		return nil
	}
	library := k.(*library)
	e.give(q, func() error {
		library.Lock()
		defer library.Unlock()
		purego.SyscallN(library.run, uintptr(l.blocks), uintptr(l.threads), uintptr(l.sharedBytes), uintptr(unsafe.Pointer(unsafe.SliceData(words))))
		runtime.KeepAlive(words)
		return nil
	})
	return nil
}

// handshake is what kernels/handshake.cu does.
func (e *emulator) handshake(remoteFlags, ownFlags address, neighbours int64, step uint32) error {
	for n := range neighbours {
		if a := address(binary.NativeEndian.Uint64(e.at(remoteFlags+address(8*n), 8))); a != 0 {
			atomic.StoreUint32(e.flag(a), step)
		}
	}
	for n := range neighbours {
		if binary.NativeEndian.Uint64(e.at(remoteFlags+address(8*n), 8)) == 0 {
			continue // by messages
		}
		for begin := time.Now(); int32(atomic.LoadUint32(e.flag(ownFlags+address(4*n)))-step) < 0; time.Sleep(10 * time.Microsecond) {
			if time.Since(begin) > time.Minute {
				return errors.New("a neighbour did not come")
			}
		}
	}
	return nil
}

func (e *emulator) follow(q, other queue) error {
	e.lock.Lock()
	after := e.queues[other].given
	e.lock.Unlock()
	e.giveAfter(q, after, func() error { return nil })
	return nil
}
func (e *emulator) reach(other device) error {
	if o, ok := other.(*emulator); !ok || o.emulatedMemory != e.emulatedMemory {
		return errors.New("its memory is its own")
	}
	return nil
}
func (e *emulator) export(address) ([]byte, error) {
	return nil, errors.New("the emulated memory cannot be shared")
}
func (e *emulator) open([]byte) (address, error) {
	return 0, errors.New("the emulated memory cannot be shared")
}
func (e *emulator) closeOpened(address) error       { return nil }
func (e *emulator) pin(bytes int64) ([]byte, error) { return make([]byte, bytes), nil }
func (e *emulator) unpin([]byte) error              { return nil }
func (e *emulator) fetch(to []byte, from address) error {
	if err := e.inside(from, int64(len(to))); err != nil {
		return err
	}
	e.give(borderQueue, func() error {
		copy(to, e.at(from, int64(len(to))))
		return nil
	})
	return nil
}
func (e *emulator) deliver(to address, from []byte) error {
	if err := e.inside(to, int64(len(from))); err != nil {
		return err
	}
	e.give(borderQueue, func() error {
		copy(e.at(to, int64(len(from))), from)
		return nil
	})
	return nil
}
func (e *emulator) settle() error { return e.wait(borderQueue, -1) }
func (e *emulator) stamp(q queue) (stamp, error) {
	at := new(time.Time)
	e.give(q, func() error {
		*at = time.Now()
		return nil
	})
	return at, nil
}
func (e *emulator) between(from, to stamp) (float64, error) {
	return to.(*time.Time).Sub(*from.(*time.Time)).Seconds(), nil
}
func (e *emulator) follower() (follower, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	return &emulatedFollower{device: e, after: e.queues[mainQueue].given}, nil
}
func (e *emulator) synchronize() error { return errors.Join(e.wait(mainQueue, -1), e.settle()) }
func (e *emulator) elapsed(f func() error) (float64, error) {
	begin := time.Now()
	err := errors.Join(f(), e.synchronize())
	return time.Since(begin).Seconds(), err
}
func (e *emulator) close() error { return nil }

var _ device = (*emulator)(nil)

// emulatedFollower copies late: when it is waited for.
type emulatedFollower struct {
	device *emulator
	after  int
	copy   func()
}

func (f *emulatedFollower) begin(to []byte, from address) error {
	f.copy = func() { copy(to, f.device.at(from, int64(len(to)))) }
	return nil
}
func (f *emulatedFollower) wait() error {
	err := f.device.wait(mainQueue, f.after)
	f.copy()
	return err
}
func (f *emulatedFollower) close() error { return nil }
