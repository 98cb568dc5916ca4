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
#if SINGLES
		// Or else registers would keep where 27 populations lie.
		const unsigned same = opaque(lane);
		const int tx = 2 * (same >> 4) + h, ty = same >> 2 & 3, tz = same & 3;
#else
		const int tx = x, ty = y, tz = z;
#endif
#pragma unroll
		for (int q = 0; q <= REST; q++) slots[access(tx, ty, tz, q)] = narrow(g[q]);
	}
}
