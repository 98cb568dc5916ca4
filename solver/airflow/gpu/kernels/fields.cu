// Pressure and velocity of all cells of the tiles. With MODE 1 they enter the
// mean over so many observations.
struct Cell {
	float pressure, x, y, z;
};
struct Units {
	real pressure, velocity;
};

DEVICE float mean(float before, real now, float observations) { return before + (float(now) - before) / observations; }

KERNEL(fields)(Memory memory, Observed observed, Walls walls, Rates rate, Cell *cells, Units units, unsigned observations)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	for (unsigned number = view.begin(); number < view.end(); number++) {
		view.read(view.tile(number), false);
		for (int h = 0; h < 2; h++) {
			const int cell = view.cell(h);
			const Moments m = view.moments(cell, rate);
			Cell &to = cells[(size_t)number * 64 + cell];
#if MODE == 1
			const Cell old = to;
			const Cell c = {mean(old.pressure, m.density * units.pressure, observations), mean(old.x, m.x * units.velocity, observations),
			                mean(old.y, m.y * units.velocity, observations), mean(old.z, m.z * units.velocity, observations)};
#else
			const Cell c = {float(m.density * units.pressure), float(m.x * units.velocity), float(m.y * units.velocity), float(m.z * units.velocity)};
#endif
			to = c;
		}
	}
}
