//go:build cuda && cgo

package driver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// libraries is the folder with the driver and the run-time compiler of testdata,
// built once.
var libraries = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "driver")
	if err != nil {
		return "", err
	}
	for library, source := range map[string]string{"libcuda.so.1": "driver.c", "libnvrtc.so": "compiler.c"} {
		build := exec.Command("cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", filepath.Join(folder, library), filepath.Join("testdata", source))
		if out, err := build.CombinedOutput(); err != nil {
			return folder, fmt.Errorf("%w\n%s", err, out)
		}
	}
	return folder, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if os.Getenv("DRIVER_TEST") == "" {
		if folder, _ := libraries(); folder != "" {
			os.RemoveAll(folder)
		}
	}
	os.Exit(status)
}

// withTestDriver runs the calling test in a process whose driver and run-time
// compiler are those of testdata, and reports whether this is that process.
func withTestDriver(t *testing.T, environment ...string) bool {
	t.Helper()
	if os.Getenv("DRIVER_TEST") != "" {
		return true
	}
	folder, err := libraries()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("there is no C compiler to build the driver of the test")
	} else if err != nil {
		t.Fatal(err)
	}
	again(t, folder, environment...)
	return false
}

// again runs the calling test in a process that looks for libraries in the
// folder first.
func again(t *testing.T, folder string, environment ...string) {
	t.Helper()
	test := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	test.Env = append(append(os.Environ(), "DRIVER_TEST=1", "LD_LIBRARY_PATH="+folder), environment...)
	out, err := test.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("the test did not run:\n%s", out)
	}
}

func open(t *testing.T, number int) *gpu {
	t.Helper()
	d, err := Open(number)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { try(t, d.Close()) })
	return d.(*gpu)
}

func try(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Without a driver the process starts and says so, and nothing else.
func TestNoDriver(t *testing.T) {
	if os.Getenv("DRIVER_TEST") == "" {
		if Start() == nil {
			t.Skip("this machine has a driver")
		}
		again(t, t.TempDir())
		return
	}
	_, err := Open(0)
	const want = "there is no NVIDIA driver for CUDA (libcuda.so.1) on this machine; compute on the processor"
	if err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
	if Count() != 0 {
		t.Errorf("%d devices without a driver", Count())
	}
}

// A driver that does not start is said to, with the name and the text of its
// error.
func TestDriverThatDoesNotStart(t *testing.T) {
	if !withTestDriver(t, "DRIVER_TEST_START=803") {
		return
	}
	_, err := Open(0)
	const want = "starting CUDA: the versions differ (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, CUDA error 803); compute on the processor"
	if err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}

// What is uploaded, copied and cleared is what comes back; a launch passes
// values and structures.
func TestDevice(t *testing.T) {
	if !withTestDriver(t) {
		return
	}
	if n := Count(); n != 2 {
		t.Fatalf("%d devices, not 2", n)
	}
	g := open(t, 1)
	if g.Name() != "Test 1" || g.Architecture() != "sm_90" {
		t.Errorf("%s, %s", g.Name(), g.Architecture())
	}
	if free, total, err := g.Memory(); err != nil || free != 1<<20/3 || total != 1<<20 {
		t.Errorf("%d of %d bytes are free, %v", free, total, err)
	}
	urgent := must(g.NewStream(true))
	defer func() { try(t, urgent.Close()) }()
	a, b := must(g.Allocate(64)), must(g.Allocate(64))
	defer func() { try(t, errors.Join(g.Free(a), g.Free(b))) }()
	pinned := must(g.Pin(64))
	defer func() { try(t, g.Unpin(pinned)) }()
	try(t, errors.Join(urgent.Zero(a, 64), urgent.Upload(a, []byte("there")), urgent.Copy(b, a, 64), urgent.Download(pinned, b), urgent.Wait()))
	if got := string(pinned[:7]); got != "there\x00\x00" {
		t.Errorf("came back as %q", got)
	}
	image := must(Compile("sum", "sum", g.Architecture()))
	kernel := must(g.Load(image, "sum"))
	try(t, urgent.Launch(kernel, Launch{Blocks: 5, Threads: 6, SharedBytes: 7, Words: []uint64{uint64(a), 10, 20, 30, 1<<32 - 2}, Begin: []int32{0, 1, 4}}))
	var numbers [5]int64
	try(t, errors.Join(urgent.Download(unsafe.Slice((*byte)(unsafe.Pointer(&numbers)), 40), a), urgent.Wait()))
	if want := [5]int64{-120, 5, 6, 7, -5}; numbers != want {
		t.Errorf("the kernel found %v, not %v", numbers, want)
	}
}

// Streams follow each other by events, which measure time.
func TestEvents(t *testing.T) {
	if !withTestDriver(t) {
		return
	}
	g := open(t, 0)
	first, second := must(g.NewStream(false)), must(g.NewStream(true))
	defer func() { try(t, errors.Join(first.Close(), second.Close())) }()
	from, between, to := must(g.NewEvent(true)), must(g.NewEvent(false)), must(g.NewEvent(true))
	defer func() { try(t, errors.Join(from.Close(), between.Close(), to.Close())) }()
	if second.Follow(between) == nil {
		t.Error("followed an event that was not recorded")
	}
	try(t, errors.Join(first.Record(from), first.Record(between), second.Follow(between), second.Record(to)))
	if seconds, err := to.Since(from); err != nil || seconds != 2 {
		t.Errorf("%g seconds, %v, not 2", seconds, err)
	}
	if _, err := to.Since(between); err == nil {
		t.Error("an event without time measured it")
	}
}

// Other devices' memory is reached, and memory shared with other processes.
func TestSharedMemory(t *testing.T) {
	if !withTestDriver(t) {
		return
	}
	g, other := open(t, 0), open(t, 1)
	if !g.CanReach(other) || g.CanReach(g) {
		t.Error("who can reach whom is wrong")
	}
	for range 2 { // once more is no error
		try(t, errors.Join(g.Reach(other), g.Reach(g)))
	}
	a := must(g.Allocate(8))
	handle := must(g.Export(a))
	if got, err := other.OpenExported(handle); err != nil || got != a {
		t.Errorf("opened %x, %v, not %x", got, err, a)
	}
	try(t, errors.Join(other.CloseOpened(a), g.Free(a)))
	for _, wrong := range [][]byte{nil, handle[:9], append(handle, 0)} {
		if _, err := other.OpenExported(wrong); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("a handle of %d bytes: %v", len(wrong), err)
		}
	}
}

// Memory that is split begins on the device and ends in the host's; where that is too small,
// nothing is left behind.
func TestSplitMemory(t *testing.T) {
	if !withTestDriver(t) {
		return
	}
	g := open(t, 0)
	s := must(g.NewStream(false))
	defer func() { try(t, s.Close()) }()
	const unit = 64
	_, err := g.AllocateSplit(200*unit, 10*unit)
	if err == nil || !strings.Contains(err.Error(), "allocating 640 bytes of the device and 12160 of the host: ") {
		t.Error(err)
	}
	for _, c := range []struct {
		bytes, onDevice int64
		want            string // of every unit
	}{
		{5 * unit, 2 * unit, "\x01\x01\x03\x03\x03"},
		{5*unit - 1, 2*unit - 1, "\x01\x01\x03\x03\x03"},
		{3 * unit, 0, "\x03\x03\x03"},
		{3 * unit, 4 * unit, "\x01\x01\x01"},
	} {
		a, err := g.AllocateSplit(c.bytes, c.onDevice)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(c.want))
		for i := range got {
			try(t, s.Download(got[i:i+1], a+Address(i*unit)))
		}
		if string(got) != c.want {
			t.Errorf("%d bytes, %d on the device: %v", c.bytes, c.onDevice, got)
		}
		try(t, g.Free(a)) // or else the next one fails
	}
}

// Failures say what was tried, and the driver's name and text.
func TestFailures(t *testing.T) {
	if !withTestDriver(t) {
		return
	}
	g := open(t, 0)
	says := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	_, err := Open(2)
	says(err, "there is no GPU 2; this machine has 2")
	_, err = g.Allocate(2 << 20)
	says(err, "allocating 2097152 bytes: the GPU's memory is full (CUDA_ERROR_OUT_OF_MEMORY); use 16-bit storage, more GPUs or a coarser spacing")
	if e := new(Error); !errors.As(err, &e) || e.Code != 2 || e.Text != "out of memory" {
		t.Errorf("%#v", err)
	}
	image := must(Compile("sum", "sum", "sm_90"))
	_, err = g.Load(image, "product")
	says(err, "loading the kernel product: named symbol not found (CUDA_ERROR_NOT_FOUND, CUDA error 500)")
	_, err = Compile("wrong", "sum", "sm_90")
	says(err, "compiling the kernel sum for sm_90: Compilation\nsum.cu(1): error: wrong\n")
	if major, minor, err := CompilerVersion(); major != 13 || minor != 4 || err != nil {
		t.Errorf("version %d.%d, %v", major, minor, err)
	}
	s := must(g.NewStream(false))
	defer func() { try(t, s.Close()) }()
	a := must(g.Allocate(64))
	defer func() { try(t, g.Free(a)) }()
	words := make([]uint64, 33)
	words[0] = uint64(a)
	for n, fits := range map[int]bool{3: true, 32: true, 33: false} {
		if err := s.Launch(must(g.Load(image, "sum")), Launch{Begin: make([]int32, n), Words: words}); (err == nil) != fits {
			t.Errorf("a launch of %d arguments: %v", n, err)
		}
	}
}

// Any goroutine may call any device: the context is that of the device, in
// whatever thread.
func TestGoroutines(t *testing.T) {
	if !withTestDriver(t, "DRIVER_TEST_SLOW=1") {
		return
	}
	gpus := []*gpu{open(t, 0), open(t, 1)}
	var streams []Stream
	for _, g := range gpus {
		streams = append(streams, must(g.NewStream(false)))
	}
	var group sync.WaitGroup
	failures := make([]error, 16)
	for i := range failures {
		group.Go(func() {
			g, s := gpus[i%2], streams[i%2]
			a, err := g.Allocate(8)
			failures[i] = err
			for range 100 {
				text, back := fmt.Appendf(nil, "%8d", i), make([]byte, 8)
				err := errors.Join(s.Upload(a, text), s.Download(back, a), s.Wait())
				if err == nil && string(back) != string(text) {
					err = fmt.Errorf("%q came back as %q", text, back)
				}
				failures[i] = errors.Join(failures[i], err)
			}
			failures[i] = errors.Join(failures[i], g.Free(a))
		})
	}
	group.Wait()
	for i, s := range streams {
		free, _, err := gpus[i].Memory()
		if free != 1<<20/int64(i+2) {
			t.Errorf("device %d: %d bytes are free", i, free)
		}
		failures = append(failures, err, s.Close())
	}
	try(t, errors.Join(failures...))
}

// Giving work to a stream allocates nothing.
func TestStreamsAllocateNothing(t *testing.T) {
	if !withTestDriver(t) {
		return
	}
	g := open(t, 0)
	s, e, a, pinned := must(g.NewStream(false)), must(g.NewEvent(false)), must(g.Allocate(64)), must(g.Pin(64))
	kernel := must(g.Load(must(Compile("sum", "sum", "sm_90")), "sum"))
	l := Launch{Blocks: 5, Threads: 6, Words: []uint64{uint64(a), 1, 2, 3, 4}, Begin: []int32{0, 1, 4}}
	if n := testing.AllocsPerRun(100, func() {
		try(t, s.Zero(a, 64))
		try(t, s.Launch(kernel, l))
		try(t, s.Record(e))
		try(t, s.Follow(e))
		try(t, s.Download(pinned, a))
		try(t, s.Upload(a, pinned))
		try(t, s.Copy(a, a, 0))
		try(t, s.Wait())
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
	try(t, errors.Join(s.Close(), e.Close(), g.Free(a), g.Unpin(pinned)))
}
