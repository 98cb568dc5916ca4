// The flow that leaves through every opening, in fixed point: integers, so
// that the order of adding does not matter. A thread adds RUN links in a row,
// which mostly belong to one opening.
#define RUN 128
KERNEL(outflow)(const OpeningLink *__restrict__ links, const float *__restrict__ leaving, unsigned count, unsigned long long *sums)
{
	const unsigned from = (blockIdx.x * WARPS * 32 + threadIdx.x) * RUN, to = from + RUN < count ? from + RUN : count;
	unsigned opening = 0;
	long long sum = 0;
	for (unsigned i = from; i < to; i++) {
		if (links[i].opening != opening) {
			if (sum) atomic_add(sums + opening, sum);
			opening = links[i].opening;
			sum = 0;
		}
		sum += to_fixed(leaving[i]);
	}
	if (sum) atomic_add(sums + opening, sum);
}
