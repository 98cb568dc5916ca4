// update collides and streams the lane's two cells of a tile.
DEVICE void update(slot_t *slots, unsigned lane, const Rates &rate)
{
	const int y = lane >> 2 & 3, z = lane & 3;
#pragma unroll
	for (int h = 0; h < 2; h++) {
		const int x = 2 * (lane >> 4) + h;
		real g[REST + 1];
#pragma unroll
		for (int q = 0; q < DIRECTIONS; q++) g[q] = widen(slots[access(x, y, z, q ^ 1)]);
		g[REST] = widen(slots[access(x, y, z, REST)]);
		collide(g, rate);
#pragma unroll
		for (int q = 0; q <= REST; q++) slots[access(x, y, z, q)] = narrow(g[q]);
	}
}
