// Observes the flow before a step (compile with its ODD, and STAGES 1). A warp
// observes OBSERVED_TILES tiles, one after the other.
struct Position { // of a tile, in tiles
	int x, y, z;
};
struct Observed {
	const int *rows;
	const unsigned short *slot_table;
	const unsigned long long *fluid;
	const Position *positions;
	const unsigned *order; // the tiles to observe, null for all
	unsigned first, tiles; // which of them
};
struct Moments {
	real density, x, y, z;
};

struct View {
	const Memory &memory;
	const Observed &observed;
	const Walls &walls;
	const unsigned lane;
	char *const image;
	slot_t *const slots;
	const unsigned *const shifts;
	unsigned offsets[10];

	DEVICE View(const Memory &memory, const Observed &observed, const Walls &walls, char *shared)
	    : memory(memory), observed(observed), walls(walls), lane(threadIdx.x & 31), image(shared + (threadIdx.x >> 5) * (STAGE + SHIFTS)), slots((slot_t *)image),
	      shifts(SHIFTS ? stage_shifts(image + STAGE, observed.slot_table, lane) : nullptr)
	{
		read_offsets(offsets, observed.slot_table, lane);
	}

	// begin and end are the numbers of the warp's tiles among those observed.
	DEVICE unsigned begin() const { return (blockIdx.x * WARPS + (threadIdx.x >> 5)) * OBSERVED_TILES; }
	DEVICE unsigned end() const { return begin() + OBSERVED_TILES < observed.tiles ? begin() + OBSERVED_TILES : observed.tiles; }
	DEVICE unsigned tile(unsigned number) const { return observed.order ? observed.order[observed.first + number] : observed.first + number; }
	DEVICE WallRange range(unsigned tile) const
	{
		const WallRange none = {0, 0, 0, 0};
		return WALLS ? walls.ranges[tile] : none;
	}

	// read brings what arrives at the cells of a tile into the image; what
	// returns from walls is interpolated unless exact.
	DEVICE void read(unsigned tile, bool exact) const
	{
		sync_warp(); // what was there has been observed
		Neighbours neighbours;
		fetch_neighbours(neighbours, observed.rows, nullptr, tile, lane);
		Tiles(memory, lane, observed.slot_table).load(image, tile, neighbours, offsets);
		const WallRange wall = range(tile);
		if (WALLS) stage_walls(image, wall, walls, lane);
		commit_copies();
		wait_for_copies<0>();
		sync_warp();
		if (WALLS && wall.cells) {
			TileWalls(walls, wall, image, shifts).arrive(lane, exact);
			sync_warp();
		}
	}

	// restore puts the image where it arrives at a tile's cells, and what returns from
	// its walls, by cell and direction.
	template <class Returning> DEVICE void restore(unsigned tile, Returning returning) const
	{
		sync_warp();
		Neighbours neighbours;
		fetch_neighbours(neighbours, observed.rows, nullptr, tile, lane);
		Tiles(memory, lane, observed.slot_table).restore(image, tile, neighbours, offsets);
		const WallRange wall = range(tile);
		for (int i = lane; i < wall.links; i += 32) {
			const unsigned place = place_of(walls.links[wall.first_link + i]);
			walls.returning[wall.first_link + i] = returning(cell_at(place), direction_at(place) ^ 1);
		}
	}

	// cell is the number in the tile of the lane's first or second cell.
	DEVICE int cell(int h) const { return (2 * (lane >> 4) + h) * 16 + (lane & 15); }
	DEVICE bool is_fluid(unsigned tile, int cell) const { return observed.fluid[tile] >> cell & 1; }
	DEVICE real arriving(int cell, int q) const { return widen(slots[access_cell(cell, q == REST ? REST : q ^ 1)]) * (1 / SCALE); }
	// recorded is where the image holds value k of a cell's record: what is at rest,
	// then what arrives along each direction.
	DEVICE int recorded(int cell, int k) const { return k ? access_cell(cell, (k - 1) ^ 1) : access_cell(cell, REST); }
	DEVICE Moments moments(int cell, const Rates &rate) const
	{
		const real half = real(0.5) / SCALE;
		Moments m = {arriving(cell, REST), half * rate.force[0], half * rate.force[1], half * rate.force[2]};
		for (int q = 0; q < DIRECTIONS; q++) {
			const real v = arriving(cell, q);
			m.density += v;
			m.x += component(ALONG_X, q) * v;
			m.y += component(ALONG_Y, q) * v;
			m.z += component(ALONG_Z, q) * v;
		}
		return m;
	}
	// key orders cells as the grid does: by z, y, x.
	DEVICE unsigned long long key(unsigned tile, int cell) const
	{
		const Position at = observed.positions[tile];
		return (unsigned long long)(4 * at.z + (cell & 3)) << 42 | (unsigned long long)(4 * at.y + (cell >> 2 & 3)) << 21 | (4 * at.x + (cell >> 4));
	}
};

DEVICE unsigned long long warp_sum(unsigned long long v)
{
	for (unsigned bit = 16; bit; bit >>= 1) v += exchange(v, bit);
	return v;
}
DEVICE unsigned long long warp_max(unsigned long long v)
{
	for (unsigned bit = 16; bit; bit >>= 1) {
		const unsigned long long w = exchange(v, bit);
		v = v > w ? v : w;
	}
	return v;
}
