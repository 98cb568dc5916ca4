//go:build cuda

package driver

/*
#include "nvrtc.h"
#include "forward.h"
#include <stdint.h>

// The compiled program as the device runs it, which gorgonia.org/cu/nvrtc lacks.
static int program_size(uintptr_t p, size_t *n) { return nvrtcGetCUBINSize((nvrtcProgram)p, n); }
static int program_get(uintptr_t p, void *to) { return nvrtcGetCUBIN((nvrtcProgram)p, to); }
*/
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"gorgonia.org/cu/nvrtc"
)

// startCompiler finds the run-time compiler, once.
var startCompiler = sync.OnceValue(func() error {
	if missing := C.forward_compiler(); missing != nil {
		return fmt.Errorf("CUDA's run-time compiler (%s) is not on this machine; install the package cuda-nvrtc or set LD_LIBRARY_PATH", C.GoString(missing))
	}
	return nil
})

// CompilerVersion is that of CUDA's run-time compiler.
func CompilerVersion() (major, minor int, err error) {
	if err := startCompiler(); err != nil {
		return 0, 0, err
	}
	if major, minor, err = nvrtc.Version(); err != nil {
		return 0, 0, fmt.Errorf("CUDA's run-time compiler does not tell its version: %w", err)
	}
	return major, minor, nil
}

// Compile compiles CUDA C for an architecture.
func Compile(source, name, architecture string) ([]byte, error) {
	if err := startCompiler(); err != nil {
		return nil, err
	}
	p, err := nvrtc.CreateProgram(source, name+".cu")
	if err != nil {
		return nil, fmt.Errorf("preparing the kernel %s: %w", name, err)
	}
	defer p.Destroy()
	if err := p.Compile("--gpu-architecture="+architecture, "--std=c++17"); err != nil {
		log, _ := p.GetLog()
		return nil, fmt.Errorf("compiling the kernel %s for %s: %w\n%s", name, architecture, err, strings.TrimRight(log, "\x00"))
	}
	handle := C.uintptr_t(*(*uintptr)(unsafe.Pointer(&p)))
	var n C.size_t
	if r := C.program_size(handle, &n); r != 0 || n == 0 {
		return nil, fmt.Errorf("the compiled kernel %s has no size (compiler error %d)", name, int(r))
	}
	image := make([]byte, n)
	if r := C.program_get(handle, unsafe.Pointer(&image[0])); r != 0 {
		return nil, fmt.Errorf("reading the compiled kernel %s failed (compiler error %d)", name, int(r))
	}
	return image, nil
}
