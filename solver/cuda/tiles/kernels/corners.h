// How the values of corner populations move, which have no chunks: one by one,
// a lane each. The first six rounds of a warp are values at faces, four more
// hold the rest of what neighbours touch, the others are the tile's alone and
// lie in its memory in their order. Where a value lies in the image, in which
// group and where in the tile's first copy says a table, in 11, 5 and 16 bits
// (single in slots.go). Instructions limit this, not memory.
#define NO_SLOT 0x7ffu // of padding, which completes sectors that are written

struct Corners {
	static constexpr int face_rounds = 6, around = 10, inside = 216, rounds = SINGLES / 32;
	static constexpr int begin = EDGES - inside * (int)sizeof(slot_t); // of those inside

	const Memory &memory;
	const unsigned *const table;
	const unsigned lane;

	// read reads the lane's entries, all before the first is used. It is done
	// anew whenever values move: registers are scarcer than reads.
	DEVICE void read(unsigned *entries) const
	{
		const unsigned *const own = table + opaque(lane);
#pragma unroll
		for (int i = 0; i < rounds; i++) entries[i] = own[32 * i];
	}
	DEVICE static unsigned slot(unsigned entry) { return entry & NO_SLOT; }
	DEVICE static unsigned group(unsigned entry) { return entry >> 11 & 31; }
	// offset is where in a tile the value lies, in the second copy or the first.
	DEVICE static unsigned offset(unsigned entry, int round, bool second)
	{
		return (entry >> 16) * sizeof(slot_t) + (second && round >= face_rounds && group(entry) >= 6 ? COPY : 0);
	}
	// is_inside tells whether the lane has a value in a round behind those around.
	DEVICE bool is_inside(int round) const { return 32 * (round - around) + 31 < inside || 32 * (round - around) + (int)lane < inside; }
	DEVICE unsigned inside_offset(int round) const { return begin + (lane + 32 * (round - around)) * sizeof(slot_t); }

	// load brings the values into the image; row is Neighbours::row.
	DEVICE void load(char *image, unsigned tile, int row) const
	{
		slot_t *const slots = (slot_t *)image;
		unsigned entries[rounds];
		read(entries);
#if BITS == 16
		slot_t values[rounds]; // asynchronous copies have four bytes at least
#endif
#pragma unroll
		for (int i = 0; i < rounds; i++) {
			const unsigned e = entries[i];
			bool there = is_inside(i);
			const char *at = memory.tile(tile) + inside_offset(i);
			if (i < around) {
				const int from = i < face_rounds && !ODD ? (int)tile : from_lane(row, group(e));
				there = from >= 0 && (i < face_rounds || slot(e) != NO_SLOT);
				at = memory.tile(from) + offset(e, i, !ODD);
			}
#if BITS == 16
			values[i] = there ? *(const slot_t *)at : slot_t(0);
#else
			if (there) copy_async<sizeof(slot_t)>((char *)(slots + slot(e)), at);
#endif
		}
#if BITS == 16
#pragma unroll
		for (int i = 0; i < rounds; i++)
			if (i < around ? i < face_rounds || slot(entries[i]) != NO_SLOT : is_inside(i)) slots[slot(entries[i])] = values[i];
#endif
	}

	// write writes the values, those that neighbours touch to the tiles that `to`
	// finds for a round's group.
	template <class Find> DEVICE void write(const char *image, unsigned tile, bool second, Find to) const
	{
		const slot_t *const slots = (const slot_t *)image;
		unsigned entries[rounds];
		read(entries);
#pragma unroll
		for (int i = 0; i < rounds; i++) {
			const unsigned e = entries[i];
			if (i >= around) {
				if (is_inside(i)) *(slot_t *)(memory.tile(tile) + inside_offset(i)) = slots[slot(e)];
				continue;
			}
			char *const at = to(i, group(e));
			if (at) *(slot_t *)(at + offset(e, i, second)) = i >= face_rounds && slot(e) == NO_SLOT ? slot_t(0) : slots[slot(e)];
		}
	}
	// store writes them where the next step finds them; of faces each lane knows
	// one tile.
	DEVICE void store(const char *image, unsigned tile, int row) const
	{
		const int mine = lane < 6 ? row : (int)tile;
		write(image, tile, ODD, [&](int i, unsigned group) {
			const int to = ODD && i <= face_rounds ? from_lane(mine, group) : (int)tile;
			return to < 0 ? nullptr : memory.tile(to);
		});
	}
	// restore writes them to where load finds them.
	DEVICE void restore(const char *image, unsigned tile, int row) const
	{
		write(image, tile, !ODD, [&](int i, unsigned group) {
			const int to = i < face_rounds && !ODD ? (int)tile : from_lane(row, group);
			return to < 0 ? nullptr : memory.tile(to);
		});
	}
	// store_border writes them to where exits say.
	DEVICE void store_border(const char *image, char *exit, unsigned tile) const
	{
		write(image, tile, ODD, [&](int, unsigned group) { return (char *)from_lane((unsigned long long)exit, group); });
	}
};
