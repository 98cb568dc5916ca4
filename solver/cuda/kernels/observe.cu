// What is known of the flow before an even step (compile with ODD 0, STAGES 1).
// MODE 0 writes density and momentum of all cells of the tiles, 1 finds the
// largest velocity and the first cell where the flow has diverged, 2 hashes the
// state.
#if MODE == 2
// mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014) after an odd
// step.
DEVICE unsigned long long mix(unsigned long long h)
{
	h += 0x9e3779b97f4a7c15ull;
	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 27) * 0x94d049bb133111ebull;
	return h ^ h >> 31;
}
#endif
struct Findings {
	unsigned long long hash, diverged;
	unsigned peak, unused; // bits of the largest squared velocity
};
struct Position { // of a tile, in tiles
	int x, y, z;
};
struct Cell {
	float density, x, y, z;
};

KERNEL(observe)(Memory memory, const int *__restrict__ rows, const unsigned short *__restrict__ table,
                unsigned first, unsigned tiles, const unsigned long long *__restrict__ fluid,
                const Position *__restrict__ positions, const unsigned *__restrict__ order,
                Cell *cells, Findings *findings, float limit, Walls all_walls, Rates rate)
{
	SHARED_BYTES(shared);
	const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const int y = lane >> 2 & 3, z = lane & 3;
	const unsigned number = blockIdx.x * WARPS + warp;
	if (number >= tiles) return;
	const unsigned tile = order[first + number];
	char *const image = shared + warp * STAGE;
	slot_t *const slots = (slot_t *)image;
	unsigned places[5];
	read_places(places, table, lane);
	Neighbours neighbours;
	fetch_neighbours(neighbours, rows, nullptr, tile, lane);
	Tiles(memory, lane).load(image, tile, neighbours, places);
	Span span = {0, 0, 0, 0};
	if (WALLS) {
		span = all_walls.spans[tile];
		stage_walls(image, span, all_walls, lane);
	}
	commit_copies();
	wait_for_copies<0>();
	sync_warp();
	if (WALLS && span.cells) {
		TileWalls(all_walls, span, image).arrive(lane, MODE == 2);
		sync_warp();
	}
	for (int h = 0; h < 2; h++) {
		const int x = 2 * (lane >> 4) + h, cell = x * 16 + y * 4 + z;
		const bool is_fluid = fluid[tile] >> cell & 1;
#if MODE == 2
		const Position at = positions[tile];
		unsigned long long hash = mix(((unsigned long long)(4 * at.z + z) << 42 | (unsigned long long)(4 * at.y + y) << 21 | (4 * at.x + x)) + 1);
		for (int q = 0; q < 19; q++) hash = mix(hash ^ bits_of(widen(slots[q == 18 ? access(x, y, z, 18) : access(x, y, z, q ^ 1)])));
		if (is_fluid) atomic_add(&findings->hash, hash);
#else
		float density = widen(slots[access(x, y, z, 18)]), ux = 0.5f * rate.force[0], uy = 0.5f * rate.force[1], uz = 0.5f * rate.force[2];
		for (int q = 0; q < 18; q++) {
			const float v = widen(slots[access(x, y, z, q ^ 1)]);
			density += v;
			ux += component(ALONG_X, q) * v;
			uy += component(ALONG_Y, q) * v;
			uz += component(ALONG_Z, q) * v;
		}
		const Cell c = {density * (1 / SCALE), ux * (1 / SCALE), uy * (1 / SCALE), uz * (1 / SCALE)};
#if MODE == 0
		cells[(size_t)number * 64 + cell] = c;
#else
		const float square = c.x * c.x + c.y * c.y + c.z * c.z;
		if (is_fluid) {
			if (square < limit)
				atomic_max(&findings->peak, bits_of(square));
			else
				atomic_min(&findings->diverged, (unsigned long long)(first + number) << 6 | cell);
		}
#endif
#endif
	}
}
