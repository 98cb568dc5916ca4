// Records of all cells of the tiles, as stored: copied from where they lie before
// an even step, or with MODE 1 to there.
KERNEL(records)(Memory memory, Observed observed, Walls walls, slot_t *records)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	constexpr int values = REST + 1;
	for (unsigned number = view.begin(); number < view.end(); number++) {
		const unsigned tile = view.tile(number);
		slot_t *const of_tile = records + (size_t)number * 64 * values;
#if MODE == 1
		sync_warp();
#else
		view.read(tile, true);
#endif
		for (int h = 0; h < 2; h++) {
			const int cell = view.cell(h);
			for (int k = 0; k < values; k++) {
				slot_t &record = of_tile[cell * values + k], &slot = view.slots[view.recorded(cell, k)];
#if MODE == 1
				slot = record;
#else
				record = slot;
#endif
			}
		}
#if MODE == 1
		sync_warp();
		Neighbours neighbours;
		fetch_neighbours(neighbours, observed.rows, nullptr, tile, view.lane);
		Tiles(memory, view.lane, observed.slot_table).restore(view.image, tile, neighbours, view.offsets);
		const WallRange range = view.range(tile);
		for (int i = view.lane; i < range.links; i += 32) {
			const unsigned l = walls.links[range.first_link + i];
			walls.returning[range.first_link + i] = of_tile[(l >> 5 & 63) * values + 1 + ((l & 31) ^ 1)];
		}
#endif
	}
}
