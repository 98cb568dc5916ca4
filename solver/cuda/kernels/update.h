// update collides and streams the lane's two cells of a tile.
DEVICE void update(slot_t *slots, unsigned lane, const Rates &rate)
{
#pragma unroll
	for (int h = 0; h < 2; h++) {
		real g[REST + 1];
		unsigned at = lane; // a cell's place among those of all lanes
		const auto here = [&](int q) { return access(2 * (at >> 4) + h, at >> 2 & 3, at & 3, q); };
#pragma unroll
		for (int q = 0; q < DIRECTIONS; q++) g[q] = widen(slots[here(q ^ 1)]);
		g[REST] = widen(slots[here(REST)]);
		collide(g, rate);
#if SINGLES
		at = opaque(at); // or else registers would keep where 27 populations lie
#endif
#pragma unroll
		for (int q = 0; q <= REST; q++) slots[here(q)] = narrow(g[q]);
	}
}
