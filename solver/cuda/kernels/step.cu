// One time step of all tiles, in place (the A-A pattern of Bailey et al. 2009).
KERNEL(step)(Memory memory, const int *__restrict__ rows, const unsigned short *__restrict__ table,
             const unsigned long long *__restrict__ exits, unsigned first, unsigned tiles, unsigned per_warp, Walls all_walls, Rates rate)
{
	SHARED_BYTES(shared);
	const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const int y = lane >> 2 & 3, z = lane & 3;
	char *const images = shared + warp * (STAGES * STAGE);
	unsigned places[5];
	read_places(places, table, lane);
	const Tiles storage(memory, lane);

	unsigned tile = first + blockIdx.x * WARPS * per_warp + warp, ahead = tile;
	unsigned last = first + (blockIdx.x + 1) * WARPS * per_warp;
	last = last < first + tiles ? last : first + tiles;

	Neighbours neighbours[STAGES], next;
	Span spans[STAGES], next_span;
	// request starts the copies of tile `ahead`, whose neighbours are known, and
	// asks for those of the tile after it.
	auto request = [&](int stage, bool fetched) {
		if (ahead < last) {
			if (!fetched) {
				fetch_neighbours(next, rows, exits, ahead, lane);
				if (WALLS) next_span = all_walls.spans[ahead];
			}
			neighbours[stage] = next;
			storage.load(images + stage * STAGE, ahead, next, places);
			if (WALLS) {
				spans[stage] = next_span;
				stage_walls(images + stage * STAGE, next_span, all_walls, lane);
			}
		}
		commit_copies();
		ahead += WARPS;
		if (ahead < last) {
			fetch_neighbours(next, rows, exits, ahead, lane);
			if (WALLS) next_span = all_walls.spans[ahead];
		}
	};
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++) request(s, s > 0);

#pragma unroll 1
	while (tile < last) {
#pragma unroll
		for (int s = 0; s < STAGES; s++) {
			if (tile >= last) break;
			request((s + STAGES - 1) % STAGES, STAGES > 1 || ahead != first + blockIdx.x * WARPS * per_warp + warp);
			char *const image = images + s * STAGE;
			slot_t *const slots = (slot_t *)image;
			wait_for_copies<STAGES - 1>();
			sync_warp();
			if (WALLS && spans[s].cells) {
				const TileWalls walls(all_walls, spans[s], image);
				if (spans[s].meets_openings()) {
					walls.arrive(lane, true);
					sync_warp();
					walls.observe(lane);
					sync_warp();
				}
				walls.arrive(lane, false);
				sync_warp();
			}
#pragma unroll
			for (int h = 0; h < 2; h++) { // the lane's two cells
				const int x = 2 * (lane >> 4) + h;
				real g[19];
#pragma unroll
				for (int q = 0; q < 18; q++) g[q] = widen(slots[access(x, y, z, q ^ 1)]);
				g[18] = widen(slots[access(x, y, z, 18)]);
				collide(g, rate);
#pragma unroll
				for (int q = 0; q < 19; q++) slots[access(x, y, z, q)] = narrow(g[q]);
			}
			sync_warp();
			if (WALLS && spans[s].cells) {
				TileWalls(all_walls, spans[s], image).leave(lane);
				sync_warp();
			}
			storage.store(image, tile, neighbours[s], places);
			sync_warp();
			tile += WARPS;
		}
	}
}
