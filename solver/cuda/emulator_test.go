//go:build !cuda

package cuda

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sort"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// emulator is a device that runs the kernels on the processor, in this process
// and memory of its own.
type emulator struct {
	content   []byte
	next      int64
	allocated []allocation
}

// allocation is memory by its address.
type allocation struct{ first, bytes int64 }

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

// newEmulator returns an emulated device; the test is skipped where there is
// no C++ compiler.
func newEmulator(t testing.TB) *emulator {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++ to compile the kernels for the processor")
	}
	content, err := syscall.Mmap(-1, 0, emulatedBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(content) })
	return &emulator{content: content, next: 256}
}

func (e *emulator) base() address { return address(uintptr(unsafe.Pointer(&e.content[0]))) }
func (e *emulator) name() string  { return "emulated" }
func (e *emulator) memory() (int64, int64, error) {
	return emulatedBytes - e.next, emulatedBytes, nil
}
func (e *emulator) allocate(bytes int64) (address, error) {
	a := e.next
	e.next += (bytes + 255) / 256 * 256
	if e.next > emulatedBytes {
		return 0, fmt.Errorf("the emulated memory is full")
	}
	for i := range e.content[a:e.next] {
		e.content[a+int64(i)] = 0x7b
	}
	e.allocated = append(e.allocated, allocation{a, bytes})
	return e.base() + address(a), nil
}

// inside tells whether bytes from an address on lie in one allocation: as on a GPU,
// others are not copied.
func (e *emulator) inside(a address, bytes int64) error {
	from := int64(a - e.base())
	i := sort.Search(len(e.allocated), func(i int) bool { return e.allocated[i].first > from }) - 1
	if bytes > 0 && (i < 0 || from+bytes > e.allocated[i].first+e.allocated[i].bytes) {
		return fmt.Errorf("%d bytes are copied or cleared that are not in one allocation", bytes)
	}
	return nil
}
func (e *emulator) free(address) error { return nil }
func (e *emulator) at(a address, bytes int64) []byte {
	return e.content[a-e.base():][:bytes]
}
func (e *emulator) zero(to address, bytes int64) error {
	if err := e.inside(to, bytes); err != nil {
		return err
	}
	clear(e.at(to, bytes))
	return nil
}
func (e *emulator) upload(to address, from []byte) error {
	if err := e.inside(to, int64(len(from))); err != nil {
		return err
	}
	copy(e.at(to, int64(len(from))), from)
	return nil
}
func (e *emulator) download(to []byte, from address) error {
	if err := e.inside(from, int64(len(to))); err != nil {
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

func (e *emulator) launch(_ queue, k kernel, l launch) error {
	if k == emulatedHandshake {
		return nil // launches are done one after another
	}
	library := k.(*library)
	library.Lock()
	defer library.Unlock()
	all, _ := l.flat()
	purego.SyscallN(library.run, uintptr(l.blocks), uintptr(l.threads), uintptr(l.sharedBytes), uintptr(unsafe.Pointer(unsafe.SliceData(all))))
	runtime.KeepAlive(all)
	return nil
}
func (e *emulator) follow(queue, queue) error { return nil }
func (e *emulator) reach(device) error        { return nil }
func (e *emulator) export(address) ([]byte, error) {
	return nil, errors.New("the emulated memory cannot be shared")
}
func (e *emulator) open([]byte) (address, error) {
	return 0, errors.New("the emulated memory cannot be shared")
}
func (e *emulator) closeOpened(address) error             { return nil }
func (e *emulator) pin(bytes int64) ([]byte, error)       { return make([]byte, bytes), nil }
func (e *emulator) unpin([]byte) error                    { return nil }
func (e *emulator) fetch(to []byte, from address) error   { return e.download(to, from) }
func (e *emulator) deliver(to address, from []byte) error { return e.upload(to, from) }
func (e *emulator) settle() error                         { return nil }
func (e *emulator) stamp(queue) (stamp, error)            { return time.Now(), nil }
func (e *emulator) between(from, to stamp) (float64, error) {
	return to.(time.Time).Sub(from.(time.Time)).Seconds(), nil
}
func (e *emulator) follower() (follower, error) { return &emulatedFollower{device: e}, nil }
func (e *emulator) synchronize() error          { return nil }
func (e *emulator) elapsed(f func() error) (float64, error) {
	begin := time.Now()
	err := f()
	return time.Since(begin).Seconds(), err
}
func (e *emulator) close() error { return nil }

var _ device = (*emulator)(nil)

// emulatedFollower copies late: when it is waited for.
type emulatedFollower struct {
	device *emulator
	copy   func()
}

func (f *emulatedFollower) begin(to []byte, from address) error {
	f.copy = func() { copy(to, f.device.at(from, int64(len(to)))) }
	return nil
}
func (f *emulatedFollower) wait() error  { f.copy(); return nil }
func (f *emulatedFollower) close() error { return nil }
