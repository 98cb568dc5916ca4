// The functions of CUDA's driver and of its run-time compiler that the program
// uses, one a line: FUNCTION(name, suffix, parameters, arguments).
// The suffix tells the version of the interface: the driver exports
// name and suffix as one word. Who includes this file defines FUNCTION.

#ifdef DRIVER_FUNCTIONS
FUNCTION(cuCtxEnablePeerAccess, , (CUcontext a, unsigned b), (a, b))
FUNCTION(cuCtxGetStreamPriorityRange, , (int *a, int *b), (a, b))
FUNCTION(cuCtxSetCurrent, , (CUcontext a), (a))
FUNCTION(cuDeviceCanAccessPeer, , (int *a, CUdevice b, CUdevice c), (a, b, c))
FUNCTION(cuDeviceGet, , (CUdevice *a, int b), (a, b))
FUNCTION(cuDeviceGetAttribute, , (int *a, CUdevice_attribute b, CUdevice c), (a, b, c))
FUNCTION(cuDeviceGetCount, , (int *a), (a))
FUNCTION(cuDeviceGetName, , (char *a, int b, CUdevice c), (a, b, c))
FUNCTION(cuDevicePrimaryCtxRelease, _v2, (CUdevice a), (a))
FUNCTION(cuDevicePrimaryCtxRetain, , (CUcontext *a, CUdevice b), (a, b))
FUNCTION(cuEventCreate, , (CUevent *a, unsigned b), (a, b))
FUNCTION(cuEventDestroy, _v2, (CUevent a), (a))
FUNCTION(cuEventElapsedTime, , (float *a, CUevent b, CUevent c), (a, b, c))
FUNCTION(cuEventRecord, , (CUevent a, CUstream b), (a, b))
FUNCTION(cuEventSynchronize, , (CUevent a), (a))
FUNCTION(cuGetErrorName, , (CUresult a, const char **b), (a, b))
FUNCTION(cuGetErrorString, , (CUresult a, const char **b), (a, b))
FUNCTION(cuIpcCloseMemHandle, , (CUdeviceptr a), (a))
FUNCTION(cuIpcGetMemHandle, , (CUipcMemHandle *a, CUdeviceptr b), (a, b))
FUNCTION(cuIpcOpenMemHandle, _v2, (CUdeviceptr *a, CUipcMemHandle b, unsigned c), (a, b, c))
FUNCTION(cuLaunchKernel, , (CUfunction a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g, unsigned h, CUstream i, void **j, void **k), (a, b, c, d, e, f, g, h, i, j, k))
FUNCTION(cuMemAlloc, _v2, (CUdeviceptr *a, size_t b), (a, b))
FUNCTION(cuMemFree, _v2, (CUdeviceptr a), (a))
FUNCTION(cuMemFreeHost, , (void *a), (a))
FUNCTION(cuMemGetInfo, _v2, (size_t *a, size_t *b), (a, b))
FUNCTION(cuMemHostAlloc, , (void **a, size_t b, unsigned c), (a, b, c))
FUNCTION(cuMemcpyDtoDAsync, _v2, (CUdeviceptr a, CUdeviceptr b, size_t c, CUstream d), (a, b, c, d))
FUNCTION(cuMemcpyDtoHAsync, _v2, (void *a, CUdeviceptr b, size_t c, CUstream d), (a, b, c, d))
FUNCTION(cuMemcpyHtoDAsync, _v2, (CUdeviceptr a, const void *b, size_t c, CUstream d), (a, b, c, d))
FUNCTION(cuMemsetD8Async, , (CUdeviceptr a, unsigned char b, size_t c, CUstream d), (a, b, c, d))
FUNCTION(cuModuleGetFunction, , (CUfunction *a, CUmodule b, const char *c), (a, b, c))
FUNCTION(cuModuleLoadData, , (CUmodule *a, const void *b), (a, b))
FUNCTION(cuStreamCreateWithPriority, , (CUstream *a, unsigned b, int c), (a, b, c))
FUNCTION(cuStreamDestroy, _v2, (CUstream a), (a))
FUNCTION(cuStreamSynchronize, , (CUstream a), (a))
FUNCTION(cuStreamWaitEvent, , (CUstream a, CUevent b, unsigned c), (a, b, c))
#endif

#ifdef COMPILER_FUNCTIONS
FUNCTION(nvrtcCompileProgram, , (nvrtcProgram a, int b, const char *const *c), (a, b, c))
FUNCTION(nvrtcCreateProgram, , (nvrtcProgram *a, const char *b, const char *c, int d, const char *const *e, const char *const *f), (a, b, c, d, e, f))
FUNCTION(nvrtcDestroyProgram, , (nvrtcProgram *a), (a))
FUNCTION(nvrtcGetCUBIN, , (nvrtcProgram a, char *b), (a, b))
FUNCTION(nvrtcGetCUBINSize, , (nvrtcProgram a, size_t *b), (a, b))
FUNCTION(nvrtcGetProgramLog, , (nvrtcProgram a, char *b), (a, b))
FUNCTION(nvrtcGetProgramLogSize, , (nvrtcProgram a, size_t *b), (a, b))
FUNCTION(nvrtcVersion, , (int *a, int *b), (a, b))
#endif
