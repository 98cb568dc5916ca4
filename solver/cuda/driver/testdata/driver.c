// A driver for tests: its devices are memory of the host, its kernels functions
// below, and its streams do their work at once. It is strict where the real one
// is: a call without a current context, or with a stream of another one, fails.
#include "../cuda.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

struct CUctx_st {
	int device, users;
};
struct CUstream_st {
	CUcontext context;
	int priority;
};
struct CUevent_st {
	int recorded, timed, number;
};
struct CUfunc_st {
	int sums;
};

enum { devices = 2 };
static const size_t memory = 1 << 20;
static struct CUctx_st contexts[devices];
static struct CUfunc_st sum = {1};
static int ticks, reachable;
static __thread CUcontext current;

#define CURRENT if (!current) return CUDA_ERROR_INVALID_CONTEXT
#define OWN(S) if (!current || (S)->context != current) return CUDA_ERROR_INVALID_HANDLE

CUresult cuInit(unsigned flags)
{
	const char *code = getenv("DRIVER_TEST_START");
	return flags ? CUDA_ERROR_INVALID_VALUE : code ? atoi(code) : CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult r, const char **s)
{
	*s = r == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : r == CUDA_ERROR_NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : r == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" : NULL;
	return *s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult r, const char **s)
{
	*s = r == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : r == CUDA_ERROR_NOT_FOUND ? "named symbol not found" : r == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH ? "the versions differ" : NULL;
	return *s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *n) { return *n = devices, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *d, int n) { return *d = n, n < devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDeviceGetName(char *s, int n, CUdevice d) { return snprintf(s, n, "Test %d", d), CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d)
{
	(void)d;
	*v = a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
	return CUDA_SUCCESS;
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice a, CUdevice b) { return *can = a != b, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d)
{
	*c = &contexts[d];
	(*c)->users++;
	(*c)->device = d;
	return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice d) { return contexts[d].users-- > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
CUresult cuCtxSetCurrent(CUcontext c)
{
	// Long enough for Go to give the goroutine to another thread.
	if (getenv("DRIVER_TEST_SLOW")) nanosleep(&(struct timespec){0, 100000}, NULL);
	return current = c, CUDA_SUCCESS;
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CURRENT;
	*least = 0, *greatest = -5;
	return CUDA_SUCCESS;
}
CUresult cuCtxEnablePeerAccess(CUcontext c, unsigned flags)
{
	CURRENT;
	if (c == current || flags) return CUDA_ERROR_INVALID_VALUE;
	return reachable++ ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *free, size_t *total)
{
	CURRENT;
	*free = memory / (current->device + 2), *total = memory;
	return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr *a, size_t n)
{
	CURRENT;
	*a = n > memory ? 0 : (CUdeviceptr)malloc(n);
	return *a ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFree(CUdeviceptr a)
{
	CURRENT;
	free((void *)a);
	return CUDA_SUCCESS;
}
// Ranges of addresses are memory from the beginning on, in pages of units; mapped tells what
// of which place has them.
enum { unit = 64, units = 1024 };
static char range[unit * units];
static int mapped[units], reserved;
CUresult cuMemGetAllocationGranularity(size_t *n, const CUmemAllocationProp *p, CUmemAllocationGranularity_flags f)
{
	return *n = unit, p->type == CU_MEM_ALLOCATION_TYPE_PINNED && f == CU_MEM_ALLOC_GRANULARITY_MINIMUM ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemAddressReserve(CUdeviceptr *a, size_t n, size_t alignment, CUdeviceptr at, unsigned long long flags)
{
	if (reserved || n % unit || alignment || at || flags) return CUDA_ERROR_INVALID_VALUE;
	return *a = (CUdeviceptr)range, reserved = n, CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr a, size_t n)
{
	for (int i = 0; i < units; i++)
		if (mapped[i]) return CUDA_ERROR_INVALID_VALUE;
	if (a != (CUdeviceptr)range || n != (size_t)reserved) return CUDA_ERROR_INVALID_VALUE;
	return reserved = 0, CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle *h, size_t n, const CUmemAllocationProp *p, unsigned long long flags)
{
	CURRENT;
	if (n % unit || flags) return CUDA_ERROR_INVALID_VALUE;
	if (p->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA && n > 100 * unit) return CUDA_ERROR_OUT_OF_MEMORY;
	return *h = p->location.type, CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr a, size_t n, size_t offset, CUmemGenericAllocationHandle h, unsigned long long flags)
{
	const size_t from = a - (CUdeviceptr)range;
	if (from % unit || n % unit || from + n > (size_t)reserved || offset || flags) return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = from / unit; i < (from + n) / unit; i++) mapped[i] = h;
	return CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle h) { return h ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuMemUnmap(CUdeviceptr a, size_t n)
{
	for (size_t i = (a - (CUdeviceptr)range) / unit; n; i++, n -= unit) {
		if (!mapped[i]) return CUDA_ERROR_INVALID_VALUE;
		mapped[i] = 0;
	}
	return CUDA_SUCCESS;
}
CUresult cuMemSetAccess(CUdeviceptr a, size_t n, const CUmemAccessDesc *d, size_t count)
{
	if (a != (CUdeviceptr)range || n != (size_t)reserved || count != 1 || d->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_VALUE;
	// What lies where, for the test.
	for (size_t i = 0; i < n / unit; i++) range[i * unit] = mapped[i];
	return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
	CURRENT;
	*p = malloc(n);
	return flags == CU_MEMHOSTALLOC_PORTABLE && *p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemFreeHost(void *p)
{
	CURRENT;
	free(p);
	return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr a, unsigned char v, size_t n, CUstream s)
{
	OWN(s);
	memset((void *)a, v, n);
	return CUDA_SUCCESS;
}
static CUresult copied(void *to, const void *from, size_t n, CUstream s)
{
	OWN(s);
	memcpy(to, from, n);
	return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t n, CUstream s) { return copied((void *)to, from, n, s); }
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t n, CUstream s) { return copied(to, (void *)from, n, s); }
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) { return copied((void *)to, (void *)from, n, s); }

CUresult cuIpcGetMemHandle(CUipcMemHandle *h, CUdeviceptr a)
{
	CURRENT;
	memset(h, 7, sizeof *h);
	memcpy(h->reserved, &a, sizeof a);
	return CUDA_SUCCESS;
}
CUresult cuIpcOpenMemHandle(CUdeviceptr *a, CUipcMemHandle h, unsigned flags)
{
	CURRENT;
	memcpy(a, h.reserved, sizeof *a);
	return flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS && h.reserved[63] == 7 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr a)
{
	CURRENT;
	return a ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamCreateWithPriority(CUstream *s, unsigned flags, int priority)
{
	CURRENT;
	*s = malloc(sizeof **s);
	(*s)->context = current, (*s)->priority = priority;
	return flags == CU_STREAM_NON_BLOCKING ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamDestroy(CUstream s)
{
	OWN(s);
	free(s);
	return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream s)
{
	OWN(s);
	return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags)
{
	OWN(s);
	return e->recorded && !flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuEventCreate(CUevent *e, unsigned flags)
{
	CURRENT;
	*e = calloc(1, sizeof **e);
	(*e)->timed = flags == CU_EVENT_DEFAULT;
	return flags & ~CU_EVENT_DISABLE_TIMING ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent e)
{
	CURRENT;
	free(e);
	return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent e, CUstream s)
{
	OWN(s);
	e->recorded = 1, e->number = ticks++;
	return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent e)
{
	CURRENT;
	return e->recorded ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuEventElapsedTime(float *ms, CUevent a, CUevent b)
{
	*ms = 1000 * (b->number - a->number);
	return a->timed && b->timed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleLoadData(CUmodule *m, const void *image)
{
	CURRENT;
	*m = (CUmodule)image;
	return memcmp(image, "sm_90\0sum", 9) ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name)
{
	CURRENT;
	(void)m;
	*f = &sum;
	return strcmp(name, "sum") ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

// sum(to, from[3] by value, factor): to[0] = factor (from[0] + from[1] + from[2]),
// to[1] = blocks, to[2] = threads, to[3] = bytes of shared memory, to[4] = the
// stream's priority.
CUresult cuLaunchKernel(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned u, unsigned v, unsigned w, unsigned shared, CUstream s, void **p, void **extra)
{
	OWN(s);
	if (!f->sums || y != 1 || z != 1 || v != 1 || w != 1 || extra) return CUDA_ERROR_INVALID_VALUE;
	int64_t *to = *(int64_t **)p[0], *from = p[1];
	to[0] = *(int32_t *)p[2] * (from[0] + from[1] + from[2]);
	to[1] = x, to[2] = u, to[3] = shared, to[4] = s->priority;
	return CUDA_SUCCESS;
}
