// How the values of corner populations move, which have no chunks: one by one,
// a lane each, those that neighbours touch first. Where a value lies in the
// image, in which group and where in the tile's first copy says a table, in 11,
// 5 and 16 bits (single in places.go).
#define NO_PLACE 0x7ffu // of padding, which completes sectors that are written
#define NO_GROUP 31u

struct Corners {
	static constexpr int rounds = SINGLES / 32;
	// around are the rounds that have values of neighbours.
	static constexpr int around = ((6 * (FACE - 16 * CHUNK) + 12 * (EDGE - CHUNK)) / (int)sizeof(slot_t) + 8 + 31) / 32;

	const Memory &memory;
	const unsigned *const table;
	const unsigned lane;

	DEVICE unsigned entry(int round) const { return table[lane + 32 * round]; }
	DEVICE static unsigned place(unsigned entry) { return entry & NO_PLACE; }
	DEVICE static unsigned group(unsigned entry) { return entry >> 11 & NO_GROUP; }
	// offset is where in a tile the value lies, in the second copy or the first.
	DEVICE static unsigned offset(unsigned entry, bool second)
	{
		return (entry >> 16) * sizeof(slot_t) + (second && group(entry) - 6 < DIRECTIONS - 6 ? COPY : 0);
	}

	// load brings the values into the image; row is Neighbours::row.
	DEVICE void load(char *image, unsigned tile, int row) const
	{
		slot_t *const slots = (slot_t *)image;
#if BITS == 16
		slot_t values[rounds]; // asynchronous copies have four bytes at least
#endif
#pragma unroll
		for (int i = 0; i < rounds; i++) {
			const unsigned e = entry(i);
			const int from = i < around ? from_lane(row, group(e)) : (int)tile;
			const bool there = from >= 0 && place(e) != NO_PLACE;
			const char *const at = memory.tile(from) + offset(e, !ODD);
#if BITS == 16
			values[i] = there ? *(const slot_t *)at : slot_t(0);
#else
			if (there) copy_async<sizeof(slot_t)>((char *)(slots + place(e)), at);
#endif
		}
#if BITS == 16
#pragma unroll
		for (int i = 0; i < rounds; i++) {
			const unsigned e = entry(i);
			if (place(e) != NO_PLACE) slots[place(e)] = values[i];
		}
#endif
	}

	// put writes a value of the image, or what completes a sector.
	DEVICE void put(char *tile, unsigned e, const char *image, bool second) const
	{
		if (group(e) == NO_GROUP) return;
		*(slot_t *)(tile + offset(e, second)) = place(e) == NO_PLACE ? slot_t(0) : ((const slot_t *)image)[place(e)];
	}

	// store writes the values to the tiles in the rows, of which each lane knows
	// one, and restore to where load finds them.
	DEVICE void store(const char *image, unsigned tile, int row) const
	{
		const int mine = lane < 6 ? row : (int)tile;
#pragma unroll
		for (int i = 0; i < rounds; i++) {
			const unsigned e = entry(i);
			const int to = i < around ? from_lane(mine, group(e)) : (int)tile;
			if (to >= 0) put(memory.tile(to), e, image, ODD);
		}
	}
	DEVICE void restore(const char *image, unsigned tile, int row) const
	{
#pragma unroll
		for (int i = 0; i < rounds; i++) {
			const unsigned e = entry(i);
			const int to = i < around ? from_lane(row, group(e)) : (int)tile;
			if (to >= 0) put(memory.tile(to), e, image, !ODD);
		}
	}
	// store_border writes them to where exits say.
	DEVICE void store_border(const char *image, unsigned tile, char *exit) const
	{
		const unsigned long long mine = (unsigned long long)(lane < DIRECTIONS ? exit : memory.tile(tile));
#pragma unroll
		for (int i = 0; i < rounds; i++) {
			const unsigned e = entry(i);
			char *const to = i < around ? (char *)from_lane(mine, group(e)) : memory.tile(tile);
			if (to) put(to, e, image, ODD);
		}
	}
};
