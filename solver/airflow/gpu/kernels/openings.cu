// One time step of the tiles at openings, a warp each. They are few, and what
// openings need would take registers from all others.
KERNEL(openings)(Memory memory, const int *__restrict__ rows, const unsigned short *__restrict__ slot_table,
                 const unsigned long long *__restrict__ exits, const OpeningTile *__restrict__ list, unsigned tiles, Walls all_walls, Rates rate)
{
	SHARED_BYTES(shared);
	const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, number = blockIdx.x * WARPS + warp;
	if (number >= tiles) return;
	const OpeningTile open = list[number];
	const unsigned tile = open.tile;
	char *const image = shared + warp * (STAGE + SHIFTS);
	unsigned offsets[10];
	read_offsets(offsets, slot_table, lane);
	const Tiles storage(memory, lane, slot_table);
	const unsigned *const shifts = SHIFTS ? stage_shifts(image + STAGE, slot_table, lane) : nullptr;
	Neighbours neighbours;
	fetch_neighbours(neighbours, rows, exits, tile, lane);
	const WallRange range = all_walls.ranges[tile];
	storage.load(image, tile, neighbours, offsets);
	stage_walls(image, range, all_walls, lane);
	commit_copies();
	wait_for_copies<0>();
	sync_warp();
	const TileWalls walls(all_walls, range, image, shifts);
	walls.arrive(lane, true);
	sync_warp();
	walls.observe(lane);
	sync_warp();
	walls.arrive(lane, false, true);
	sync_warp();
	if (QUADRATIC) walls.forget_last(lane), sync_warp();
	update((slot_t *)image, lane, rate);
	sync_warp();
	walls.leave(lane);
	sync_warp();
	walls.impose(lane, open);
	sync_warp();
	if (QUADRATIC) send_values(all_walls, tile, (slot_t *)image, lane);
	storage.store(image, tile, neighbours, offsets);
}
