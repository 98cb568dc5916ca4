// What the flow on tiles is made of. Compile-time constants, beside those of tile.h:
// WALLS (1 where there are walls or openings), FORCE (1 with a body force), TABLE
// (numbers that a generated operator needs).
#define STAGED_CELLS 32
#define STAGED_LINKS 128
// Behind the image: boundary cells, links, what returns along these, how they
// change it (in the same place unless in 16 bits or observed twice, with quadratic walls).
#define STAGED_RETURNING (STAGED_CELLS * 8 + STAGED_LINKS * 4)
#define STAGED_CHANGES (STAGED_RETURNING + (BITS == 16 || QUADRATIC ? STAGED_LINKS * BITS / 8 : 0))
#define STAGE (IMAGE + (WALLS ? STAGED_CHANGES + STAGED_LINKS * (BITS == 64 ? 8 : 4) : 0))
// Behind a warp's stages, in odd steps: the table that ends of links need.
#define SHIFTS (WALLS && ODD ? 32 * 4 : 0)

struct Rates { // of the collision
	real plus, minus;
	real force[3]; // scaled as the populations are
	real unused;
#if TABLE
	real table[TABLE];
#endif
};

// weight is that of a moving population.
DEVICE real weight(int q)
{
#if DIRECTIONS == 26
	return q < 6 ? real(2) / 27 : q < 18 ? real(1) / 54 : real(1) / 216;
#else
	return q < 6 ? real(1) / 18 : real(1) / 36;
#endif
}

// ratio is the weight of a moving population over that at rest.
DEVICE real ratio(int q)
{
#if DIRECTIONS == 26
	return q < 6 ? real(1) / 4 : q < 18 ? real(1) / 16 : real(1) / 64;
#else
	return q < 6 ? real(1) / 6 : real(1) / 12;
#endif
}

struct WallRange { // what a tile has of walls
	int first_cell, cells, first_link, links;
	DEVICE int count() const { return cells & 0xff; }
	DEVICE bool meets_openings() const { return cells >> 8; }
};
struct BoundaryCell {
	unsigned cell;    // its number in the tile | links << 8 | first link in the tile << 16
	unsigned opening; // 1 + number of the opening cell, 0 where it meets none
};
struct OpeningCell {
	int first_link, links, cell; // its number in the tile
};
struct OpeningTile { // has consecutive opening cells
	unsigned tile, first_cell, cells;
};
// Links and samples of opening cells are read by lanes far apart: in accesses of 16
// bytes, or the first-level cache would limit the kernel.
struct alignas(16) OpeningLink {
	unsigned link;     // number among the wall's links
	unsigned place;    // direction | opening << 5
	unsigned opposite; // number among the wall's links of one to a wall at the rim
	real near;         // the factor of that one if it is nearer than half-way, or 0
	real inflow;       // for a factor of one, in cell volumes per step
	real distance;     // from the cell's centre to the opening's plane, in cells
	real weight;       // in the mean density of the opening, in cell faces
	real along;        // of what returns along it, the velocity along the normal
	DEVICE int direction() const { return place & 31; }
	DEVICE unsigned opening() const { return place >> 5; }
};
struct Opening {
	real velocity;             // 1 where a velocity is imposed, 0 where a pressure is
	real inflow;               // the factor of the links' inflows
	real density, gradient;    // the imposed deviation, and its gradient along the normal
	real fastest;              // velocity along the normal, negative, with which air comes in
	real transition;           // velocity along the normal up to which air hardly moves
	real x, y, z;              // the normal, out of the lumen
	real tau_plus;             // that stress stays out of equilibrium, in steps
	real tau_ratio;            // how many times longer third moments do
	real forgetting;           // the part of its memory that the absorption forgets in a step
	real returning;            // of a sudden change of what leaves, the part that returns
	real differences;          // of third moments, the part that its cells forget, over their speed
	real stress;               // the same of the stress of its cells without walls
};
struct alignas(16) Sample { // of an opening cell in the last step
	real density, x, y, z;
	real stress[6]; // second moments out of equilibrium: xx, yy, zz, xy, xz, yz
};
struct SentRange { // of a tile
	unsigned first, count;
};
struct SentValue { // a value for a link of a quadratic wall in another tile
	char *to;        // after even steps
	unsigned from;   // cell | direction << 6
	unsigned stride; // how far behind after odd steps
};
DEVICE unsigned place_of(unsigned link) { return link & 0x7ff; }
// OPENS marks the links that meet openings, QUADRATIC_LINK those with two
// fluid cells behind them at quadratic walls, REMOTE_TERM those of them for which
// another tile sends a value.
#define OPENS (1u << 11)
#define QUADRATIC_LINK (1u << 12)
#define REMOTE_TERM (1u << 13)
// REFLECTS marks the links of walls of which reflected knows what comes back.
#define REFLECTS (1u << 14)
// AT_RIM marks the links of walls whose opposites meet openings: what these bring in
// is known only when openings have done their work.
#define AT_RIM (1u << 15)
struct Walls {
	const WallRange *ranges;
	const BoundaryCell *cells;
	const unsigned *links; // place | flags | distance << 16
	slot_t *returning;     // what has left along the links, on its way back
	const OpeningCell *opening_cells;
	const OpeningLink *opening_links;
	const Opening *openings;
	Sample *samples;
	real *outflow; // what has left along the opening links in the last step
	real *memory;  // of the absorption of sound: at a group's first link the mean, at its second the slope
	const slot_t *remote; // to every link, after even and after odd steps
	const SentRange *sent_ranges;
	const SentValue *sent;
	unsigned long long corrected; // 0 before the first step: nothing has been sent
	double time;                  // τ, in steps
};
