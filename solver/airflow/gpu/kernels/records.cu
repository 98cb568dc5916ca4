// Records of all cells of the tiles, as stored: copied from where they lie before
// the next step, or with MODE 1 to there.
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
		view.restore(tile, [=](int cell, int q) { return of_tile[cell * values + 1 + q]; });
#endif
	}
}
