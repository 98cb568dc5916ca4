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
		sync_warp();
		Neighbours neighbours;
		fetch_neighbours(neighbours, observed.rows, nullptr, tile, view.lane);
		Tiles(memory, view.lane, observed.slot_table).restore(view.image, tile, neighbours, view.offsets);
		const WallRange range = view.range(tile);
		for (int i = view.lane; i < range.links; i += 32) {
			const unsigned l = walls.links[range.first_link + i];
			walls.returning[range.first_link + i] = equilibrium(l >> 5 & 63, (l & 31) ^ 1);
		}
	}
}
