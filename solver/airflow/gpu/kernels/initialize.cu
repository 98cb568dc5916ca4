// How a cell starts.
struct Start {
	real density, x, y, z;
	real stress[6]; // second moments out of equilibrium: xx, yy, zz, xy, xz, yz
};

// The equilibrium of He and Luo (1997) and the stress in all cells of the tiles, as
// they are before an even step.
KERNEL(initialize)(Memory memory, Observed observed, Walls walls, const Start *cells)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	const real rest = DIRECTIONS == 26 ? real(8) / 27 : real(1) / 3; // its weight
	for (unsigned number = view.begin(); number < view.end(); number++) {
		const unsigned tile = view.tile(number);
		const Start *const tile_cells = cells + (size_t)number * 64;
		auto equilibrium = [&](int cell, int q) {
			const Start &m = tile_cells[cell];
			const real x = component(ALONG_X, q), y = component(ALONG_Y, q), z = component(ALONG_Z, q);
			const real cu = x * m.x + y * m.y + z * m.z;
			const real stress = x * x * m.stress[0] + y * y * m.stress[1] + z * z * m.stress[2]
				+ 2 * (x * y * m.stress[3] + x * z * m.stress[4] + y * z * m.stress[5]);
			const real square = m.x * m.x + m.y * m.y + m.z * m.z;
			return narrow(SCALE * weight(q) * (m.density + real(4.5) * cu * cu - real(1.5) * square + 3 * cu + real(4.5) * stress));
		};
		sync_warp();
		for (int h = 0; h < 2; h++) {
			const int cell = view.cell(h);
			const Start &m = tile_cells[cell];
			for (int q = 0; q < DIRECTIONS; q++) view.slots[access_cell(cell, q ^ 1)] = equilibrium(cell, q);
			const real square = m.x * m.x + m.y * m.y + m.z * m.z;
			view.slots[access_cell(cell, REST)] = narrow(SCALE * (m.density - real(1.5) * square) * rest);
		}
		view.restore(tile, equilibrium);
	}
}
