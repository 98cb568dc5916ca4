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
	float *number = numbers + at;
	float before[4], after[4];
#pragma unroll
	for (int k = 0; k < 4; k++, number += count) {
		before[k] = now.values[k] - *number;
		const float mean = *number + product(before[k], share);
		after[k] = now.values[k] - mean;
		*number = mean;
	}
	// The square of the pressure, and the velocity's products in VTK's order of a
	// symmetric tensor.
	constexpr int pairs[7][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {1, 2}, {2, 3}, {1, 3}};
#pragma unroll
	for (int k = 0; k < 7; k++, number += count)
		*number += product(product(before[pairs[k][0]], after[pairs[k][1]]) - *number, share);
}
