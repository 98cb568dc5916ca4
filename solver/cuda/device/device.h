// What the kernels need of a CUDA device. emulation.h offers the same on a
// processor, for tests.
#define KERNEL(NAME) extern "C" __global__ void __launch_bounds__(WARPS * 32, BLOCKS) NAME
#define SHARED_BYTES(NAME) extern __shared__ __align__(128) char NAME[]
#define DEVICE __device__ __forceinline__

DEVICE void sync_warp() { __syncwarp(); }
// apart returns v; the compiler cannot merge it with constants, which addresses
// have room for.
DEVICE int apart(int v)
{
	asm("" : "+r"(v));
	return v;
}
// opaque returns v; the compiler does not know that it does.
DEVICE unsigned opaque(unsigned v)
{
	asm volatile("" : "+r"(v));
	return v;
}

// Asynchronous copies go through the first-level cache (.ca): 16-byte copies
// past it (.cg) fetch a 32-byte sector twice when its halves go to different
// places, which costs a fifth of the speed.
template <int BYTES> DEVICE void copy_async(char *to, const char *from)
{
	const unsigned at = (unsigned)__cvta_generic_to_shared(to);
	if (BYTES == 32) {
		copy_async<16>(to, from);
		copy_async<16>(to + 16, from + 16);
	} else if (BYTES == 16)
		asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
	else if (BYTES == 8)
		asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(from) : "memory");
	else
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
}
DEVICE void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int GROUPS> DEVICE void wait_for_copies() { asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory"); }

template <int BYTES> DEVICE void store_chunk(char *to, const char *from)
{
	if (BYTES == 32) {
		store_chunk<16>(to, from);
		store_chunk<16>(to + 16, from + 16);
	} else if (BYTES == 16)
		*(uint4 *)to = *(const uint4 *)from;
	else
		*(uint2 *)to = *(const uint2 *)from;
}

DEVICE float half_to_float(unsigned short h)
{
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
	return f;
}
DEVICE unsigned short float_to_half(float f)
{
	unsigned short h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
	return h;
}
// float_to_half_cut rounds the number with the bits b towards zero.
DEVICE unsigned short float_to_half_cut(unsigned b)
{
	unsigned short h;
	asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(__uint_as_float(b)));
	return h;
}
DEVICE float reciprocal(float x)
{
	float r;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}
DEVICE double reciprocal(double x) { return 1 / x; }
template <typename T> DEVICE T maximum(T a, T b) { return a > b ? a : b; }
DEVICE float square_root(float x) { return sqrtf(x); }
DEVICE double square_root(double x) { return sqrt(x); }
// to_fixed rounds to multiples of 2⁻⁴⁴, which add up to the same in any order.
DEVICE long long to_fixed(double x) { return __double2ll_rn(x * 17592186044416.0); }
DEVICE unsigned long long bits_of(unsigned short x) { return x; }
DEVICE unsigned long long bits_of(float x) { return __float_as_uint(x); }
DEVICE unsigned long long bits_of(double x) { return __double_as_longlong(x); }
DEVICE int count_bits(unsigned long long x) { return __popcll(x); }
DEVICE void atomic_max(unsigned long long *at, unsigned long long v) { atomicMax(at, v); }
DEVICE void atomic_min(unsigned long long *at, unsigned long long v) { atomicMin(at, v); }
DEVICE void atomic_add(unsigned long long *at, unsigned long long v) { atomicAdd(at, v); }
// from_lane returns what a lane holds.
DEVICE int from_lane(int v, unsigned lane) { return __shfl_sync(~0u, v, lane); }
DEVICE unsigned long long from_lane(unsigned long long v, unsigned lane) { return __shfl_sync(~0u, v, lane); }
// any_of_warp tells whether that is so of any lane.
DEVICE bool any_of_warp(bool v) { return __any_sync(~0u, v); }
// exchange returns what the lane whose number differs in a bit holds.
DEVICE unsigned long long exchange(unsigned long long v, unsigned bit) { return __shfl_xor_sync(~0u, v, bit); }
