// Walls and openings of a tile, worked on in shared memory. Every link that
// leaves the fluid has a place of its own for what has left along it and
// returns in the next step, so that the update itself knows no walls. A lane
// takes one link at a time; what its interpolation adds is taken from the
// cell's population at rest, which one lane does for all links of the cell, in
// their order, so that the result does not depend on the lanes.

// stage_walls copies the tile's boundary cells, links and what they hold
// behind its image, as far as there is room.
DEVICE void stage_walls(char *image, const Span &span, const Walls &walls, unsigned lane)
{
	if (!span.cells) return;
	const int cells = span.count();
	char *to = image + IMAGE;
	if ((int)lane * 2 < cells && lane * 2 < STAGED_CELLS)
		copy_async<16>(to + lane * 16, (const char *)(walls.cells + span.first_cell) + lane * 16);
	to += STAGED_CELLS * 8;
	if ((int)lane * 4 < span.links)
		copy_async<16>(to + lane * 16, (const char *)(walls.links + span.first_link) + lane * 16);
	to = image + IMAGE + STAGED_HELD;
	constexpr int values = 128 / BITS;
#pragma unroll
	for (int i = lane * values; i < STAGED_LINKS; i += 32 * values)
		if (i < span.links) copy_async<16>(to + i * (BITS / 8), (const char *)(walls.held + span.first_link + i));
}

// TileWalls works with what stage_walls has copied, or memory beyond it.
struct TileWalls {
	const Walls &walls;
	const Span &span;
	char *staged;
	slot_t *slots;

	DEVICE TileWalls(const Walls &walls, const Span &span, char *image) : walls(walls), span(span), staged(image + IMAGE), slots((slot_t *)image) {}
	DEVICE BoundaryCell cell(int i) const { return i < STAGED_CELLS ? ((const BoundaryCell *)staged)[i] : walls.cells[span.first_cell + i]; }
	DEVICE unsigned link(int i) const { return i < STAGED_LINKS ? ((const unsigned *)(staged + STAGED_CELLS * 8))[i] : walls.links[span.first_link + i]; }
	DEVICE real held(int i) const
	{
		return widen(i < STAGED_LINKS ? ((const slot_t *)(staged + STAGED_HELD))[i] : walls.held[span.first_link + i]);
	}
	DEVICE real *changes() const { return (real *)(staged + STAGED_CHANGES); }

	// arriving is the change of what returns along a link from a wall nearer
	// than half-way, towards what arrives along the link (Bouzidi, Firdaouss
	// and Lallemand 2001).
	DEVICE real arriving(unsigned l, real bounced) const
	{
		const real share = 1 - ((l >> 16) + 1) * (real(1) / 32768);
		return share > 0 ? share * (widen(slots[access_cell(l >> 5 & 63, (l & 31) ^ 1)]) - bounced) : 0;
	}
	// leaving is the same for a wall farther than half-way, after the update,
	// towards what has left against the link. Its share has 32 bits, as on the
	// processor.
	DEVICE real leaving(unsigned l, real out) const
	{
		const real twice = ((l >> 16) + 1) * (real(1) / 32768);
		return twice > 1 ? real(float(1 - reciprocal(twice))) * (widen(slots[access_cell(l >> 5 & 63, (l & 31) ^ 1)]) - out) : 0;
	}

	// returning is where what returns along a link in a direction is found.
	DEVICE slot_t &returning(int cell, int direction) const { return slots[access_cell(cell, direction)]; }

	// arrive puts what returns from the walls where the update looks for it,
	// interpolated unless exact.
	DEVICE void arrive(unsigned lane, bool exact) const
	{
#pragma unroll 1
		for (int i = lane; i < span.links; i += 32) {
			const unsigned l = link(i);
			const real bounced = held(i), change = exact ? 0 : arriving(l, bounced);
			slots[access_cell(l >> 5 & 63, l & 31)] = narrow(bounced + change);
			if (!exact && i < STAGED_LINKS) changes()[i] = change;
		}
		if (exact) return;
		sync_warp();
		take(lane, false);
	}

	// leave keeps what has left along the links.
	DEVICE void leave(unsigned lane) const
	{
#pragma unroll 1
		for (int i = lane; i < span.links; i += 32) {
			const unsigned l = link(i);
			const real out = widen(slots[access_cell(l >> 5 & 63, l & 31)]), change = leaving(l, out);
			walls.held[span.first_link + i] = narrow(out + change);
			if (i < STAGED_LINKS) changes()[i] = change;
		}
		sync_warp();
		take(lane, true);
	}

	// take takes the changes of every cell's links from its population at
	// rest, before the update or after it. Changes that were not kept, in tiles
	// with very many links, are computed again: nothing they depend on has
	// moved meanwhile.
	DEVICE void take(unsigned lane, bool after) const
	{
#pragma unroll 1
		for (int i = lane; i < span.count(); i += 32) {
			const BoundaryCell c = cell(i);
			const int first = c.cell >> 16, last = first + (c.cell >> 8 & 31);
			real sum = 0;
#pragma unroll 1
			for (int k = first; k < last; k++) {
				if (k < STAGED_LINKS) {
					sum += changes()[k];
					continue;
				}
				const unsigned l = link(k);
				sum += after ? leaving(l, widen(slots[access_cell(l >> 5 & 63, l & 31)])) : arriving(l, held(k));
			}
			slot_t *const rest = slots + access_cell(c.cell & 63, 18);
			if (sum != 0) *rest = narrow(widen(*rest) - sum);
		}
	}

	// observe keeps density, momentum and stress of the cells at openings. At
	// pressure openings it takes the velocity along the opening out of what
	// returned, since anti-bounce-back leaves it free. Populations must be
	// exact: the corrections of walls come later.
	DEVICE void observe(unsigned lane) const
	{
#pragma unroll 1
		for (int i = lane; i < span.count(); i += 32) {
			const BoundaryCell c = cell(i);
			if (!c.opening) continue;
			const int number = c.cell & 63;
			Sample u = {widen(slots[access_cell(number, 18)]), 0, 0, 0};
#pragma unroll 1
			for (int q = 0; q < 18; q++) {
				const real v = widen(slots[access_cell(number, q ^ 1)]);
				u.density += v;
				add(u, q, v);
			}
			u.density *= 1 / SCALE, u.x *= 1 / SCALE, u.y *= 1 / SCALE, u.z *= 1 / SCALE;
			const OpeningCell open = walls.opening_cells[c.opening - 1];
			straighten(number, open, u);
			walls.samples[c.opening - 1] = u;
#pragma unroll 1
			for (int k = open.first_link; k < open.first_link + open.links; k++) {
				const int d = walls.opening_links[k].direction;
				const real both = widen(returning(number, d)) + widen(returning(number, d ^ 1));
				walls.stress[k] = both * (real(0.5) / SCALE) - symmetric(d, u.density, u);
			}
		}
	}

	// straighten changes what has returned to a cell from openings, and the
	// cell's velocity accordingly.
	DEVICE void straighten(int number, const OpeningCell &open, Sample &u) const
	{
		const Sample before = u;
#pragma unroll 1
		for (int k = open.first_link; k < open.first_link + open.links; k++) {
			const OpeningLink l = walls.opening_links[k];
			const real change = l.straighten[0] * before.x + l.straighten[1] * before.y + l.straighten[2] * before.z;
			if (change == 0) continue;
			slot_t &at = returning(number, l.direction);
			at = narrow(widen(at) + SCALE * change);
			const int i = l.link - span.first_link;
			*(i < STAGED_LINKS ? (slot_t *)(staged + STAGED_HELD) + i : walls.held + l.link) = at;
			add(u, l.direction ^ 1, change);
		}
	}
	DEVICE static void add(Sample &u, int q, real v)
	{
		u.x += component(ALONG_X, q) * v;
		u.y += component(ALONG_Y, q) * v;
		u.z += component(ALONG_Z, q) * v;
	}

	// symmetric is the part of the equilibrium that opposite populations share.
	DEVICE static real symmetric(int q, real density, const Sample &u)
	{
		const real cu = component(ALONG_X, q) * u.x + component(ALONG_Y, q) * u.y + component(ALONG_Z, q) * u.z;
		const real square = u.x * u.x + u.y * u.y + u.z * u.z;
		return (q < 6 ? real(1) / 18 : real(1) / 36) * (density + real(4.5) * cu * cu - real(1.5) * square);
	}

	// impose replaces what returns from the openings: where a flow is imposed
	// by Ladd's (1994) moving wall, where a pressure is by anti-bounce-back with
	// the cell's velocity and stress (Ginzburg, Verhaeghe and d'Humières 2008).
	DEVICE void impose(unsigned lane) const
	{
#pragma unroll 1
		for (int i = lane; i < span.count(); i += 32) {
			const unsigned opening = cell(i).opening;
			if (opening) impose(walls.opening_cells[opening - 1], walls.samples[opening - 1]);
		}
	}
	DEVICE void impose(const OpeningCell &c, const Sample &u) const
	{
#pragma unroll 1
		for (int k = c.first_link; k < c.first_link + c.links; k++) {
			const OpeningLink l = walls.opening_links[k];
			const Opening o = walls.openings[l.opening];
			const real before = widen(walls.held[l.link]);
			real after = before + SCALE * (l.inflow * o.inflow);
			if (o.velocity == 0)
				after = SCALE * (2 * symmetric(l.direction, o.density, u) + o.kept_stress * walls.stress[k]) - before;
			walls.held[l.link] = narrow(after);
			walls.outflow[k] = (before - after) * (1 / SCALE);
		}
	}
};
