// One step: pulls what arrives, computes, and puts what leaves into the other copy.
#define PUT(I, V) into[(size_t)(I) * stride + c] = V
KERNEL(step)(Cells cells, Windows windows, const stored *__restrict__ from, stored *__restrict__ into, unsigned long long stride)
{
	const int c = cells.own();
	if (c < 0) return;
	real f[ARRIVING];
	arrive(f, from, windows, stride, c);
	COMPUTE
}
