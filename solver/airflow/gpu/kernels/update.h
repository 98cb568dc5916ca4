#if BITS == 16
// Dither is what package collision says is added to what leaves a cell, before it is
// cut to 16 bits: for one population of two that are opposite, and for the other one.
struct Dither {
	unsigned usual, opposite;

	// Of the populations that arrive these are the seeds; directions begin with 0 here.
	DEVICE Dither(const real *g) : usual((unsigned)(bits_of(g[REST]) + bits_of(g[0]) + bits_of(g[3])) * 0x61c88647u >> 19), opposite(usual ^ 8191) {}
	// keep leaves what is not a number as it is: its last bit may be that of 32.
	DEVICE void keep(real rest)
	{
		if (rest != rest) usual = opposite = 0;
	}
	DEVICE slot_t leaving(const real *g, int q) const { return cut(g[q], q < REST && q % 2 == 0 ? opposite : usual); }
};
#else
struct Dither {
	DEVICE Dither(const real *) {}
	DEVICE void keep(real) {}
	DEVICE slot_t leaving(const real *g, int q) const { return narrow(g[q]); }
};
#endif

// update collides and streams the lane's two cells of a tile.
DEVICE void update(slot_t *slots, unsigned lane, const Rates &rate)
{
#pragma unroll
	for (int h = 0; h < 2; h++) {
		real g[REST + 1];
#pragma unroll
		for (int q = 0; q < DIRECTIONS; q++) g[q] = widen(lane_slot(slots, lane, h, q ^ 1));
		g[REST] = widen(lane_slot(slots, lane, h, REST));
		Dither dither(g);
		collide(g, rate);
		dither.keep(g[REST]);
#if SINGLES
		// Or else registers would keep where 27 populations lie.
		const unsigned same = opaque(lane);
#else
		const unsigned same = lane;
#endif
#pragma unroll
		for (int q = 0; q <= REST; q++) lane_slot(slots, same, h, q) = dither.leaving(g, q);
	}
}
