// Sums over lines of cells, in whole parts of 1/scale. A block of threads has cells that follow
// each other, of one line where step is 0, else of one more with each cell.
struct Stretch {
	int first, end, line, step;
};
struct Stretches {
	const Stretch *list;
};
#define PUT(I, V) terms[I] = whole(V, scale)
// whole is how many parts of 1/scale, a power of two, are nearest.
DEVICE unsigned long long whole(double v, double scale)
{
	v = v > MOST ? MOST : v < -MOST ? -MOST : v;
	return (unsigned long long)(long long)(v * scale + (v < 0 ? -0.5 : 0.5));
}
KERNEL(lines)(Stretches stretches, Windows windows, const stored *__restrict__ from, unsigned long long stride, unsigned long long *sums, double scale)
{
	const Stretch s = stretches.list[blockIdx.x];
	const int c = s.first / (WARPS * 32) * (WARPS * 32) + (int)threadIdx.x;
	const bool own = c >= s.first && c < s.end;
	unsigned long long terms[TERMS] = {};
	if (own) {
		real f[ARRIVING];
		arrive(f, from, windows, stride, c);
		COMPUTE
	}
	unsigned long long *const at = sums + (size_t)(s.line + (own ? s.step * (c - s.first) : 0)) * TERMS;
	for (int i = 0; i < TERMS; i++) {
		if (s.step == 0)
			atomic_add_of_warp(at + i, terms[i]);
		else if (own)
			atomic_add(at + i, terms[i]);
	}
}
