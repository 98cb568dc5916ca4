// One time step of all tiles but those at openings, in place (the A-A pattern of
// Bailey et al. 2009).
KERNEL(step)(Memory memory, const int *__restrict__ rows, const unsigned short *__restrict__ slot_table,
             const unsigned long long *__restrict__ exits, unsigned first, unsigned tiles, unsigned per_warp, Walls all_walls, Rates rate)
{
	SHARED_BYTES(shared);
	const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	char *const images = shared + warp * (STAGES * STAGE + SHIFTS);
	unsigned offsets[10];
	read_offsets(offsets, slot_table, lane);
	const Tiles storage(memory, lane, slot_table);
	const unsigned *const shifts = SHIFTS ? stage_shifts(images + STAGES * STAGE, slot_table, lane) : nullptr;

	unsigned tile = first + blockIdx.x * WARPS * per_warp + warp, ahead = tile;
	unsigned last = first + (blockIdx.x + 1) * WARPS * per_warp;
	last = last < first + tiles ? last : first + tiles;

	Neighbours neighbours[STAGES], next;
	WallRange ranges[STAGES], next_range;
	// request starts the copies of tile `ahead`, whose neighbours are known, and
	// asks for those of the tile after it.
	auto request = [&](int stage, bool fetched) {
		if (ahead < last) {
			if (!fetched) {
				fetch_neighbours(next, rows, exits, ahead, lane);
				if (WALLS) next_range = all_walls.ranges[ahead];
			}
			neighbours[stage] = next;
			if (WALLS) ranges[stage] = next_range;
			if (!WALLS || !next_range.meets_openings()) {
				storage.load(images + stage * STAGE, ahead, next, offsets);
				if (WALLS) stage_walls(images + stage * STAGE, next_range, all_walls, lane);
			}
		}
		commit_copies();
		ahead += WARPS;
		if (ahead < last) {
			fetch_neighbours(next, rows, exits, ahead, lane);
			if (WALLS) next_range = all_walls.ranges[ahead];
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
			if (WALLS && ranges[s].meets_openings()) {
				tile += WARPS;
				continue;
			}
			char *const image = images + s * STAGE;
			slot_t *const slots = (slot_t *)image;
			wait_for_copies<STAGES - 1>();
			sync_warp();
			if (WALLS && ranges[s].cells) {
				TileWalls(all_walls, ranges[s], image, shifts).arrive(lane, false);
				sync_warp();
			}
			update(slots, lane, rate);
			sync_warp();
			if (WALLS && ranges[s].cells) {
				TileWalls(all_walls, ranges[s], image, shifts).leave(lane);
				sync_warp();
			}
			if (QUADRATIC) send_values(all_walls, tile, slots, lane);
			storage.store(image, tile, neighbours[s], offsets);
			sync_warp();
			tile += WARPS;
		}
	}
}
