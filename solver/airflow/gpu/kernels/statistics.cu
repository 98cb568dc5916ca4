// Adds fields, which are a share of the samples, to the means of a cell's numbers, and the
// products of deviations from the means to theirs (Welford 1962), as processors do: to the
// last bit, since products are not fused with sums.
struct alignas(16) Cell {
	float values[4]; // pressure and velocity
};

KERNEL(statistics)(const Cell *cells, float *numbers, unsigned long long count, float share)
{
	const unsigned long long at = (unsigned long long)blockIdx.x * (WARPS * 32) + threadIdx.x;
	if (at >= count) return;
	const Cell now = cells[at];
	// All are read before the first is written: the compiler does not know that they lie
	// apart.
	float number[11], before[4], after[4];
#pragma unroll
	for (int k = 0; k < 11; k++) number[k] = numbers[at + k * count];
#pragma unroll
	for (int k = 0; k < 4; k++) {
		before[k] = now.values[k] - number[k];
		number[k] += product(before[k], share);
		after[k] = now.values[k] - number[k];
	}
	// The square of the pressure, and the velocity's products in VTK's order of a
	// symmetric tensor.
	constexpr int pairs[7][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {1, 2}, {2, 3}, {1, 3}};
#pragma unroll
	for (int k = 0; k < 7; k++)
		number[4 + k] += product(product(before[pairs[k][0]], after[pairs[k][1]]) - number[4 + k], share);
#pragma unroll
	for (int k = 0; k < 11; k++) numbers[at + k * count] = number[k];
}
