// Ranks whose memory is reached directly synchronize after the step of their
// borders: each sets its flags in its neighbours' memory when its border is done,
// which is when what it has left there is complete and what they have left here
// has been read, and goes on when all of them have set theirs. A rank that waits
// in vain for long, because another one failed, gives up. One thread per neighbour.
extern "C" __global__ void handshake(unsigned *const *remote_flags, const volatile unsigned *own_flags, unsigned neighbours, unsigned step)
{
	if (threadIdx.x >= neighbours || !remote_flags[threadIdx.x]) return; // or it is told by messages
	__threadfence_system();
	*(volatile unsigned *)remote_flags[threadIdx.x] = step;
	for (unsigned polls = 0; (int)(own_flags[threadIdx.x] - step) < 0; polls++)
		if (polls > 1u << 28) __trap();
	__threadfence_system();
}
