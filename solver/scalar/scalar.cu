// The update of a scalar's cells, as scalar.go computes it.
DEVICE float weight(int i) { return i == 0 ? 0.25f : 0.125f; }
KERNEL(scalar)(Cells cells, Windows windows, float *f, unsigned long long stride, const float *ux, const float *uy, const float *uz, float omega, unsigned odd)
{
	const int c = cells.own();
	if (c < 0) return;
	const float u[3] = {ux[c], uy[c], uz[c]};
	float *at[7];
	float arriving[7], sum = 0;
	for (int i = 0; i < 7; i++) {
		const int n = odd && i > 0 ? windows.neighbour(c, i - 1) : -1;
		at[i] = n >= 0 ? f + ((i - 1) ^ 1) * stride + stride + n : f + i * stride + c;
		sum += arriving[i] = *at[i];
	}
	for (int i = 0; i < 7; i++) {
		const float along = i == 0 ? 0 : i % 2 ? u[(i - 1) / 2] : -u[(i - 1) / 2];
		const float equilibrium = product(product(weight(i), sum), 1 + product(4.0f, along));
		*at[i == 0 ? 0 : ((i - 1) ^ 1) + 1] = arriving[i] + product(omega, equilibrium - arriving[i]);
	}
}
