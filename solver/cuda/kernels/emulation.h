// A warp of a CUDA device on a processor, for tests: its lanes are fibres
// that run one after another from one synchronization to the next, and
// asynchronous copies arrive as late as they may.
#include <ucontext.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

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
typedef std::vector<std::function<void()>> Copies;
static ucontext_t scheduler, fibre[32];
static bool done[32];
static unsigned lane, warp;
static std::vector<Copies> committed[32];
static Copies open[32];
static std::function<void()> body;

static void enter()
{
	body();
	done[lane] = true;
	swapcontext(&fibre[lane], &scheduler);
}

// run_warp runs the 32 lanes from number warp·32 of a block.
static void run_warp(unsigned number, std::function<void()> kernel)
{
	const size_t stack = 1 << 16;
	static char *stacks = (char *)malloc(32 * stack);
	body = kernel;
	warp = number;
	for (unsigned l = 0; l < 32; l++) {
		done[l] = false;
		committed[l].clear();
		open[l].clear();
		getcontext(&fibre[l]);
		fibre[l].uc_stack.ss_sp = stacks + l * stack;
		fibre[l].uc_stack.ss_size = stack;
		fibre[l].uc_link = nullptr;
		makecontext(&fibre[l], enter, 0);
	}
	for (bool any = true; any;) {
		any = false;
		for (unsigned k = 0; k < 32; k++) {
			const unsigned l = (7 * k + 3) % 32; // lanes have no order
			if (done[l]) continue;
			any = true;
			lane = l;
			threadIdx.x = 32 * warp + l;
			swapcontext(&scheduler, &fibre[l]);
		}
	}
}
} // namespace emulation

DEVICE void sync_warp()
{
	const unsigned l = emulation::lane;
	swapcontext(&emulation::fibre[l], &emulation::scheduler);
}
template <int BYTES> DEVICE void copy_async(char *to, const char *from)
{
	memset(to, 0x7b, BYTES);
	emulation::open[emulation::lane].push_back([=] { memcpy(to, from, BYTES); });
}
DEVICE void commit_copies()
{
	emulation::committed[emulation::lane].push_back(emulation::open[emulation::lane]);
	emulation::open[emulation::lane].clear();
}
template <int GROUPS> DEVICE void wait_for_copies()
{
	auto &groups = emulation::committed[emulation::lane];
	while ((int)groups.size() > GROUPS) {
		for (auto &copy : groups[0]) copy();
		groups.erase(groups.begin());
	}
}
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
DEVICE float square_root(float x) { return sqrtf(x); }
DEVICE double square_root(double x) { return sqrt(x); }
DEVICE long long to_fixed(double x) { return (long long)nearbyint(x * 17592186044416.0); }
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
DEVICE unsigned opaque(unsigned v) { return v; }
template <class T> DEVICE T from_lane(T v, unsigned lane)
{
	static T held[32];
	held[emulation::lane] = v;
	sync_warp();
	v = held[lane];
	sync_warp();
	return v;
}
DEVICE unsigned long long exchange(unsigned long long v, unsigned bit)
{
	static unsigned long long held[32];
	const unsigned l = emulation::lane;
	held[l] = v;
	sync_warp();
	v = held[l ^ bit];
	sync_warp();
	return v;
}
