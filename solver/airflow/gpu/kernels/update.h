// update collides and streams the lane's two cells of a tile.
DEVICE void update(slot_t *slots, unsigned lane, const Rates &rate)
{
#pragma unroll
	for (int h = 0; h < 2; h++) {
		real g[REST + 1];
#pragma unroll
		for (int q = 0; q < DIRECTIONS; q++) g[q] = widen(lane_slot(slots, lane, h, q ^ 1));
		g[REST] = widen(lane_slot(slots, lane, h, REST));
		collide(g, rate);
#if SINGLES
		// Or else registers would keep where 27 populations lie.
		const unsigned same = opaque(lane);
#else
		const unsigned same = lane;
#endif
#pragma unroll
		for (int q = 0; q <= REST; q++) lane_slot(slots, same, h, q) = narrow(g[q]);
	}
}
