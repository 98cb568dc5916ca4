// The interface of CUDA's driver (CUDA Driver API, versions 12 and 13), as far as
// the program uses it: so it is compiled without CUDA.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUevent_st *CUevent;
typedef struct CUfunc_st *CUfunction;
typedef struct CUmod_st *CUmodule;
typedef struct CUstream_st *CUstream;

typedef enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_OUT_OF_MEMORY = 2,
	CUDA_ERROR_NO_DEVICE = 100,
	CUDA_ERROR_INVALID_DEVICE = 101,
	CUDA_ERROR_INVALID_IMAGE = 200,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_INVALID_HANDLE = 400,
	CUDA_ERROR_NOT_FOUND = 500,
	CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
	CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
} CUresult;

typedef enum {
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
} CUdevice_attribute;

typedef enum {
	CU_EVENT_DEFAULT = 0,
	CU_EVENT_DISABLE_TIMING = 2,
} CUevent_flags;

typedef enum {
	CU_STREAM_NON_BLOCKING = 1,
} CUstream_flags;

#define CU_MEMHOSTALLOC_PORTABLE 1
#define CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS 1

typedef struct {
	char reserved[64];
} CUipcMemHandle;

CUresult cuInit(unsigned);

#define DRIVER_FUNCTIONS
#define FUNCTION(NAME, SUFFIX, PARAMETERS, ARGUMENTS) CUresult NAME PARAMETERS __asm__(#NAME #SUFFIX);
#include "functions.h"
#undef FUNCTION
#undef DRIVER_FUNCTIONS
