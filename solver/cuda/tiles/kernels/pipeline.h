// How tiles come into shared memory and go back. A warp owns a tile: it copies
// the tile's image asynchronously, STAGES − 1 tiles ahead, updates it, and
// writes it back. In memory a tile is, here on D3Q19, a list of chunks:
//
//	  0 …  95  what the six face neighbours touch in odd steps, 16 chunks each
//	 96 … 291  what only this tile touches
//	292 … 303  what the twelve edge neighbours touch, in two copies: a tile
//	304 … 315  writes its own and reads its neighbours', so that no two
//	           multiprocessors write the same 32-byte sector
//
// On D3Q27 every face and edge has values of corner populations behind its
// chunks, which corners.h moves; the interior has too, and corners follow the edges
// in both copies.
//
// Lane l of a warp moves chunks l, l + 32, …: the first three rounds are the
// faces, the last one the end of the interior and the edges.
//
// A tile at the border to another rank (BORDER) reads what that rank's tiles
// have left in ghosts of them here, and writes what they will read straight to
// where they will look for it: exits has, by group of chunks, the address of
// the tile that a group is written to (0 where to none), in another GPU's
// memory, in this one's or, for the host to send, in a message.

struct Neighbours {
	int face[3]; // of the lane's face chunks, −1 where there is none
	int edge;    // of the lane's last chunk, −1 where it has none
#if BORDER
	char *face_exit[3], *edge_exit;
#endif
#if SINGLES
	int row; // the tile that group number `lane` is read from
#if BORDER
	char *exit; // where it goes
#endif
#endif
};

// fetch_neighbours reads the tiles that the lane's chunks come from and, in
// odd steps, faces go to.
DEVICE void fetch_neighbours(Neighbours &n, const int *rows, const unsigned long long *exits, unsigned tile, unsigned lane)
{
	const int *const row = rows + (size_t)tile * DIRECTIONS;
	if (ODD)
		for (int i = 0; i < 3; i++) n.face[i] = row[2 * i + (lane >> 4)];
	n.edge = lane < 4 ? tile : lane >= 16 ? -1 : row[ODD ? 2 + lane : 6 + ((lane - 4) ^ 1)];
#if BORDER
	const unsigned long long *const exit = exits + (size_t)tile * DIRECTIONS;
	for (int i = 0; i < 3; i++) n.face_exit[i] = (char *)exit[2 * i + (lane >> 4)];
	n.edge_exit = lane >= 4 && lane < 16 ? (char *)exit[2 + lane] : 0;
#endif
#if SINGLES
	n.row = lane >= DIRECTIONS || (!ODD && lane < 6) ? tile : row[ODD ? lane : lane ^ 1];
#if BORDER
	n.exit = lane < DIRECTIONS ? (char *)exit[lane] : 0;
#endif
#endif
}

// Tiles gives addresses of chunks.
struct Tiles {
	const Memory &memory;
	unsigned in, out; // offsets of the lane's last chunk where it is read and written
	unsigned face;    // offset of its first one
	unsigned lane;
#if SINGLES
	const Corners corners;
#endif

	DEVICE Tiles(const Memory &memory, unsigned lane, const unsigned short *slot_table)
	    : memory(memory), lane(lane)
#if SINGLES
	    , corners{memory, (const unsigned *)(slot_table + 304), lane}
#endif
	{
		const unsigned last = lane < 4 ? INTERIOR + (192 + lane) * CHUNK : EDGES + (lane - 4) * EDGE;
		in = last + (lane < 4 || ODD ? 0 : COPY);
		out = last + (lane < 4 || !ODD ? 0 : COPY);
		face = lane * CHUNK + (lane >> 4) * (FACE - 16 * CHUNK);
	}
	DEVICE char *chunk(int round, unsigned tile, const Neighbours &n) const
	{
		if (round >= 3) return memory.tile(tile) + lane * CHUNK + (INTERIOR + 32 * (round - 3) * CHUNK);
		return memory.tile(ODD ? n.face[round] : tile) + face + 2 * round * FACE;
	}
	DEVICE void load(char *image, unsigned tile, const Neighbours &n, const unsigned *offsets) const
	{
#pragma unroll
		for (int i = 0; i < 10; i++) {
			char *const to = image + offsets[i];
			if (i == 9) {
				if (n.edge >= 0) copy_async<CHUNK>(to, memory.tile(n.edge) + in);
			} else if (!ODD || i >= 3 || n.face[i] >= 0)
				copy_async<CHUNK>(to, chunk(i, tile, n));
		}
#if SINGLES
		corners.load(image, tile, n.row);
#endif
	}
	DEVICE void store(const char *image, unsigned tile, const Neighbours &n, const unsigned *offsets) const
	{
#pragma unroll
		for (int i = 0; i < 10; i++) {
			const char *const from = image + offsets[i];
#if BORDER
			if (i < 3) {
				if (n.face_exit[i]) store_chunk<CHUNK>(n.face_exit[i] + face + 2 * i * FACE, from);
				continue;
			}
			if (i == 9 && lane >= 4) {
				if (lane < 16 && n.edge_exit) store_chunk<CHUNK>(n.edge_exit + out, from);
				continue;
			}
#endif
			if (i == 9) {
				if (lane < 16) store_chunk<CHUNK>(memory.tile(tile) + out, from);
			} else if (!ODD || i >= 3 || n.face[i] >= 0)
				store_chunk<CHUNK>(chunk(i, tile, n), from);
		}
#if SINGLES && BORDER
		corners.store_border(image, n.exit, tile);
#elif SINGLES
		corners.store(image, tile, n.row);
#endif
	}
	// restore writes an image to where load finds it.
	DEVICE void restore(const char *image, unsigned tile, const Neighbours &n, const unsigned *offsets) const
	{
#pragma unroll
		for (int i = 0; i < 10; i++) {
			const char *const from = image + offsets[i];
			if (i == 9) {
				if (n.edge >= 0) store_chunk<CHUNK>(memory.tile(n.edge) + in, from);
			} else if (!ODD || i >= 3 || n.face[i] >= 0)
				store_chunk<CHUNK>(chunk(i, tile, n), from);
		}
#if SINGLES
		corners.restore(image, tile, n.row);
#endif
	}
};

// stage_shifts copies the table that ends of links need, which follows the others.
DEVICE const unsigned *stage_shifts(char *to, const unsigned short *slot_table, unsigned lane)
{
	unsigned *const shifts = (unsigned *)to;
	shifts[lane] = ((const unsigned *)(slot_table + 304))[SINGLES + lane];
	return shifts;
}

// read_offsets tells where the lane's ten chunks lie in the image, in bytes.
DEVICE void read_offsets(unsigned *offsets, const unsigned short *slot_table, unsigned lane)
{
#pragma unroll
	for (int i = 0; i < 10; i++) {
		const unsigned k = lane + 32 * i;
		offsets[i] = slot_table[k < 304 ? k : 303] * CHUNK;
	}
}
