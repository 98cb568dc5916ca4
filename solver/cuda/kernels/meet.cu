// Devices meet after every step: each tells all others that it has done the
// step, in their memory, and goes on when all have told it. A device that
// waits in vain for long, because another one failed, gives up.
struct Flags {
	unsigned *of[DEVICES];
	unsigned own, unused;
};

extern "C" __global__ void meet(Flags flags, unsigned step)
{
	if (threadIdx.x >= DEVICES) return;
	__threadfence_system();
	*(volatile unsigned *)(flags.of[threadIdx.x] + flags.own) = step;
	const volatile unsigned *const other = flags.of[flags.own] + threadIdx.x;
	for (unsigned polls = 0; (int)(*other - step) < 0; polls++)
		if (polls > 1u << 28) __trap();
	__threadfence_system();
}
