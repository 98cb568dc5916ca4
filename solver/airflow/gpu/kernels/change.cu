// How much the velocity of some cells of every tile has changed since the last
// observation: Σ(u−u₀)² is added to found[0] and Σu² to found[1], in fixed point,
// of velocities that are multiplied by scale.
struct Velocity {
	real x, y, z;
};

KERNEL(change)(Memory memory, Observed observed, Walls walls, Rates rate, unsigned long long *found,
               const unsigned long long *sampled, const unsigned *starts, Velocity *before, real scale)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	unsigned long long change = 0, square = 0;
	for (unsigned number = view.begin(); number < view.end(); number++) {
		const unsigned tile = view.tile(number);
		const unsigned long long mask = sampled[tile];
		if (!mask) continue;
		view.read(tile, false);
		for (int h = 0; h < 2; h++) {
			const int cell = view.cell(h);
			if (!(mask >> cell & 1)) continue;
			const Moments m = view.moments(cell, rate);
			Velocity &old = before[starts[tile] + count_bits(mask & ((1ull << cell) - 1))];
			const real x = scale * (m.x - old.x), y = scale * (m.y - old.y), z = scale * (m.z - old.z);
			const real u = scale * m.x, v = scale * m.y, w = scale * m.z;
			change += to_fixed(x * x) + to_fixed(y * y) + to_fixed(z * z);
			square += to_fixed(u * u) + to_fixed(v * v) + to_fixed(w * w);
			old.x = m.x, old.y = m.y, old.z = m.z;
		}
	}
	change = warp_sum(change), square = warp_sum(square);
	if (view.lane) return;
	atomic_add(found, change);
	atomic_add(found + 1, square);
}
