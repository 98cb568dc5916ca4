//go:build cuda

package driver

/*
#include "cuda.h"
#include "context.h"

// Handles come as numbers, as they are kept in Go.
static int retain(uintptr_t *context, int d) { return cuDevicePrimaryCtxRetain((CUcontext *)context, d); }
static int memory_info(uintptr_t context, size_t *free, size_t *total) { IN_CONTEXT return cuMemGetInfo(free, total); }
static int memory_allocate(uintptr_t context, CUdeviceptr *a, size_t n) { IN_CONTEXT return cuMemAlloc(a, n); }
static int memory_free(uintptr_t context, CUdeviceptr a) { IN_CONTEXT return cuMemFree(a); }
static int host_allocate(uintptr_t context, void **to, size_t n) { IN_CONTEXT return cuMemHostAlloc(to, n, CU_MEMHOSTALLOC_PORTABLE); }
static int host_free(uintptr_t context, void *p) { IN_CONTEXT return cuMemFreeHost(p); }
static int memory_export(uintptr_t context, void *to, CUdeviceptr a) { IN_CONTEXT return cuIpcGetMemHandle((CUipcMemHandle *)to, a); }
static int memory_open(uintptr_t context, CUdeviceptr *a, const void *from)
{
	IN_CONTEXT
	return cuIpcOpenMemHandle(a, *(const CUipcMemHandle *)from, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
}
static int memory_close(uintptr_t context, CUdeviceptr a) { IN_CONTEXT return cuIpcCloseMemHandle(a); }
static int reach(uintptr_t context, uintptr_t other)
{
	IN_CONTEXT
	if (context == other) return 0;
	const CUresult r = cuCtxEnablePeerAccess((CUcontext)other, 0);
	return r == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? 0 : r;
}
static int load(uintptr_t context, const void *image, const char *name, uintptr_t *kernel)
{
	IN_CONTEXT
	CUmodule module;
	const CUresult r = cuModuleLoadData(&module, image);
	return r ? r : cuModuleGetFunction((CUfunction *)kernel, module, name);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// gpu is a device of this machine.
type gpu struct {
	number             int
	device             C.CUdevice
	context            C.uintptr_t
	name, architecture string
}

var _ Device = (*gpu)(nil)

// Open opens a GPU of this machine.
func Open(number int) (Device, error) {
	if err := Start(); err != nil {
		return nil, err
	}
	if n := Count(); number < 0 || number >= n {
		return nil, fmt.Errorf("there is no GPU %d; this machine has %d", number, n)
	}
	g := &gpu{number: number}
	var name [256]C.char
	var major, minor C.int
	for _, step := range []func() C.CUresult{
		func() C.CUresult { return C.cuDeviceGet(&g.device, C.int(number)) },
		func() C.CUresult { return C.cuDeviceGetName(&name[0], C.int(len(name)), g.device) },
		func() C.CUresult {
			return C.cuDeviceGetAttribute(&major, C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, g.device)
		},
		func() C.CUresult {
			return C.cuDeviceGetAttribute(&minor, C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, g.device)
		},
		func() C.CUresult { return C.CUresult(C.retain(&g.context, C.int(g.device))) },
	} {
		if err := failure(fmt.Sprintf("opening GPU %d", number), int(step())); err != nil {
			return nil, err
		}
	}
	g.name, g.architecture = C.GoString(&name[0]), fmt.Sprintf("sm_%d%d", int(major), int(minor))
	return g, nil
}

func (g *gpu) Name() string         { return g.name }
func (g *gpu) Architecture() string { return g.architecture }

func (g *gpu) Close() error {
	return failure("closing the GPU", int(C.cuDevicePrimaryCtxRelease(g.device)))
}

func (g *gpu) Memory() (int64, int64, error) {
	var free, total C.size_t
	err := failure("asking for free memory", int(C.memory_info(g.context, &free, &total)))
	return int64(free), int64(total), err
}

func (g *gpu) Allocate(bytes int64) (Address, error) {
	var a C.CUdeviceptr
	err := failure(fmt.Sprintf("allocating %d bytes", bytes), int(C.memory_allocate(g.context, &a, C.size_t(bytes))))
	return Address(a), err
}

func (g *gpu) Free(a Address) error {
	return failure("freeing memory", int(C.memory_free(g.context, C.CUdeviceptr(a))))
}

func (g *gpu) Pin(bytes int64) ([]byte, error) {
	var p unsafe.Pointer
	if err := failure("allocating memory of the host", int(C.host_allocate(g.context, &p, C.size_t(bytes)))); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

func (g *gpu) Unpin(p []byte) error {
	return failure("freeing memory of the host", int(C.host_free(g.context, unsafe.Pointer(&p[0]))))
}

func (g *gpu) Reach(other Device) error {
	to := other.(*gpu)
	return failure(fmt.Sprintf("reaching the memory of GPU %d from GPU %d", to.number, g.number), int(C.reach(g.context, to.context)))
}

func (g *gpu) CanReach(other Device) bool {
	var can C.int
	return C.cuDeviceCanAccessPeer(&can, g.device, other.(*gpu).device) == 0 && can != 0
}

func (g *gpu) Export(a Address) ([]byte, error) {
	handle := make([]byte, C.sizeof_CUipcMemHandle)
	return handle, failure("sharing memory with other processes", int(C.memory_export(g.context, unsafe.Pointer(&handle[0]), C.CUdeviceptr(a))))
}

func (g *gpu) OpenExported(handle []byte) (Address, error) {
	if len(handle) != C.sizeof_CUipcMemHandle {
		return 0, errors.New("the handle of another process's memory is damaged")
	}
	var a C.CUdeviceptr
	err := failure("opening the memory of another process", int(C.memory_open(g.context, &a, unsafe.Pointer(&handle[0]))))
	return Address(a), err
}

func (g *gpu) CloseOpened(a Address) error {
	return failure("closing the memory of another process", int(C.memory_close(g.context, C.CUdeviceptr(a))))
}

func (g *gpu) Load(image []byte, name string) (Kernel, error) {
	title := C.CString(name)
	defer C.free(unsafe.Pointer(title))
	var k C.uintptr_t
	err := failure("loading the kernel "+name, int(C.load(g.context, unsafe.Pointer(&image[0]), title, &k)))
	return Kernel(k), err
}
