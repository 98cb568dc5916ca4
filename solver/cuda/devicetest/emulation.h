// A warp of a CUDA device on a processor, for tests: its lanes are fibres
// that run one after another from one synchronization to the next, and
// asynchronous copies arrive as late as they may. Every program is compiled for
// the tests, mostly the headers: the functions of C are used as built in.
#include <setjmp.h>
#include <string.h>
#include <ucontext.h>

struct Index {
	unsigned x;
};
static Index threadIdx, blockIdx;
static char *emulated_shared;
#define KERNEL(NAME) static void NAME
#define SHARED_BYTES(NAME) char *const NAME = emulated_shared
#define DEVICE inline
#define __restrict__

namespace emulation {
enum { LANES = 32, STACK = 1 << 16, MOST_COPIES = 256, MOST_GROUPS = 8 };

// Copies are a lane's asynchronous copies that have not arrived, in order; the
// group number g ends before end[g].
struct Copies {
	struct {
		char *to;
		const char *from;
		int bytes;
	} list[MOST_COPIES];
	int count, groups, end[MOST_GROUPS];

	void add(char *to, const char *from, int bytes)
	{
		if (count == MOST_COPIES) __builtin_trap();
		list[count++] = {to, from, bytes};
	}
	void commit()
	{
		if (groups == MOST_GROUPS) __builtin_trap();
		end[groups++] = count;
	}
	// arrive ends the oldest groups, all but some.
	void arrive(int but)
	{
		if (groups <= but) return;
		const int gone = groups - but, n = end[gone - 1];
		for (int i = 0; i < n; i++) memcpy(list[i].to, list[i].from, list[i].bytes);
		memmove(list, list + n, (count - n) * sizeof list[0]);
		memmove(end, end + gone, but * sizeof end[0]);
		count -= n;
		groups = but;
		for (int g = 0; g < but; g++) end[g] -= n;
	}
};
static Copies copies[LANES];

// Every lane's fibre is begun by a context of its own and goes on by longjmp,
// which unlike swapcontext calls nothing of the system.
static jmp_buf scheduler, fibre[LANES];
static ucontext_t start[LANES];
static bool begun[LANES], done[LANES];
static unsigned lane;
static void (*body)();

__attribute__((noinline)) static void pause()
{
	if (!_setjmp(fibre[lane])) _longjmp(scheduler, 1);
}
__attribute__((noinline)) static void resume()
{
	if (_setjmp(scheduler)) return;
	if (begun[lane]) _longjmp(fibre[lane], 1);
	begun[lane] = true;
	setcontext(&start[lane]);
}
static void live()
{
	for (;;) {
		body();
		done[lane] = true;
		pause();
	}
}
static void prepare()
{
	char *const stacks = (char *)__builtin_malloc(LANES * STACK);
	for (unsigned l = 0; l < LANES; l++) {
		getcontext(&start[l]);
		start[l].uc_stack.ss_sp = stacks + l * STACK;
		start[l].uc_stack.ss_size = STACK;
		makecontext(&start[l], live, 0);
	}
}

// run_warp runs the 32 lanes from number warp·32 of a block.
static void run_warp(unsigned warp, void (*kernel)())
{
	body = kernel;
	for (unsigned l = 0; l < LANES; l++) {
		done[l] = false;
		copies[l].count = copies[l].groups = 0;
	}
	for (bool any = true; any;) {
		any = false;
		for (unsigned k = 0; k < LANES; k++) {
			const unsigned l = (7 * k + 3) % LANES; // lanes have no order
			if (done[l]) continue;
			any = true;
			lane = l;
			threadIdx.x = LANES * warp + l;
			resume();
		}
	}
}
} // namespace emulation

DEVICE void sync_warp() { emulation::pause(); }
template <int BYTES> DEVICE void copy_async(char *to, const char *from)
{
	memset(to, 0x7b, BYTES);
	emulation::copies[emulation::lane].add(to, from, BYTES);
}
DEVICE void commit_copies() { emulation::copies[emulation::lane].commit(); }
template <int GROUPS> DEVICE void wait_for_copies() { emulation::copies[emulation::lane].arrive(GROUPS); }
template <int BYTES> DEVICE void store_chunk(char *to, const char *from) { memcpy(to, from, BYTES); }
DEVICE float half_to_float(unsigned short h)
{
	_Float16 v;
	memcpy(&v, &h, 2);
	return (float)v;
}
DEVICE unsigned short float_to_half(float f)
{
	_Float16 v = (_Float16)f;
	unsigned short h;
	memcpy(&h, &v, 2);
	return h;
}
DEVICE float reciprocal(float x) { return 1 / x; }
DEVICE double reciprocal(double x) { return 1 / x; }
template <typename T> DEVICE T maximum(T a, T b) { return a > b ? a : b; }
DEVICE float square_root(float x) { return __builtin_sqrtf(x); }
DEVICE double square_root(double x) { return __builtin_sqrt(x); }
DEVICE long long to_fixed(double x) { return (long long)__builtin_nearbyint(x * 17592186044416.0); }
template <class T> DEVICE unsigned long long bits_of(T x)
{
	unsigned long long b = 0;
	memcpy(&b, &x, sizeof x);
	return b;
}
DEVICE int count_bits(unsigned long long x) { return __builtin_popcountll(x); }
DEVICE void atomic_max(unsigned long long *at, unsigned long long v) { *at = *at > v ? *at : v; }
DEVICE void atomic_min(unsigned long long *at, unsigned long long v) { *at = *at < v ? *at : v; }
DEVICE void atomic_add(unsigned long long *at, unsigned long long v) { *at += v; }
DEVICE int apart(int v) { return v; }
DEVICE unsigned opaque(unsigned v) { return v; }
template <class T> DEVICE T from_lane(T v, unsigned lane)
{
	static T values[32];
	values[emulation::lane] = v;
	sync_warp();
	v = values[lane];
	sync_warp();
	return v;
}
DEVICE bool any_of_warp(bool v)
{
	static bool values[32];
	values[emulation::lane] = v;
	sync_warp();
	bool any = false;
	for (int l = 0; l < 32; l++) any = any || values[l];
	sync_warp();
	return any;
}
DEVICE unsigned long long exchange(unsigned long long v, unsigned bit)
{
	static unsigned long long values[32];
	const unsigned l = emulation::lane;
	values[l] = v;
	sync_warp();
	v = values[l ^ bit];
	sync_warp();
	return v;
}
