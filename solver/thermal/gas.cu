// One step of a gas: pulls what arrives, relaxes it, and puts it into the other copy.
#define PUT(I, V) into[(size_t)(I) * stride + c] = V
KERNEL(gas)(Cells cells, Windows windows, const stored *__restrict__ from, stored *__restrict__ into, unsigned long long stride)
{
	const int c = cells.own();
	if (c < 0) return;
	real f[POPULATIONS];
	arrive(f, from, windows, stride, c);
	COMPUTE
}
