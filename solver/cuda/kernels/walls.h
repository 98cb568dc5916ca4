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
	if ((int)lane * values < span.links && lane * values < STAGED_LINKS)
		copy_async<16>(to + lane * 16, (const char *)(walls.held + span.first_link) + lane * 16);
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
	DEVICE float held(int i) const
	{
		return widen(i < STAGED_LINKS ? ((const slot_t *)(staged + STAGED_HELD))[i] : walls.held[span.first_link + i]);
	}
	DEVICE float *changes() const { return (float *)(staged + STAGED_CHANGES); }

	// arriving is the change of what returns along a link from a wall nearer
	// than half-way, towards what arrives along the link (Bouzidi, Firdaouss
	// and Lallemand 2001).
	DEVICE float arriving(unsigned l, float bounced) const
	{
		const float share = 1.0f - ((l >> 16) + 1) * (1.0f / 32768);
		return share > 0 ? share * (widen(slots[access_cell(l >> 5 & 63, (l & 31) ^ 1)]) - bounced) : 0;
	}
	// leaving is the same for a wall farther than half-way, after the update,
	// towards what has left against the link.
	DEVICE float leaving(unsigned l, float out) const
	{
		const float twice = ((l >> 16) + 1) * (1.0f / 32768);
		return twice > 1 ? (1.0f - reciprocal(twice)) * (widen(slots[access_cell(l >> 5 & 63, (l & 31) ^ 1)]) - out) : 0;
	}

	// arrive puts what returns from the walls where the update looks for it,
	// interpolated unless exact.
	DEVICE void arrive(unsigned lane, bool exact) const
	{
#pragma unroll 1
		for (int i = lane; i < span.links; i += 32) {
			const unsigned l = link(i);
			const float bounced = held(i), change = exact ? 0 : arriving(l, bounced);
			slots[access_cell(l >> 5 & 63, l & 31)] = narrow(bounced + change);
			if (i < STAGED_LINKS) changes()[i] = change;
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
			const float out = widen(slots[access_cell(l >> 5 & 63, l & 31)]), change = leaving(l, out);
			walls.held[span.first_link + i] = narrow(out + change);
			if (i < STAGED_LINKS) changes()[i] = change;
		}
		sync_warp();
		take(lane, true);
		if (!span.meets_openings()) return;
		sync_warp();
#pragma unroll 1
		for (int i = lane; i < span.count(); i += 32) {
			const unsigned opening = cell(i).opening;
			if (opening) impose(walls.opening_cells[opening - 1], walls.samples[opening - 1]);
		}
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
			float sum = 0;
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

	// observe keeps density and momentum of the cells at openings.
	DEVICE void observe(unsigned lane) const
	{
#pragma unroll 1
		for (int i = lane; i < span.count(); i += 32) {
			const BoundaryCell c = cell(i);
			if (!c.opening) continue;
			float density = widen(slots[access_cell(c.cell & 63, 18)]), x = 0, y = 0, z = 0;
#pragma unroll 1
			for (int q = 0; q < 18; q++) {
				const float v = widen(slots[access_cell(c.cell & 63, q ^ 1)]);
				density += v;
				x += component(ALONG_X, q) * v;
				y += component(ALONG_Y, q) * v;
				z += component(ALONG_Z, q) * v;
			}
			const Sample sample = {density * (1 / SCALE), x * (1 / SCALE), y * (1 / SCALE), z * (1 / SCALE)};
			walls.samples[c.opening - 1] = sample;
		}
	}

	// impose replaces what returns from the openings: where a flow is imposed
	// by Ladd's (1994) moving wall, where a pressure is by anti-bounce-back
	// (Ginzburg, Verhaeghe and d'Humières 2008) with the cell's velocity.
	DEVICE void impose(const OpeningCell &c, const Sample &u) const
	{
		const float square = u.x * u.x + u.y * u.y + u.z * u.z;
#pragma unroll 1
		for (int k = c.first_link; k < c.first_link + c.links; k++) {
			const OpeningLink l = walls.opening_links[k];
			const Opening o = walls.openings[l.opening];
			const float before = widen(walls.held[l.link]);
			float after = before + SCALE * (l.inflow * o.inflow);
			if (o.velocity == 0) {
				const float cu = component(ALONG_X, l.direction) * u.x + component(ALONG_Y, l.direction) * u.y + component(ALONG_Z, l.direction) * u.z;
				const float w = l.direction < 6 ? 1.0f / 18 : 1.0f / 36;
				after = SCALE * 2 * w * (o.density + 4.5f * cu * cu - 1.5f * square) - before;
			}
			walls.held[l.link] = narrow(after);
			walls.outflow[k] = (before - after) * (1 / SCALE);
		}
	}
};
