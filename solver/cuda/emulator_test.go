//go:build !cuda

package cuda

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// emulator is a device that runs the kernels on the processor, each launch in
// a process of its own. Its memory is a file.
type emulator struct {
	folder  string
	content []byte
	next    int64
}

// emulated are the programs compiled for the processor by all tests.
var emulated = struct {
	folder string
	sync.Mutex
	programs map[program]string
}{programs: map[program]string{}}

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

	emulatedBase  = 0x7e0000000000
	emulatedBytes = 1 << 28
)

// newEmulator returns an emulated device; the test is skipped where there is
// no C++ compiler.
func newEmulator(t testing.TB) *emulator {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++ to compile the kernels for the processor")
	}
	e := &emulator{folder: t.TempDir(), next: 256}
	f, err := os.Create(e.file())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(emulatedBytes); err != nil {
		t.Fatal(err)
	}
	e.content, err = syscall.Mmap(int(f.Fd()), 0, emulatedBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(e.content) })
	return e
}

func (e *emulator) file() string { return filepath.Join(e.folder, "memory") }
func (e *emulator) name() string { return "emulated" }
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
	return emulatedBase + address(a), nil
}
func (e *emulator) free(address) error { return nil }
func (e *emulator) at(a address, bytes int64) []byte {
	return e.content[a-emulatedBase:][:bytes]
}
func (e *emulator) zero(to address, bytes int64) error {
	clear(e.at(to, bytes))
	return nil
}
func (e *emulator) upload(to address, from []byte) error {
	copy(e.at(to, int64(len(from))), from)
	return nil
}
func (e *emulator) download(to []byte, from address) error {
	copy(to, e.at(from, int64(len(to))))
	return nil
}
func (e *emulator) compile(p program) (kernel, error) {
	if p.kernel == emulatedMeeting {
		return emulatedMeeting, nil
	}
	emulated.Lock()
	defer emulated.Unlock()
	if path, ok := emulated.programs[p]; ok {
		return path, nil
	}
	path := filepath.Join(emulated.folder, strconv.Itoa(len(emulated.programs)))
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
	if out, err := exec.Command("g++", "-std=c++17", "-O1", "-w", "-o", path, path+".cpp").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling %+v for the processor: %w\n%s", p, err, out)
	}
	emulated.programs[p] = path
	return path, nil
}
func (e *emulator) launch(_ queue, k kernel, l launch) error {
	if k == emulatedMeeting {
		return nil // launches are done one after another
	}
	arguments := []string{e.file(), strconv.FormatUint(emulatedBase, 10), strconv.Itoa(emulatedBytes),
		strconv.Itoa(l.blocks), strconv.Itoa(l.threads), strconv.Itoa(l.sharedBytes)}
	all, _ := l.flat()
	for _, a := range all {
		arguments = append(arguments, strconv.FormatUint(a, 10))
	}
	if out, err := exec.Command(k.(string), arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
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
