//go:build cuda

package driver

/*
#include "cuda.h"

// gorgonia.org/cu allocates twice in a launch and copies 8 bytes of each
// argument. Here the arguments stay where the caller has them.
static int launch(uintptr_t context, uintptr_t stream, uintptr_t kernel, unsigned blocks, unsigned threads, unsigned shared,
	uint64_t *words, int32_t *begin, int n)
{
	enum { most = 32 };
	void *pointers[most];
	if (n > most) return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < n; i++) pointers[i] = &words[begin[i]];
	const CUresult r = cuCtxSetCurrent((CUcontext)context);
	return r ? r : cuLaunchKernel((CUfunction)kernel, blocks, 1, 1, threads, 1, 1, shared, (CUstream)stream, pointers, NULL);
}
*/
import "C"

import (
	"errors"
	"unsafe"

	"gorgonia.org/cu"
)

// stream is one of a gpu.
type stream struct {
	gpu    *gpu
	stream cu.Stream
}

func (g *gpu) NewStream(urgent bool) (Stream, error) {
	s := &stream{gpu: g}
	err := g.within("making a stream", func() error {
		priority, greatest, err := cu.StreamPriorityRange()
		if err != nil {
			return err
		}
		if urgent {
			priority = greatest
		}
		s.stream, err = cu.MakeStreamWithPriority(priority, cu.NonBlocking)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *stream) Zero(to Address, bytes int64) error {
	return s.gpu.within("clearing memory", func() error { return cu.MemsetD8Async(cu.DevicePtr(to), 0, bytes, s.stream) })
}

func (s *stream) Upload(to Address, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return s.gpu.within("copying to the GPU", func() error {
		return cu.MemcpyHtoDAsync(cu.DevicePtr(to), unsafe.Pointer(&from[0]), int64(len(from)), s.stream)
	})
}

func (s *stream) Download(to []byte, from Address) error {
	if len(to) == 0 {
		return nil
	}
	return s.gpu.within("copying from the GPU", func() error {
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&to[0]), cu.DevicePtr(from), int64(len(to)), s.stream)
	})
}

func (s *stream) Copy(to, from Address, bytes int64) error {
	return s.gpu.within("copying on the GPU", func() error {
		return cu.MemcpyDtoDAsync(cu.DevicePtr(to), cu.DevicePtr(from), bytes, s.stream)
	})
}

func (s *stream) Launch(k Kernel, l Launch) error {
	return failure("starting a kernel", int(C.launch(s.gpu.c(), C.uintptr_t(handle(s.stream)), C.uintptr_t(k),
		C.uint(l.Blocks), C.uint(l.Threads), C.uint(l.SharedBytes),
		(*C.uint64_t)(unsafe.SliceData(l.Words)), (*C.int32_t)(unsafe.SliceData(l.Begin)), C.int(len(l.Begin)))))
}

func (s *stream) Record(e Event) error {
	return s.gpu.within("marking the work", func() error { return e.(*event).event.Record(s.stream) })
}

func (s *stream) Follow(e Event) error {
	return s.gpu.within("ordering the work", func() error { return s.stream.Wait(e.(*event).event, 0) })
}

func (s *stream) Wait() error {
	return s.gpu.within("computing on the GPU", s.stream.Synchronize)
}

func (s *stream) Close() error {
	return errors.Join(s.Wait(), s.gpu.within("closing a stream", s.stream.Destroy))
}

// event is one of a gpu.
type event struct {
	gpu   *gpu
	event cu.Event
}

func (g *gpu) NewEvent(timed bool) (Event, error) {
	e := &event{gpu: g}
	flags := cu.DisableTiming
	if timed {
		flags = cu.DefaultEvent
	}
	err := g.within("making an event", func() (err error) { e.event, err = cu.MakeEvent(flags); return })
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (e *event) Since(earlier Event) (float64, error) {
	var milliseconds float64
	err := e.gpu.within("measuring time", func() error {
		if err := e.event.Synchronize(); err != nil {
			return err
		}
		var err error
		milliseconds, err = earlier.(*event).event.Elapsed(e.event)
		return err
	})
	return milliseconds / 1e3, err
}

func (e *event) Close() error {
	return e.gpu.within("closing an event", func() error { return cu.DestroyEvent(&e.event) })
}
