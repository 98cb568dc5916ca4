// Records of all cells of the tiles, as stored: copied from where they lie before
// the next step, or with MODE 1 to there. With MODE 2 the quadratic parts of walls that
// the last step has left for the next one go into what is stored, as if records had been
// copied from there and back.
KERNEL(records)(Memory memory, Observed observed, Walls walls, slot_t *records)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	for (unsigned number = view.begin(); number < view.end(); number++) {
		const unsigned tile = view.tile(number);
#if MODE == 2
		if (!view.range(tile).links) continue;
		view.read(tile, true);
		view.restore(tile, [=](int cell, int q) { return view.slots[view.recorded(cell, 1 + q)]; });
#else
		constexpr int values = REST + 1;
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
#endif
	}
}
