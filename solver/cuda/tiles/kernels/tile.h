// Tiles of 4×4×4 cells and where they keep their populations. Compile-time
// constants: BITS of a stored population (64, 32 or 16), ODD (1 in odd steps),
// STAGES of the pipeline, WARPS of a block, BLOCKS of a multiprocessor, BORDER (1
// for tiles at the border to other ranks).
//
// The layout's sizes, in bytes, are constants too: of a TILE in memory and its
// IMAGE in shared memory, of the group that a FACE or an EDGE neighbour touches,
// where the INTERIOR and the EDGES with the corners begin, and how far the second
// COPY of these lies behind the first.
//
// Populations are numbered as geometry.Directions (DIRECTIONS of them, whose
// components plus one are ALONG_X, ALONG_Y and ALONG_Z, two bits each), the one
// at rest is the last; all are shifted by their weights and, in 16 bits, scaled
// by 2¹⁵.
#define CHUNK (BITS / 2) // bytes of 4 populations
#define REST DIRECTIONS  // the population at rest

// real is what is computed with, slot_t what is stored.
#if BITS == 64
typedef double real, slot_t;
#else
typedef float real;
#endif
#if BITS == 16
typedef unsigned short slot_t;
#define SCALE real(32768)
DEVICE real widen(slot_t v) { return half_to_float(v); }
DEVICE slot_t narrow(real v) { return float_to_half(v); }
// cut adds a number to the last bits of what becomes one of 16 bits, and cuts it.
DEVICE slot_t cut(real v, unsigned more) { return float_to_half_cut((unsigned)bits_of(v) + more); }
#else
#if BITS == 32
typedef float slot_t;
#endif
#define SCALE real(1)
DEVICE real widen(slot_t v) { return v; }
DEVICE slot_t narrow(real v) { return v; }
#endif

DEVICE int component(unsigned long long along, int q) { return (int)(along >> (2 * q) & 3) - 1; }

// position returns where the image holds population q of cell (x, y, z) of
// this tile, or of the neighbour around it whose coordinate wraps to there.
// The four cells of a chunk, consecutive in the image, leave the tile together:
// they lie along an axis in which the population does not move. Those that move
// along all three have none, and leave value by value.
DEVICE int position(int x, int y, int z, int q)
{
	x &= 3;
	y &= 3;
	z &= 3;
	x = x >> 1 | (x & 1) << 1; // x and x + 2 side by side: no bank conflicts
	if (q < 4 || q >= 18 || (q > 5 && q < 10)) return q * 64 + x * 16 + y * 4 + z;
	if (q >= 14) return q * 64 + z * 16 + y * 4 + x;
	return q * 64 + x * 16 + z * 4 + y;
}

// access returns where cell (x, y, z) leaves what departs along q, and finds
// what arrives against q: in an even step the cell's own slot of the opposite
// population, in an odd step the neighbour's slot of q.
DEVICE int access(int x, int y, int z, int q)
{
	if (q == REST) return position(x, y, z, q);
	if (ODD) return position(x + component(ALONG_X, q), y + component(ALONG_Y, q), z + component(ALONG_Z, q), q);
	return position(x, y, z, q ^ 1);
}
DEVICE int access_cell(int cell, int q) { return access(cell >> 4, cell >> 2 & 3, cell & 3, q); }

// lane_slot is where access says of cell h of a lane, whose two cells have
// x = 2·(lane >> 4) + h, y = lane >> 2 & 3 and z = lane & 3: one of few addresses for
// all populations of both cells, and a constant.
DEVICE slot_t &lane_slot(slot_t *slots, unsigned lane, int h, int q)
{
	const bool moves = ODD && q != REST;
	const int along = h + (moves ? component(ALONG_X, q) : 0);
	const int x = (lane >> 4) ^ (along >> 1 & 1);
	const int y = ((lane >> 2) + (moves ? component(ALONG_Y, q) : 0)) & 3, z = (lane + (moves ? component(ALONG_Z, q) : 0)) & 3;
	const int begin = (ODD || q == REST ? q : q ^ 1) * 64, second = along & 1; // of two x in a row
	if (q < 4 || q >= 18 || (q > 5 && q < 10)) return (slots + apart(x * 16 + y * 4 + z))[begin + 32 * second];
	if (q >= 14) return (slots + apart(z * 16 + y * 4 + x))[begin + 2 * second];
	return (slots + apart(x * 16 + z * 4 + y))[begin + 32 * second];
}

// A place is a position, of 11 bits, that stands for a cell and a direction.
DEVICE int direction_at(unsigned place) { return place >> 6; }
DEVICE int cell_at(unsigned place)
{
	const int q = direction_at(place), slow = place >> 4 & 3, middle = place >> 2 & 3, fast = place & 3;
	if (q >= 14 && q < 18) return ((fast >> 1 | fast << 1) & 3) << 4 | middle << 2 | slow;
	const int x = (slow >> 1 | slow << 1) & 3;
	return q < 4 || q >= 18 || (q > 5 && q < 10) ? x << 4 | middle << 2 | fast : x << 4 | fast << 2 | middle;
}

// Ends are where the cell at a place leaves what departs along the direction and
// finds what arrives against it: access without the coordinates. In odd steps a
// table tells for every direction the lowest bits of the coordinates that change
// (in 8 bits), those of them that fall, and the highest bits that lie to the left and
// to the right of the lowest.
struct Ends {
	int departure, arrival;
	DEVICE Ends(unsigned place, const unsigned *shifts)
	{
#if ODD
		const unsigned shift = shifts[direction_at(place)], lowest = shift & 63, left = shift >> 16 & 63, right = shift >> 24;
		const unsigned carries = (place ^ shift >> 8) & lowest;
		departure = place ^ lowest ^ (carries << 1 & left) ^ (carries >> 1 & right);
		arrival = departure ^ 64 ^ left ^ right;
#else
		departure = place ^ 64;
		arrival = place;
#endif
	}
};

// Memory is where the tiles lie: the rank's own and, behind them, ghosts of
// those of other ranks that touch them.
struct Memory {
	char *tiles;
	DEVICE char *tile(unsigned number) const { return tiles + (size_t)number * TILE; }
};
