// Records of all cells of the tiles, as stored: copied from where they lie before
// the next step, or with MODE 1 to there. With MODE 2 the quadratic parts of walls that
// the last step has left for the next one go into what is stored, as if records had been
// copied from there and back. Starts are how many cells come before the tiles' rows, 16 a
// tile; null where records lie tile after tile.
KERNEL(records)(Memory memory, Observed observed, Walls walls, slot_t *records, const unsigned *starts)
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
		const auto record_of = [=](int cell) {
			if (!starts) return records + ((size_t)number * 64 + cell) * values;
			const unsigned long long before = observed.fluid[tile] & 0x0001000100010001ull << (cell & 15) & ((1ull << cell) - 1);
			return records + ((size_t)starts[16 * number + (cell & 15)] + count_bits(before)) * values;
		};
#if MODE == 1
		sync_warp();
#else
		view.read(tile, true);
#endif
		for (int h = 0; h < 2; h++) {
			const int cell = view.cell(h);
			const bool none = starts && !view.is_fluid(tile, cell);
			slot_t *const record = none ? nullptr : record_of(cell);
			for (int k = 0; k < values; k++) {
				slot_t &slot = view.slots[view.recorded(cell, k)];
#if MODE == 1
				slot = none ? slot_t(0) : record[k];
#else
				if (!none) record[k] = slot;
#endif
			}
		}
#if MODE == 1
		view.restore(tile, [=](int cell, int q) { return record_of(cell)[1 + q]; });
#endif
#endif
	}
}
