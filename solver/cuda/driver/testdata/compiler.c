// A run-time compiler for tests: the program that it returns is the architecture
// and the source, as testdata/driver.c loads it. Source that holds the word
// wrong does not compile.
#include "../nvrtc.h"
#include <string.h>

struct _nvrtcProgram {
	char source[64], log[64];
	char image[128];
	size_t size;
};

nvrtcResult nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 4, NVRTC_SUCCESS; }
nvrtcResult nvrtcCreateProgram(nvrtcProgram *p, const char *source, const char *name, int n, const char *const *a, const char *const *b)
{
	*p = calloc(1, sizeof **p);
	strncpy((*p)->source, source, 63);
	return strcmp(name, "sum.cu") || n || a || b ? NVRTC_ERROR_INVALID_INPUT : NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p) { return free(*p), *p = NULL, NVRTC_SUCCESS; }
nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options)
{
	if (n != 2 || strncmp(options[0], "--gpu-architecture=", 19)) return NVRTC_ERROR_INVALID_OPTION;
	if (strstr(p->source, "wrong")) return strcpy(p->log, "sum.cu(1): error: wrong\n"), NVRTC_ERROR_COMPILATION;
	strcpy(p->image, options[0] + 19);
	const size_t begin = strlen(p->image) + 1;
	strcpy(p->image + begin, p->source);
	p->size = begin + strlen(p->source);
	return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *n) { return *n = strlen(p->log) + 1, NVRTC_SUCCESS; }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *to) { return strcpy(to, p->log), NVRTC_SUCCESS; }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *n) { return *n = p->size, NVRTC_SUCCESS; }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *to) { return memcpy(to, p->image, p->size), NVRTC_SUCCESS; }
