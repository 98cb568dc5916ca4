// The largest squared velocity (found[0], its bits) and the first cell where
// the flow has diverged (found[1], its key).
KERNEL(peak)(Memory memory, Observed observed, Walls walls, Rates rate, unsigned long long *found, real limit)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	real largest = 0;
	unsigned long long diverged = ~0ull;
	for (unsigned number = view.begin(); number < view.end(); number++) {
		const unsigned tile = view.tile(number);
		view.read(tile, false);
		for (int h = 0; h < 2; h++) {
			const int cell = view.cell(h);
			if (!view.is_fluid(tile, cell)) continue;
			const Moments m = view.moments(cell, rate);
			const real square = m.x * m.x + m.y * m.y + m.z * m.z;
			if (square < limit) {
				largest = square > largest ? square : largest;
			} else {
				const unsigned long long key = view.key(tile, cell);
				diverged = key < diverged ? key : diverged;
			}
		}
	}
	const unsigned long long bits = warp_max(bits_of(largest)); // numbers ≥ 0 are in the order of their bits
	diverged = ~warp_max(~diverged);
	if (view.lane) return;
	if (bits > *(volatile unsigned long long *)found) atomic_max(found, bits);
	if (~diverged) atomic_min(found + 1, diverged);
}
