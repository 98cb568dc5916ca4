// The interface of CUDA's run-time compiler (NVRTC, versions 12 and 13), as far
// as the program uses it.
#pragma once
#include <stddef.h>
#include <stdlib.h>

typedef enum {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_INVALID_INPUT = 3,
	NVRTC_ERROR_INVALID_OPTION = 5,
	NVRTC_ERROR_COMPILATION = 6,
	NVRTC_ERROR_INTERNAL_ERROR = 11,
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

#define COMPILER_FUNCTIONS
#define FUNCTION(NAME, SUFFIX, PARAMETERS, ARGUMENTS) nvrtcResult NAME PARAMETERS __asm__(#NAME #SUFFIX);
#include "functions.h"
#undef FUNCTION
#undef COMPILER_FUNCTIONS
