// A hash of the state (added to found[0]) that does not depend on the order of
// cells: that of solver.Rank, of the same records. Starts are the global numbers of
// the first cells of the tiles' rows, 16 a tile.

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014) after an odd
// step.
DEVICE unsigned long long mix(unsigned long long h)
{
	h += 0x9e3779b97f4a7c15ull;
	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 27) * 0x94d049bb133111ebull;
	return h ^ h >> 31;
}

KERNEL(hash)(Memory memory, Observed observed, Walls walls, unsigned long long *found, const unsigned long long *starts)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	unsigned long long sum = 0;
	for (unsigned number = view.begin(); number < view.end(); number++) {
		const unsigned tile = view.tile(number);
		view.read(tile, true);
		for (int h = 0; h < 2; h++) {
			const int cell = view.cell(h);
			if (!view.is_fluid(tile, cell)) continue;
			const unsigned long long before = observed.fluid[tile] & 0x0001000100010001ull << (cell & 15) & ((1ull << cell) - 1);
			unsigned long long hash = mix(starts[16 * number + (cell & 15)] + count_bits(before) + 1);
			for (int k = 0; k <= REST; k++) hash = mix(hash ^ bits_of(view.slots[view.recorded(cell, k)]));
			sum += hash;
		}
	}
	sum = warp_sum(sum);
	if (!view.lane) atomic_add(found, sum);
}
