// Sums over the openings, in fixed point: integers, so that the order of
// adding does not matter. For every opening, what has left through it in the
// last step and the weights times the density. A thread adds RUN cells in a row,
// which mostly belong to one opening.
#define RUN 4
KERNEL(outflow)(Walls walls, unsigned count, unsigned long long *sums)
{
	const unsigned from = (blockIdx.x * WARPS * 32 + threadIdx.x) * RUN, to = from + RUN < count ? from + RUN : count;
	unsigned opening = 0;
	long long flow = 0, pressure = 0;
	auto add = [&] {
		if (flow) atomic_add(sums + 2 * opening, flow);
		if (pressure) atomic_add(sums + 2 * opening + 1, pressure);
	};
	for (unsigned i = from; i < to; i++) {
		const OpeningCell cell = walls.opening_cells[i];
		for (int k = cell.first_link; k < cell.first_link + cell.links; k++) {
			const OpeningLink &l = walls.opening_links[k];
			if (l.opening() != opening) {
				add();
				opening = l.opening();
				flow = pressure = 0;
			}
			flow += to_fixed(walls.outflow[k]);
			pressure += to_fixed((double)walls.samples[i].density * l.weight);
		}
	}
	add();
}
