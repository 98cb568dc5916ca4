//go:build cuda

package driver

/*
#cgo LDFLAGS: -L${SRCDIR}/link -ldl
#include "cuda.h"
#include "forward.h"

static const char *error_name(int code)
{
	const char *s = NULL;
	cuGetErrorName(code, &s);
	return s ? s : "CUDA_ERROR";
}

static const char *error_text(int code)
{
	const char *s = NULL;
	cuGetErrorString(code, &s);
	return s ? s : "unknown error";
}
*/
import "C"

import (
	"fmt"
	"os"
	"reflect"
	"sync"

	"gorgonia.org/cu"
)

// Start finds and starts the driver, once.
var Start = sync.OnceValue(func() error {
	// Kernels of ranks wait for each other. One that is loaded when it is launched
	// first would wait for them.
	const loading = "CUDA_MODULE_LOADING"
	if _, chosen := os.LookupEnv(loading); !chosen {
		if err := os.Setenv(loading, "EAGER"); err != nil {
			return fmt.Errorf("starting CUDA: %w", err)
		}
	}
	var code C.int
	if missing := C.forward_driver(&code); missing != nil {
		return fmt.Errorf("there is no NVIDIA driver for CUDA (%s) on this machine; compute on the processor", C.GoString(missing))
	}
	if err := failure("starting CUDA", int(code)); err != nil {
		return fmt.Errorf("%w; compute on the processor", err)
	}
	return nil
})

// Count is how many GPUs this machine has, 0 without a driver.
func Count() int {
	if Start() != nil {
		return 0
	}
	n, err := cu.NumDevices()
	if err != nil {
		return 0
	}
	return n
}

// failure turns a result of the driver into an error.
func failure(doing string, code int) error {
	if code == 0 {
		return nil
	}
	return &Error{doing, code, C.GoString(C.error_name(C.int(code))), C.GoString(C.error_text(C.int(code)))}
}

// failed turns an error of gorgonia.org/cu, which is the driver's result under
// a type of its own, into one that says what was tried and why it failed.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	if v := reflect.ValueOf(err); v.CanInt() {
		return failure(doing, int(v.Int()))
	}
	return fmt.Errorf("%s: %w", doing, err)
}
