//go:build cuda

package driver

/*
#include "cuda.h"
#include "context.h"

static int stream_create(uintptr_t context, uintptr_t *stream, int urgent)
{
	IN_CONTEXT
	int least, greatest;
	const CUresult r = cuCtxGetStreamPriorityRange(&least, &greatest);
	return r ? r : cuStreamCreateWithPriority((CUstream *)stream, CU_STREAM_NON_BLOCKING, urgent ? greatest : least);
}
static int stream_destroy(uintptr_t context, uintptr_t stream) { IN_CONTEXT return cuStreamDestroy((CUstream)stream); }
static int stream_wait(uintptr_t context, uintptr_t stream) { IN_CONTEXT return cuStreamSynchronize((CUstream)stream); }
static int zero(uintptr_t context, uintptr_t stream, CUdeviceptr a, size_t n) { IN_CONTEXT return cuMemsetD8Async(a, 0, n, (CUstream)stream); }
static int upload(uintptr_t context, uintptr_t stream, CUdeviceptr to, const void *from, size_t n)
{
	IN_CONTEXT
	return cuMemcpyHtoDAsync(to, from, n, (CUstream)stream);
}
static int download(uintptr_t context, uintptr_t stream, void *to, CUdeviceptr from, size_t n)
{
	IN_CONTEXT
	return cuMemcpyDtoHAsync(to, from, n, (CUstream)stream);
}
static int copy(uintptr_t context, uintptr_t stream, CUdeviceptr to, CUdeviceptr from, size_t n)
{
	IN_CONTEXT
	return cuMemcpyDtoDAsync(to, from, n, (CUstream)stream);
}
static int launch(uintptr_t context, uintptr_t stream, uintptr_t kernel, unsigned blocks, unsigned threads, unsigned shared,
	uint64_t *words, int32_t *begin, int n)
{
	IN_CONTEXT
	enum { most = 32 };
	void *pointers[most];
	if (n > most) return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < n; i++) pointers[i] = &words[begin[i]];
	return cuLaunchKernel((CUfunction)kernel, blocks, 1, 1, threads, 1, 1, shared, (CUstream)stream, pointers, NULL);
}
static int event_create(uintptr_t context, uintptr_t *event, int timed)
{
	IN_CONTEXT
	return cuEventCreate((CUevent *)event, timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING);
}
static int event_destroy(uintptr_t context, uintptr_t event) { IN_CONTEXT return cuEventDestroy((CUevent)event); }
static int event_record(uintptr_t context, uintptr_t event, uintptr_t stream) { IN_CONTEXT return cuEventRecord((CUevent)event, (CUstream)stream); }
static int stream_follow(uintptr_t context, uintptr_t stream, uintptr_t event) { IN_CONTEXT return cuStreamWaitEvent((CUstream)stream, (CUevent)event, 0); }
static int event_since(uintptr_t context, float *ms, uintptr_t from, uintptr_t to)
{
	IN_CONTEXT
	const CUresult r = cuEventSynchronize((CUevent)to);
	return r ? r : cuEventElapsedTime(ms, (CUevent)from, (CUevent)to);
}
*/
import "C"

import (
	"errors"
	"unsafe"
)

// stream is one of a device.
type stream struct{ context, stream C.uintptr_t }

func (g *gpu) NewStream(urgent bool) (Stream, error) {
	s := &stream{context: g.context}
	first := C.int(0)
	if urgent {
		first = 1
	}
	if err := failure("making a stream", int(C.stream_create(g.context, &s.stream, first))); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *stream) Zero(to Address, bytes int64) error {
	return failure("clearing memory", int(C.zero(s.context, s.stream, C.CUdeviceptr(to), C.size_t(bytes))))
}

func (s *stream) Upload(to Address, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return failure("copying to the GPU", int(C.upload(s.context, s.stream, C.CUdeviceptr(to), unsafe.Pointer(&from[0]), C.size_t(len(from)))))
}

func (s *stream) Download(to []byte, from Address) error {
	if len(to) == 0 {
		return nil
	}
	return failure("copying from the GPU", int(C.download(s.context, s.stream, unsafe.Pointer(&to[0]), C.CUdeviceptr(from), C.size_t(len(to)))))
}

func (s *stream) Copy(to, from Address, bytes int64) error {
	return failure("copying on the GPU", int(C.copy(s.context, s.stream, C.CUdeviceptr(to), C.CUdeviceptr(from), C.size_t(bytes))))
}

func (s *stream) Launch(k Kernel, l Launch) error {
	return failure("starting a kernel", int(C.launch(s.context, s.stream, C.uintptr_t(k), C.uint(l.Blocks), C.uint(l.Threads), C.uint(l.SharedBytes),
		(*C.uint64_t)(unsafe.SliceData(l.Words)), (*C.int32_t)(unsafe.SliceData(l.Begin)), C.int(len(l.Begin)))))
}

func (s *stream) Record(e Event) error {
	return failure("marking the work", int(C.event_record(s.context, e.(*event).event, s.stream)))
}

func (s *stream) Follow(e Event) error {
	return failure("ordering the work", int(C.stream_follow(s.context, s.stream, e.(*event).event)))
}

func (s *stream) Wait() error {
	return failure("computing on the GPU", int(C.stream_wait(s.context, s.stream)))
}

func (s *stream) Close() error {
	return errors.Join(s.Wait(), failure("closing a stream", int(C.stream_destroy(s.context, s.stream))))
}

// event is one of a device.
type event struct{ context, event C.uintptr_t }

func (g *gpu) NewEvent(timed bool) (Event, error) {
	e := &event{context: g.context}
	flag := C.int(0)
	if timed {
		flag = 1
	}
	if err := failure("making an event", int(C.event_create(g.context, &e.event, flag))); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *event) Since(earlier Event) (float64, error) {
	var milliseconds C.float
	err := failure("measuring time", int(C.event_since(e.context, &milliseconds, earlier.(*event).event, e.event)))
	return float64(milliseconds) / 1e3, err
}

func (e *event) Close() error {
	return failure("closing an event", int(C.event_destroy(e.context, e.event)))
}
