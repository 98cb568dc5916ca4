//go:build cuda

package driver

/*
#include "cuda.h"

// What gorgonia.org/cu lacks. Handles come as numbers, as kept in Go.
#define IN_CONTEXT                                               \
	{                                                            \
		const CUresult r = cuCtxSetCurrent((CUcontext)context);  \
		if (r) return r;                                         \
	}

static int host_allocate(uintptr_t context, void **to, size_t n)
{
	IN_CONTEXT
	return cuMemHostAlloc(to, n, CU_MEMHOSTALLOC_PORTABLE);
}

static int memory_export(uintptr_t context, void *to, CUdeviceptr a)
{
	IN_CONTEXT
	return cuIpcGetMemHandle((CUipcMemHandle *)to, a);
}

static int memory_open(uintptr_t context, CUdeviceptr *a, const void *from)
{
	IN_CONTEXT
	return cuIpcOpenMemHandle(a, *(const CUipcMemHandle *)from, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
}

static int memory_close(uintptr_t context, CUdeviceptr a)
{
	IN_CONTEXT
	return cuIpcCloseMemHandle(a);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"gorgonia.org/cu"
)

// gpu is a device of this machine.
type gpu struct {
	number             int
	device             cu.Device
	context            cu.CUContext
	name, architecture string
	split              map[Address]splitSize
	splitting          sync.Mutex
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
	g := &gpu{number: number, split: map[Address]splitSize{}}
	var major, minor int
	for _, step := range []func() error{
		func() (err error) { g.device, err = cu.GetDevice(number); return },
		func() (err error) { g.name, err = g.device.Name(); return },
		func() (err error) { major, err = g.device.Attribute(cu.ComputeCapabilityMajor); return },
		func() (err error) { minor, err = g.device.Attribute(cu.ComputeCapabilityMinor); return },
		func() (err error) { g.context, err = g.device.RetainPrimaryCtx(); return },
	} {
		if err := step(); err != nil {
			return nil, failed(fmt.Sprintf("opening GPU %d", number), err)
		}
	}
	g.architecture = fmt.Sprintf("sm_%d%d", major, minor)
	return g, nil
}

// within calls the driver in a thread in which the device's context is current.
func (g *gpu) within(doing string, call func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cu.SetCurrentContext(g.context)
	if err == nil {
		err = call()
	}
	return failed(doing, err)
}

// handle is what lies in a structure of gorgonia.org/cu that is nothing but a
// handle of the driver, for calls that it lacks.
func handle[T cu.CUContext | cu.Function | cu.Stream](of T) uintptr {
	return *(*uintptr)(unsafe.Pointer(&of))
}

func (g *gpu) c() C.uintptr_t { return C.uintptr_t(handle(g.context)) }

func (g *gpu) Name() string         { return g.name }
func (g *gpu) Architecture() string { return g.architecture }

func (g *gpu) Close() error { return failed("closing the GPU", g.device.ReleasePrimaryCtx()) }

func (g *gpu) Memory() (free, total int64, err error) {
	err = g.within("asking for free memory", func() (err error) { free, total, err = cu.MemInfo(); return })
	return free, total, err
}

func (g *gpu) Allocate(bytes int64) (Address, error) {
	var a cu.DevicePtr
	err := g.within(fmt.Sprintf("allocating %d bytes", bytes), func() (err error) { a, err = cu.MemAlloc(bytes); return })
	return Address(a), err
}

func (g *gpu) Free(a Address) error {
	if size, ok := g.takeSplit(a); ok {
		return g.freeSplit(a, size)
	}
	return g.within("freeing memory", func() error { return cu.MemFree(cu.DevicePtr(a)) })
}

func (g *gpu) Pin(bytes int64) ([]byte, error) {
	var p unsafe.Pointer
	if err := failure("allocating memory of the host", int(C.host_allocate(g.c(), &p, C.size_t(bytes)))); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

func (g *gpu) Unpin(p []byte) error {
	return g.within("freeing memory of the host", func() error { return cu.MemFreeHost(unsafe.Pointer(&p[0])) })
}

func (g *gpu) Reach(other Device) error {
	to := other.(*gpu)
	if handle(g.context) == handle(to.context) {
		return nil
	}
	return g.within(fmt.Sprintf("reaching the memory of GPU %d from GPU %d", to.number, g.number), func() error {
		if err := to.context.EnablePeerAccess(0); err != nil && !errors.Is(err, cu.PeerAccessAlreadyEnabled) {
			return err
		}
		return nil
	})
}

func (g *gpu) CanReach(other Device) bool {
	can, err := g.device.CanAccessPeer(other.(*gpu).device)
	return err == nil && can != 0
}

func (g *gpu) Export(a Address) ([]byte, error) {
	handle := make([]byte, C.sizeof_CUipcMemHandle)
	return handle, failure("sharing memory with other processes", int(C.memory_export(g.c(), unsafe.Pointer(&handle[0]), C.CUdeviceptr(a))))
}

func (g *gpu) OpenExported(handle []byte) (Address, error) {
	if len(handle) != C.sizeof_CUipcMemHandle {
		return 0, errors.New("the handle of another process's memory is damaged")
	}
	var a C.CUdeviceptr
	err := failure("opening the memory of another process", int(C.memory_open(g.c(), &a, unsafe.Pointer(&handle[0]))))
	return Address(a), err
}

func (g *gpu) CloseOpened(a Address) error {
	return failure("closing the memory of another process", int(C.memory_close(g.c(), C.CUdeviceptr(a))))
}

func (g *gpu) Load(image []byte, name string) (Kernel, error) {
	var f cu.Function
	err := g.within("loading the kernel "+name, func() error {
		module, err := cu.LoadData(string(image))
		if err != nil {
			return err
		}
		f, err = module.Function(name)
		return err
	})
	return Kernel(handle(f)), err
}
