// Ranks whose memory is reached directly synchronize after the step of their borders:
// each tells its neighbours in their memory that its border is done, which is
// when what it has left there is complete and what they have left here has been
// read, and goes on when all of them have told it. A rank that waits in vain
// for long, because another one failed, gives up. One thread per neighbour.
extern "C" __global__ void handshake(unsigned *const *there, const volatile unsigned *here, unsigned neighbours, unsigned step)
{
	if (threadIdx.x >= neighbours) return;
	__threadfence_system();
	*(volatile unsigned *)there[threadIdx.x] = step;
	for (unsigned polls = 0; (int)(here[threadIdx.x] - step) < 0; polls++)
		if (polls > 1u << 28) __trap();
	__threadfence_system();
}
