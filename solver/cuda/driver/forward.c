//go:build cuda

// The functions of the driver and of the run-time compiler, each of which calls
// the one of that name in the library, found when the program asks for it. So
// the program is linked and starts on machines that have neither, and says what
// is missing where it is needed. They are hidden: libraries that use the driver
// themselves (MPI's) find the driver's own.
#include "forward.h"
#include "cuda.h"
#include "nvrtc.h"
#include <dlfcn.h>

static const char *const driver_names[] = {"libcuda.so.1", NULL};
static const char *const compiler_names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
	"/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12", NULL};

static void *open_first(const char *const *names)
{
	void *library = NULL;
	for (; *names && !library; names++) library = dlopen(*names, RTLD_NOW | RTLD_GLOBAL);
	return library;
}

#define HIDDEN __attribute__((visibility("hidden")))
#define NAME_OF(NAME, SUFFIX) #NAME #SUFFIX

// What a call returns before the library is there, and where it lacks the function.
static CUresult driver_absent = CUDA_ERROR_NO_DEVICE;
static CUresult (*start)(unsigned);

#define DRIVER_FUNCTIONS
#define FUNCTION(NAME, SUFFIX, PARAMETERS, ARGUMENTS) \
	static CUresult(*found_##NAME) PARAMETERS;        \
	HIDDEN CUresult NAME PARAMETERS { return found_##NAME ? found_##NAME ARGUMENTS : driver_absent; }
#include "functions.h"
#undef FUNCTION

// gorgonia.org/cu calls this when the program starts, and ends it where that
// fails: nothing is begun before forward_driver.
HIDDEN CUresult cuInit(unsigned flags) { return (void)flags, CUDA_SUCCESS; }

// What the toolkit's own header makes of two names, for builds with that one.
HIDDEN CUresult cuDeviceGetUuid_v2(CUuuid *a, CUdevice b) { return cuDeviceGetUuid(a, b); }
HIDDEN CUresult cuEventElapsedTime_v2(float *a, CUevent b, CUevent c) { return cuEventElapsedTime(a, b, c); }

const char *forward_driver(int *failure)
{
	void *library = open_first(driver_names);
	if (!library) return driver_names[0];
#define FUNCTION(NAME, SUFFIX, PARAMETERS, ARGUMENTS) *(void **)&found_##NAME = dlsym(library, NAME_OF(NAME, SUFFIX));
#include "functions.h"
#undef FUNCTION
#undef DRIVER_FUNCTIONS
	*(void **)&start = dlsym(library, "cuInit");
	driver_absent = CUDA_ERROR_NOT_FOUND;
	*failure = start ? start(0) : driver_absent;
	return NULL;
}

#define COMPILER_FUNCTIONS
#define FUNCTION(NAME, SUFFIX, PARAMETERS, ARGUMENTS) \
	static nvrtcResult(*found_##NAME) PARAMETERS;     \
	HIDDEN nvrtcResult NAME PARAMETERS { return found_##NAME ? found_##NAME ARGUMENTS : NVRTC_ERROR_INTERNAL_ERROR; }
#include "functions.h"
#undef FUNCTION

const char *forward_compiler(void)
{
	void *library = open_first(compiler_names);
	if (!library) return compiler_names[0];
#define FUNCTION(NAME, SUFFIX, PARAMETERS, ARGUMENTS) *(void **)&found_##NAME = dlsym(library, NAME_OF(NAME, SUFFIX));
#include "functions.h"
#undef FUNCTION
	return NULL;
}
