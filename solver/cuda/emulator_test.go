//go:build !cuda

package cuda

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
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

// allocation is memory by its place.
type allocation struct{ first, bytes int64 }

// emulated are the programs compiled for the processor by all tests.
var emulated = struct {
	folder string
	sync.Mutex
	programs map[program]func() (*library, error)
}{programs: map[program]func() (*library, error){}}

// library is a program compiled for the processor. Its lanes are its own
// variables: it does a launch at a time.
type library struct {
	sync.Mutex
	run uintptr
}

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "carina-kernels-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	emulated.folder = folder
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

const (
	emulatedMeeting = "meet"
	emulatedBytes   = 1 << 28
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
	if p.kernel == emulatedMeeting {
		return emulatedMeeting, nil
	}
	emulated.Lock()
	compiled, ok := emulated.programs[p]
	if !ok {
		path := filepath.Join(emulated.folder, strconv.Itoa(len(emulated.programs)))
		compiled = sync.OnceValues(func() (*library, error) { return compileLibrary(p, path) })
		emulated.programs[p] = compiled
	}
	emulated.Unlock()
	return compiled()
}

// compileLibrary compiles a program for the processor and loads it; path is
// where to, without an ending.
func compileLibrary(p program, path string) (*library, error) {
	emulation, err := os.ReadFile("kernels/emulation.h")
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile("kernels/emulator.cpp")
	if err != nil {
		return nil, err
	}
	text := p.constants() + string(emulation) + p.body() + "\n#define ENTRY " + p.kernel + "\n" + string(source)
	if err := os.WriteFile(path+".cpp", []byte(text), 0o600); err != nil {
		return nil, err
	}
	// Static variables of inline functions are each library's own, not unique in
	// the process: several run at a time. Fibres' stacks and jumps between them look like overflows where a
	// distribution's compiler checks for those unasked. Only C's libraries are
	// linked, which takes less time.
	// What steps do not need is launched a few times: to make it fast takes longer.
	optimization := "-O0"
	if p.steps() {
		optimization = "-O1"
	}
	if out, err := exec.Command("g++", "-std=c++17", optimization, "-fno-exceptions", "-fno-gnu-unique", "-fno-asynchronous-unwind-tables", "-U_FORTIFY_SOURCE", "-w",
		"-shared", "-fPIC", "-nostdlib", "-o", path+".so", path+".cpp", "-lgcc", "-lm", "-lc").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling %+v for the processor: %w\n%s", p, err, out)
	}
	loaded, err := purego.Dlopen(path+".so", purego.RTLD_NOW|purego.RTLD_LOCAL)
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
	if k == emulatedMeeting {
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
