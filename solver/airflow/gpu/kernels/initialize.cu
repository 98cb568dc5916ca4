// The equilibrium of He and Luo (1997) in all cells of the tiles, as it is
// before an even step.
KERNEL(initialize)(Memory memory, Observed observed, Walls walls, const Moments *cells)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	const real rest = DIRECTIONS == 26 ? real(8) / 27 : real(1) / 3; // its weight
	for (unsigned number = view.begin(); number < view.end(); number++) {
		const unsigned tile = view.tile(number);
		const Moments *const tile_cells = cells + (size_t)number * 64;
		auto equilibrium = [&](int cell, int q) {
			const Moments m = tile_cells[cell];
			const real cu = component(ALONG_X, q) * m.x + component(ALONG_Y, q) * m.y + component(ALONG_Z, q) * m.z;
			const real square = m.x * m.x + m.y * m.y + m.z * m.z;
			return narrow(SCALE * weight(q) * (m.density + real(4.5) * cu * cu - real(1.5) * square + 3 * cu));
		};
		sync_warp();
		for (int h = 0; h < 2; h++) {
			const int cell = view.cell(h);
			const Moments m = tile_cells[cell];
			for (int q = 0; q < DIRECTIONS; q++) view.slots[access_cell(cell, q ^ 1)] = equilibrium(cell, q);
			const real square = m.x * m.x + m.y * m.y + m.z * m.z;
			view.slots[access_cell(cell, REST)] = narrow(SCALE * (m.density - real(1.5) * square) * rest);
		}
		view.restore(tile, equilibrium);
	}
}
