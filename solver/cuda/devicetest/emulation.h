// A warp of a CUDA device on a processor, for tests: its lanes are fibres
// that run one after another from one synchronization to the next, and
// asynchronous copies arrive as late as they may. Every program is compiled for
// the tests, mostly the headers: the functions of C are used as built in.
#include <string.h>
#ifndef __x86_64__
#include <setjmp.h>
#include <ucontext.h>
#endif

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

// A fibre is a stack and where it goes on. swap goes on with another one, and saves where
// this one is.
#ifdef __x86_64__
struct Fibre {
	void *top;

	void begin(char *stack, void (*live)())
	{
		void **const end = (void **)(stack + STACK);
		end[-2] = (void *)live; // above it what swap takes back
		top = end - 8;
	}
};
extern "C" void emulation_swap(void **from, void *to);
// What a function must leave as it is, is saved.
asm(".text\n"
    ".local emulation_swap\n"
    "emulation_swap:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\n"
    "ret\n");
static void swap(Fibre &from, Fibre &to) { emulation_swap(&from.top, to.top); }
#else
struct Fibre {
	ucontext_t start;
	jmp_buf at;
	bool fresh;

	void begin(char *stack, void (*live)())
	{
		getcontext(&start);
		start.uc_stack.ss_sp = stack;
		start.uc_stack.ss_size = STACK;
		makecontext(&start, live, 0);
		fresh = true;
	}
};
// Jumps, unlike swapcontext, call nothing of the system.
__attribute__((noinline)) static void swap(Fibre &from, Fibre &to)
{
	if (_setjmp(from.at)) return;
	if (!to.fresh) _longjmp(to.at, 1);
	to.fresh = false;
	setcontext(&to.start);
}
#endif
static Fibre scheduler, fibre[LANES];
static bool done[LANES];
static unsigned lane, warp, turn[LANES];
static void (*body)();

// pause goes on with the next lane, or with the scheduler if all are done.
static void pause()
{
	Fibre &from = fibre[lane];
	for (unsigned k = 0; k < LANES; k++) {
		lane = (lane + 7) % LANES; // lanes have no order
		if (done[lane]) continue;
		threadIdx.x = LANES * warp + lane;
		if (&from != &fibre[lane]) swap(from, fibre[lane]);
		return;
	}
	swap(from, scheduler);
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
	for (unsigned l = 0; l < LANES; l++) fibre[l].begin(stacks + l * STACK, live);
}

// run_warp runs the 32 lanes from number warp·32 of a block.
static void run_warp(unsigned number, void (*kernel)())
{
	body = kernel;
	warp = number;
	for (unsigned l = 0; l < LANES; l++) {
		done[l] = false;
		copies[l].count = copies[l].groups = turn[l] = 0;
	}
	lane = 3;
	threadIdx.x = LANES * warp + lane;
	swap(scheduler, fibre[lane]);
}

// shared are what all lanes give to one of them, by lane: once in a turn, of which the
// next one gives to the other place.
template <class T> static T *shared(T v)
{
	static T values[2][LANES];
	T *const now = values[turn[lane]++ % 2];
	now[lane] = v;
	pause();
	return now;
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
DEVICE unsigned short float_to_half_cut(unsigned b)
{
	float f;
	memcpy(&f, &b, 4);
	unsigned short h = float_to_half(f);
	// The nearest number is the one before, unless it is too far from zero.
	if ((b & 0x7fffffff) < 0x7f800000 && __builtin_fabsf(half_to_float(h)) > __builtin_fabsf(f)) h--;
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
template <class T> DEVICE T from_lane(T v, unsigned lane) { return emulation::shared(v)[lane]; }
DEVICE bool any_of_warp(bool v)
{
	const bool *const values = emulation::shared(v);
	bool any = false;
	for (int l = 0; l < 32; l++) any = any || values[l];
	return any;
}
DEVICE unsigned long long exchange(unsigned long long v, unsigned bit)
{
	const unsigned l = emulation::lane;
	return emulation::shared(v)[l ^ bit];
}
