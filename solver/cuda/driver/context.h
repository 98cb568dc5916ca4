// A context belongs to a thread and Go moves calls between threads: every call
// that needs one makes it the current one.
#define IN_CONTEXT                                              \
	{                                                           \
		const CUresult r = cuCtxSetCurrent((CUcontext)context); \
		if (r) return r;                                        \
	}
