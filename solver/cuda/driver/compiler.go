//go:build cuda

package driver

/*
#include "nvrtc.h"
#include "forward.h"
#include <stdint.h>

static int program_create(uintptr_t *p, const char *source, const char *name) { return nvrtcCreateProgram((nvrtcProgram *)p, source, name, 0, NULL, NULL); }
static int program_compile(uintptr_t p, int n, const char **options) { return nvrtcCompileProgram((nvrtcProgram)p, n, (const char *const *)options); }
static int program_size(uintptr_t p, size_t *n) { return nvrtcGetCUBINSize((nvrtcProgram)p, n); }
static int program_get(uintptr_t p, void *to) { return nvrtcGetCUBIN((nvrtcProgram)p, to); }
static int program_log_size(uintptr_t p, size_t *n) { return nvrtcGetProgramLogSize((nvrtcProgram)p, n); }
static int program_log(uintptr_t p, void *to) { return nvrtcGetProgramLog((nvrtcProgram)p, to); }
static int program_destroy(uintptr_t *p) { return nvrtcDestroyProgram((nvrtcProgram *)p); }
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"
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
	var a, b C.int
	if r := C.nvrtcVersion(&a, &b); r != 0 {
		return 0, 0, fmt.Errorf("CUDA's run-time compiler does not tell its version (compiler error %d)", int(r))
	}
	return int(a), int(b), nil
}

// Compile compiles CUDA C for an architecture.
func Compile(source, name, architecture string) ([]byte, error) {
	if err := startCompiler(); err != nil {
		return nil, err
	}
	text, title := C.CString(source), C.CString(name+".cu")
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(title))
	options := []*C.char{C.CString("--gpu-architecture=" + architecture), C.CString("--std=c++17")}
	for _, o := range options {
		defer C.free(unsafe.Pointer(o))
	}
	var p C.uintptr_t
	if r := C.program_create(&p, text, title); r != 0 {
		return nil, fmt.Errorf("preparing the kernel %s failed (compiler error %d)", name, int(r))
	}
	defer C.program_destroy(&p)
	if r := C.program_compile(p, C.int(len(options)), &options[0]); r != 0 {
		return nil, fmt.Errorf("compiling the kernel %s for %s failed (compiler error %d):\n%s", name, architecture, int(r), compilerLog(p))
	}
	var n C.size_t
	if r := C.program_size(p, &n); r != 0 || n == 0 {
		return nil, fmt.Errorf("the compiled kernel %s has no size (compiler error %d)", name, int(r))
	}
	image := make([]byte, n)
	if r := C.program_get(p, unsafe.Pointer(&image[0])); r != 0 {
		return nil, fmt.Errorf("reading the compiled kernel %s failed (compiler error %d)", name, int(r))
	}
	return image, nil
}

func compilerLog(p C.uintptr_t) string {
	var n C.size_t
	if C.program_log_size(p, &n) != 0 || n == 0 {
		return ""
	}
	text := make([]byte, n)
	C.program_log(p, unsafe.Pointer(&text[0]))
	return string(text[:n-1])
}
