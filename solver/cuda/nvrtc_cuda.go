//go:build cuda

package cuda

/*
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

// The functions of CUDA's run-time compiler that are used, found when the
// program runs (NVRTC reference, versions 12 and 13).
typedef void *pointer;

static struct {
	int (*nvrtcVersion)(int *, int *);
	int (*nvrtcCreateProgram)(pointer *, const char *, const char *, int, const char *const *, const char *const *);
	int (*nvrtcCompileProgram)(pointer, int, const char *const *);
	int (*nvrtcGetCUBINSize)(pointer, size_t *);
	int (*nvrtcGetCUBIN)(pointer, char *);
	int (*nvrtcGetProgramLogSize)(pointer, size_t *);
	int (*nvrtcGetProgramLog)(pointer, char *);
	int (*nvrtcDestroyProgram)(pointer *);
} compiler;

// find stores the function of the given name, or its name where there is none.
static void find(void *library, const char *name, void *to, const char **missing)
{
	void *f = dlsym(library, name);
	*(void **)to = f;
	if (!f) *missing = name;
}

static const char *load_compiler(void)
{
	static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
		"/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12"};
	const char *missing = NULL;
	void *library = NULL;
	for (int i = 0; i < 6 && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
	if (!library) return "libnvrtc.so";
#define FIND(NAME) find(library, #NAME, &compiler.NAME, &missing)
	FIND(nvrtcVersion); FIND(nvrtcCreateProgram); FIND(nvrtcCompileProgram); FIND(nvrtcGetCUBINSize); FIND(nvrtcGetCUBIN);
	FIND(nvrtcGetProgramLogSize); FIND(nvrtcGetProgramLog); FIND(nvrtcDestroyProgram);
#undef FIND
	return missing;
}

static int compiler_version(int *major, int *minor) { return compiler.nvrtcVersion(major, minor); }
static int program_create(pointer *p, const char *source, const char *name) { return compiler.nvrtcCreateProgram(p, source, name, 0, NULL, NULL); }
static int program_compile(pointer p, int n, const char **options) { return compiler.nvrtcCompileProgram(p, n, (const char *const *)options); }
static int program_size(pointer p, size_t *n) { return compiler.nvrtcGetCUBINSize(p, n); }
static int program_get(pointer p, char *to) { return compiler.nvrtcGetCUBIN(p, to); }
static int program_log_size(pointer p, size_t *n) { return compiler.nvrtcGetProgramLogSize(p, n); }
static int program_log(pointer p, char *to) { return compiler.nvrtcGetProgramLog(p, to); }
static int program_destroy(pointer *p) { return compiler.nvrtcDestroyProgram(p); }
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"
)

// loadCompiler finds the run-time compiler, once.
var loadCompiler = sync.OnceValue(func() error {
	if missing := C.load_compiler(); missing != nil {
		return fmt.Errorf("CUDA's run-time compiler (%s) is not on this machine; install the package cuda-nvrtc or set LD_LIBRARY_PATH", C.GoString(missing))
	}
	return nil
})

func compilerVersion() (major, minor int, err error) {
	var a, b C.int
	if r := C.compiler_version(&a, &b); r != 0 {
		return 0, 0, fmt.Errorf("CUDA's run-time compiler does not tell its version (error %d)", int(r))
	}
	return int(a), int(b), nil
}

// translate compiles CUDA C for an architecture.
func translate(source, name, architecture string) ([]byte, error) {
	text, title := C.CString(source), C.CString(name+".cu")
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(title))
	options := []*C.char{C.CString("--gpu-architecture=" + architecture), C.CString("--std=c++17")}
	for _, o := range options {
		defer C.free(unsafe.Pointer(o))
	}
	var p C.pointer
	if r := C.program_create(&p, text, title); r != 0 {
		return nil, fmt.Errorf("preparing the kernel %s failed (compiler error %d)", name, int(r))
	}
	defer C.program_destroy(&p)
	if r := C.program_compile(p, C.int(len(options)), &options[0]); r != 0 {
		return nil, fmt.Errorf("compiling the kernel %s for %s failed (compiler error %d):\n%s", name, architecture, int(r), compilerLog(p))
	}
	var n C.size_t
	if r := C.program_size(p, &n); r != 0 {
		return nil, fmt.Errorf("the compiled kernel %s has no size (compiler error %d)", name, int(r))
	}
	image := make([]byte, n)
	if r := C.program_get(p, (*C.char)(unsafe.Pointer(&image[0]))); r != 0 {
		return nil, fmt.Errorf("reading the compiled kernel %s failed (compiler error %d)", name, int(r))
	}
	return image, nil
}

func compilerLog(p C.pointer) string {
	var n C.size_t
	if C.program_log_size(p, &n) != 0 || n == 0 {
		return ""
	}
	text := make([]byte, n)
	C.program_log(p, (*C.char)(unsafe.Pointer(&text[0])))
	return string(text[:n-1])
}
