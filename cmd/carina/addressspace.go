//go:build linux && cgo

package main

/*
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

// What Go's runtime reserves at its start, with room for its threads and a small
// surface, in MB.
enum { least = 1500 };

// Where the address space is limited to less, Go's runtime ends with a dump, at its
// start or later: no code in Go can foresee it. This comes before.
__attribute__((constructor)) static void carina_check_address_space(void) {
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return;
	if (limit.rlim_cur / 1000000 < least) {
		char words[256];
		int n = snprintf(words, sizeof words, "carina: the address space is limited to %llu MB of memory, and the program needs %d MB at least: raise the limit, for instance with ulimit -v unlimited\n",
			(unsigned long long)(limit.rlim_cur / 1000000), least);
		if (write(2, words, n) < 0)
			_exit(1);
		_exit(1);
	}
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1); // each thread would reserve 64 MB
#endif
}
*/
import "C"

// limitsAddressSpace tells that a limit is looked at before Go begins.
const limitsAddressSpace = true
