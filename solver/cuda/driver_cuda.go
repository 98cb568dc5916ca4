//go:build cuda

package cuda

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The few functions of the CUDA driver that are used, found when the program
// runs: so this package builds without CUDA, and the program starts and says
// what is missing on a machine without a GPU. They are stable interfaces (CUDA
// Driver API, versions 12 and 13).
typedef void *pointer;
typedef uint64_t address;
struct memory_handle { // for other processes of the host
	char bytes[64];
};

static struct {
	int (*cuInit)(unsigned);
	int (*cuGetErrorString)(int, const char **);
	int (*cuDeviceGetCount)(int *);
	int (*cuDeviceGet)(int *, int);
	int (*cuDeviceGetName)(char *, int, int);
	int (*cuDeviceGetAttribute)(int *, int, int);
	int (*cuDeviceTotalMem_v2)(size_t *, int);
	int (*cuDeviceCanAccessPeer)(int *, int, int);
	int (*cuDevicePrimaryCtxRetain)(pointer *, int);
	int (*cuDevicePrimaryCtxRelease_v2)(int);
	int (*cuCtxSetCurrent)(pointer);
	int (*cuMemGetInfo_v2)(size_t *, size_t *);
	int (*cuMemAlloc_v2)(address *, size_t);
	int (*cuMemFree_v2)(address);
	int (*cuMemsetD8Async)(address, unsigned char, size_t, pointer);
	int (*cuMemcpyHtoDAsync_v2)(address, const void *, size_t, pointer);
	int (*cuMemcpyDtoHAsync_v2)(void *, address, size_t, pointer);
	int (*cuMemcpyDtoDAsync_v2)(address, address, size_t, pointer);
	int (*cuModuleLoadData)(pointer *, const void *);
	int (*cuModuleGetFunction)(pointer *, pointer, const char *);
	int (*cuLaunchKernel)(pointer, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, pointer, void **, void **);
	int (*cuCtxGetStreamPriorityRange)(int *, int *);
	int (*cuStreamCreateWithPriority)(pointer *, unsigned, int);
	int (*cuStreamWaitEvent)(pointer, pointer, unsigned);
	int (*cuStreamDestroy_v2)(pointer);
	int (*cuStreamSynchronize)(pointer);
	int (*cuEventCreate)(pointer *, unsigned);
	int (*cuEventDestroy_v2)(pointer);
	int (*cuEventRecord)(pointer, pointer);
	int (*cuEventSynchronize)(pointer);
	int (*cuEventElapsedTime)(float *, pointer, pointer);
	int (*cuCtxEnablePeerAccess)(pointer, unsigned);
	int (*cuIpcGetMemHandle)(struct memory_handle *, address);
	int (*cuIpcOpenMemHandle_v2)(address *, struct memory_handle, unsigned);
	int (*cuIpcCloseMemHandle)(address);
	int (*cuMemHostAlloc)(void **, size_t, unsigned);
	int (*cuMemFreeHost)(void *);
} driver;

// find stores the function of the given name, or its name where there is none.
static void find(void *library, const char *name, void *to, const char **missing)
{
	void *f = dlsym(library, name);
	*(void **)to = f;
	if (!f) *missing = name;
}

static const char *load_driver(void)
{
	const char *missing = NULL;
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (!library) return "libcuda.so.1";
#define FIND(NAME) find(library, #NAME, &driver.NAME, &missing)
	FIND(cuInit); FIND(cuGetErrorString); FIND(cuDeviceGetCount); FIND(cuDeviceGet); FIND(cuDeviceGetName);
	FIND(cuDeviceGetAttribute); FIND(cuDeviceTotalMem_v2); FIND(cuDeviceCanAccessPeer); FIND(cuDevicePrimaryCtxRetain);
	FIND(cuDevicePrimaryCtxRelease_v2); FIND(cuCtxSetCurrent); FIND(cuMemGetInfo_v2); FIND(cuMemAlloc_v2); FIND(cuMemFree_v2);
	FIND(cuMemsetD8Async); FIND(cuMemcpyHtoDAsync_v2); FIND(cuMemcpyDtoHAsync_v2); FIND(cuMemcpyDtoDAsync_v2);
	FIND(cuModuleLoadData); FIND(cuModuleGetFunction); FIND(cuLaunchKernel); FIND(cuStreamCreateWithPriority); FIND(cuStreamDestroy_v2);
	FIND(cuStreamSynchronize); FIND(cuEventCreate); FIND(cuEventDestroy_v2); FIND(cuEventRecord); FIND(cuEventSynchronize);
	FIND(cuEventElapsedTime); FIND(cuCtxEnablePeerAccess); FIND(cuCtxGetStreamPriorityRange); FIND(cuStreamWaitEvent);
	FIND(cuIpcGetMemHandle); FIND(cuIpcOpenMemHandle_v2); FIND(cuIpcCloseMemHandle); FIND(cuMemHostAlloc); FIND(cuMemFreeHost);
#undef FIND
	return missing;
}

// A context belongs to a thread and Go moves calls between threads: every
// call that needs one sets it.
#define IN_CONTEXT                                       \
	{                                                    \
		const int r = driver.cuCtxSetCurrent(context);   \
		if (r) return r;                                 \
	}

static const char *text(int r)
{
	const char *s = NULL;
	driver.cuGetErrorString(r, &s);
	return s ? s : "unknown error";
}
static int init(void) { return driver.cuInit(0); }
static int device_count(int *n) { return driver.cuDeviceGetCount(n); }
static int device_get(int *d, int n) { return driver.cuDeviceGet(d, n); }
static int device_name(char *to, int n, int d) { return driver.cuDeviceGetName(to, n, d); }
static int device_attribute(int *v, int a, int d) { return driver.cuDeviceGetAttribute(v, a, d); }
static int device_memory(size_t *n, int d) { return driver.cuDeviceTotalMem_v2(n, d); }
static int device_peer(int *can, int d, int other) { return driver.cuDeviceCanAccessPeer(can, d, other); }
static int retain(pointer *context, int d) { return driver.cuDevicePrimaryCtxRetain(context, d); }
static int release(int d) { return driver.cuDevicePrimaryCtxRelease_v2(d); }
static int memory_info(pointer context, size_t *free, size_t *total) { IN_CONTEXT return driver.cuMemGetInfo_v2(free, total); }
static int memory_allocate(pointer context, address *a, size_t n) { IN_CONTEXT return driver.cuMemAlloc_v2(a, n); }
static int memory_free(pointer context, address a) { IN_CONTEXT return driver.cuMemFree_v2(a); }
static int memory_zero(pointer context, address a, size_t n, pointer stream) { IN_CONTEXT return driver.cuMemsetD8Async(a, 0, n, stream); }
static int upload(pointer context, address to, const void *from, size_t n, pointer stream)
{
	IN_CONTEXT
	return driver.cuMemcpyHtoDAsync_v2(to, from, n, stream);
}
static int download(pointer context, void *to, address from, size_t n, pointer stream)
{
	IN_CONTEXT
	const int r = driver.cuMemcpyDtoHAsync_v2(to, from, n, stream);
	return r ? r : driver.cuStreamSynchronize(stream);
}
static int copy(pointer context, address to, address from, size_t n, pointer stream)
{
	IN_CONTEXT
	return driver.cuMemcpyDtoDAsync_v2(to, from, n, stream);
}
static int load(pointer context, const void *image, const char *name, pointer *kernel)
{
	IN_CONTEXT
	pointer module;
	const int r = driver.cuModuleLoadData(&module, image);
	return r ? r : driver.cuModuleGetFunction(kernel, module, name);
}
static int launch(pointer context, pointer kernel, unsigned blocks, unsigned threads, unsigned shared, pointer stream, uint64_t *words, int32_t *begin, int n)
{
	IN_CONTEXT
	void *pointers[32];
	for (int i = 0; i < n; i++) pointers[i] = &words[begin[i]];
	return driver.cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, shared, stream, pointers, NULL);
}
static int stream_create(pointer context, pointer *stream, int urgent)
{
	IN_CONTEXT
	int least, greatest;
	const int r = driver.cuCtxGetStreamPriorityRange(&least, &greatest), independent = 1;
	return r ? r : driver.cuStreamCreateWithPriority(stream, independent, urgent ? greatest : least);
}
static int stream_follow(pointer context, pointer stream, pointer other, pointer event)
{
	IN_CONTEXT
	const int r = driver.cuEventRecord(event, other);
	return r ? r : driver.cuStreamWaitEvent(stream, event, 0);
}
static int copy_to_host(pointer context, void *to, address from, size_t n, pointer stream) { IN_CONTEXT return driver.cuMemcpyDtoHAsync_v2(to, from, n, stream); }
static int host_allocate(pointer context, void **to, size_t n) { IN_CONTEXT return driver.cuMemHostAlloc(to, n, 1); }
static int host_free(pointer context, void *p) { IN_CONTEXT return driver.cuMemFreeHost(p); }
static int memory_export(pointer context, char *to, address a)
{
	IN_CONTEXT
	return driver.cuIpcGetMemHandle((struct memory_handle *)to, a);
}
static int memory_open(pointer context, address *a, const char *from)
{
	IN_CONTEXT
	const int enable_peer_access = 1;
	return driver.cuIpcOpenMemHandle_v2(a, *(const struct memory_handle *)from, enable_peer_access);
}
static int memory_close(pointer context, address a) { IN_CONTEXT return driver.cuIpcCloseMemHandle(a); }
static int stream_destroy(pointer context, pointer stream) { IN_CONTEXT return driver.cuStreamDestroy_v2(stream); }
static int stream_wait(pointer context, pointer stream) { IN_CONTEXT return driver.cuStreamSynchronize(stream); }
static int event_create(pointer context, pointer *event, int timing) { IN_CONTEXT return driver.cuEventCreate(event, timing ? 0 : 2); }
static int reach(pointer context, pointer other)
{
	IN_CONTEXT
	if (context == other) return 0;
	const int r = driver.cuCtxEnablePeerAccess(other, 0), already = 704;
	return r == already ? 0 : r;
}
static int event_destroy(pointer context, pointer event) { IN_CONTEXT return driver.cuEventDestroy_v2(event); }
static int event_record(pointer context, pointer event, pointer stream) { IN_CONTEXT return driver.cuEventRecord(event, stream); }
static int event_between(pointer context, float *ms, pointer a, pointer b)
{
	IN_CONTEXT
	const int r = driver.cuEventSynchronize(b);
	return r ? r : driver.cuEventElapsedTime(ms, a, b);
}

*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// loadDriver finds the driver, once.
var loadDriver = sync.OnceValue(func() error {
	if missing := C.load_driver(); missing != nil {
		return fmt.Errorf("there is no NVIDIA driver for CUDA (%s) on this machine; compute on the processor", C.GoString(missing))
	}
	if err := failure("starting CUDA", C.init()); err != nil {
		return fmt.Errorf("%w; compute on the processor", err)
	}
	return nil
})

// failure turns a result of the driver into an error.
func failure(what string, r C.int) error {
	const outOfMemory = 2
	switch r {
	case 0:
		return nil
	case outOfMemory:
		return fmt.Errorf("%s: the GPU's memory is full; use 16-bit storage, more GPUs or a coarser spacing", what)
	}
	return fmt.Errorf("%s: %s (CUDA error %d)", what, C.GoString(C.text(r)), int(r))
}

// gpu is a device of this machine with a stream for each queue.
type gpu struct {
	number       int
	device       C.int
	context      C.pointer
	streams      [queues]C.pointer
	turn         C.pointer   // the event by which a stream follows the other
	stamps       []C.pointer // events
	product      string
	architecture string // such as sm_90
}

var _ device = (*gpu)(nil)

// deviceCount is how many GPUs this machine has, 0 without a driver.
func deviceCount() int {
	var n C.int
	if loadDriver() != nil || C.device_count(&n) != 0 {
		return 0
	}
	return int(n)
}

func openDevice(number int) (device, error) {
	if err := loadDriver(); err != nil {
		return nil, err
	}
	if n := deviceCount(); number < 0 || number >= n {
		return nil, fmt.Errorf("there is no GPU %d; this machine has %d", number, n)
	}
	g := &gpu{number: number}
	var name [256]C.char
	var major, minor C.int
	const majorAttribute, minorAttribute = 75, 76
	for _, step := range []func() C.int{
		func() C.int { return C.device_get(&g.device, C.int(number)) },
		func() C.int { return C.device_name(&name[0], C.int(len(name)), g.device) },
		func() C.int { return C.device_attribute(&major, majorAttribute, g.device) },
		func() C.int { return C.device_attribute(&minor, minorAttribute, g.device) },
		func() C.int { return C.retain(&g.context, g.device) },
		func() C.int { return C.stream_create(g.context, &g.streams[mainQueue], 0) },
		func() C.int { return C.stream_create(g.context, &g.streams[borderQueue], 1) },
		func() C.int { return C.event_create(g.context, &g.turn, 0) },
	} {
		if err := failure(fmt.Sprintf("opening GPU %d", number), step()); err != nil {
			return nil, err
		}
	}
	g.product, g.architecture = C.GoString(&name[0]), fmt.Sprintf("sm_%d%d", int(major), int(minor))
	return g, nil
}

func (g *gpu) name() string { return g.product }

func (g *gpu) close() error {
	for _, event := range append(g.stamps, g.turn) {
		C.event_destroy(g.context, event)
	}
	var failures []error
	for _, stream := range g.streams {
		failures = append(failures, failure("closing the GPU", C.stream_destroy(g.context, stream)))
	}
	return errors.Join(append(failures, failure("closing the GPU", C.release(g.device)))...)
}

func (g *gpu) memory() (int64, int64, error) {
	var free, total C.size_t
	err := failure("asking for free memory", C.memory_info(g.context, &free, &total))
	return int64(free), int64(total), err
}

func (g *gpu) allocate(bytes int64) (address, error) {
	var a C.address
	err := failure(fmt.Sprintf("allocating %d bytes", bytes), C.memory_allocate(g.context, &a, C.size_t(bytes)))
	return address(a), err
}

func (g *gpu) free(a address) error {
	return failure("freeing memory", C.memory_free(g.context, C.address(a)))
}

func (g *gpu) zero(to address, bytes int64) error {
	return failure("clearing memory", C.memory_zero(g.context, C.address(to), C.size_t(bytes), g.streams[mainQueue]))
}

func (g *gpu) upload(to address, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return failure("copying to the GPU", C.upload(g.context, C.address(to), unsafe.Pointer(&from[0]), C.size_t(len(from)), g.streams[mainQueue]))
}

func (g *gpu) download(to []byte, from address) error {
	if len(to) == 0 {
		return nil
	}
	return failure("copying from the GPU", C.download(g.context, unsafe.Pointer(&to[0]), C.address(from), C.size_t(len(to)), g.streams[mainQueue]))
}

func (g *gpu) copy(to, from address, bytes int64) error {
	return failure("copying on the GPU", C.copy(g.context, C.address(to), C.address(from), C.size_t(bytes), g.streams[mainQueue]))
}

func (g *gpu) launch(q queue, k kernel, l launch) error {
	words, begin := l.flat()
	return failure("starting a kernel", C.launch(g.context, k.(C.pointer), C.uint(l.blocks), C.uint(l.threads), C.uint(l.sharedBytes),
		g.streams[q], (*C.uint64_t)(unsafe.SliceData(words)), (*C.int32_t)(unsafe.SliceData(begin)), C.int(len(begin))))
}

func (g *gpu) follow(q, other queue) error {
	return failure("ordering the work", C.stream_follow(g.context, g.streams[q], g.streams[other], g.turn))
}

func (g *gpu) reach(other device) error {
	return failure(fmt.Sprintf("reaching the memory of GPU %d from GPU %d", other.(*gpu).number, g.number), C.reach(g.context, other.(*gpu).context))
}

func (g *gpu) export(a address) ([]byte, error) {
	handle := make([]byte, C.sizeof_struct_memory_handle)
	return handle, failure("sharing memory with other processes", C.memory_export(g.context, (*C.char)(unsafe.Pointer(&handle[0])), C.address(a)))
}

func (g *gpu) open(handle []byte) (address, error) {
	if len(handle) != C.sizeof_struct_memory_handle {
		return 0, errors.New("the handle of another process's memory is damaged")
	}
	var a C.address
	err := failure("opening the memory of another process", C.memory_open(g.context, &a, (*C.char)(unsafe.Pointer(&handle[0]))))
	return address(a), err
}

func (g *gpu) closeOpened(a address) error {
	return failure("closing the memory of another process", C.memory_close(g.context, C.address(a)))
}

func (g *gpu) pin(bytes int64) ([]byte, error) {
	var p unsafe.Pointer
	if err := failure("allocating memory of the host", C.host_allocate(g.context, &p, C.size_t(bytes))); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

func (g *gpu) unpin(p []byte) error {
	return failure("freeing memory of the host", C.host_free(g.context, unsafe.Pointer(&p[0])))
}

func (g *gpu) fetch(to []byte, from address) error {
	return failure("copying a message from the GPU", C.copy_to_host(g.context, unsafe.Pointer(&to[0]), C.address(from), C.size_t(len(to)), g.streams[borderQueue]))
}

func (g *gpu) deliver(to address, from []byte) error {
	return failure("copying a message to the GPU", C.upload(g.context, C.address(to), unsafe.Pointer(&from[0]), C.size_t(len(from)), g.streams[borderQueue]))
}

func (g *gpu) settle() error {
	return failure("computing the border", C.stream_wait(g.context, g.streams[borderQueue]))
}

func (g *gpu) stamp(q queue) (stamp, error) {
	var event C.pointer
	if err := failure("making an event", C.event_create(g.context, &event, 1)); err != nil {
		return nil, err
	}
	g.stamps = append(g.stamps, event)
	return event, failure("measuring time", C.event_record(g.context, event, g.streams[q]))
}

func (g *gpu) between(from, to stamp) (float64, error) {
	var ms C.float
	err := failure("measuring time", C.event_between(g.context, &ms, from.(C.pointer), to.(C.pointer)))
	return float64(ms) / 1e3, err
}

func (g *gpu) synchronize() error {
	return errors.Join(failure("computing on the GPU", C.stream_wait(g.context, g.streams[mainQueue])), g.settle())
}

// gpuFollower is a stream beside those of a gpu.
type gpuFollower struct {
	gpu    *gpu
	stream C.pointer
}

func (g *gpu) follower() (follower, error) {
	f := &gpuFollower{gpu: g}
	if err := failure("making a stream", C.stream_create(g.context, &f.stream, 0)); err != nil {
		return nil, err
	}
	var event C.pointer
	if err := failure("making an event", C.event_create(g.context, &event, 0)); err != nil {
		return nil, err
	}
	defer C.event_destroy(g.context, event)
	return f, failure("following the work of the GPU", C.stream_follow(g.context, f.stream, g.streams[mainQueue], event))
}

func (f *gpuFollower) begin(to []byte, from address) error {
	return failure("copying from the GPU", C.copy_to_host(f.gpu.context, unsafe.Pointer(&to[0]), C.address(from), C.size_t(len(to)), f.stream))
}

func (f *gpuFollower) wait() error {
	return failure("copying from the GPU", C.stream_wait(f.gpu.context, f.stream))
}

func (f *gpuFollower) close() error {
	return errors.Join(f.wait(), failure("closing a stream", C.stream_destroy(f.gpu.context, f.stream)))
}

func (g *gpu) elapsed(f func() error) (float64, error) {
	from, err := g.stamp(mainQueue)
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	to, err := g.stamp(mainQueue)
	if err != nil {
		return 0, err
	}
	return g.between(from, to)
}

// canReach tells whether the device can be made to reach another's memory.
func (g *gpu) canReach(other *gpu) bool {
	var can C.int
	return C.device_peer(&can, C.int(g.number), C.int(other.number)) == 0 && can != 0
}

// load returns a kernel of a compiled program.
func (g *gpu) load(image []byte, name string) (kernel, error) {
	title := C.CString(name)
	defer C.free(unsafe.Pointer(title))
	var k C.pointer
	err := failure("loading the kernel "+name, C.load(g.context, unsafe.Pointer(&image[0]), title, &k))
	return k, err
}
