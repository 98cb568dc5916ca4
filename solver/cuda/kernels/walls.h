// Walls and openings of a tile, worked on in shared memory. Every link that
// leaves the fluid has a place of its own for what has left along it and
// returns in the next step, so that the update itself knows no walls. A lane
// takes one link at a time; what its interpolation adds is taken from the
// cell's population at rest, which one lane does for all links of the cell, in
// their order, so that the result does not depend on the lanes.

// lend writes what other tiles need for their quadratic walls, after the update.
DEVICE void lend(const Walls &walls, unsigned tile, const slot_t *slots, unsigned lane)
{
	const LendSpan span = walls.lend_spans[tile];
	for (unsigned i = span.first + lane; i < span.first + span.count; i += 32) {
		const Lend l = walls.lends[i];
		*(slot_t *)(l.to + (ODD ? l.stride : 0)) = slots[access_cell(l.from & 63, l.from >> 6)];
	}
}

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

#if QUADRATIC
	// behind is what arrives at the cell behind a link's along the link, or has
	// left it against the link.
	DEVICE real behind(unsigned l) const
	{
		const int q = l & 31, cell = l >> 5 & 63;
		return widen(slots[access((cell >> 4) - component(ALONG_X, q), (cell >> 2 & 3) - component(ALONG_Y, q), (cell & 3) - component(ALONG_Z, q), q ^ 1)]);
	}
	DEVICE real lent(int i) const { return widen(walls.lent[2 * (size_t)(span.first_link + i) + !ODD]); }
	// bend is the quadratic part of what returns, as solver's curve has it, as far
	// as it was not known when it left: of walls nearer than half-way, and of
	// others what another tile has lent.
	DEVICE real bend(int i, unsigned l, real bounced) const
	{
		if (!(l & BENDS) || !walls.bent) return 0;
		const real twice = ((l >> 16) + 1) * (real(1) / 32768);
		if (twice >= 1) return l & LENT ? -far_share(twice) * lent(i) : 0;
		const real middle = widen(slots[access_cell(l >> 5 & 63, (l & 31) ^ 1)]), last = l & LENT ? lent(i) : behind(l);
		return -real(float(real(0.5) * (1 - twice))) * (bounced - 2 * middle + last);
	}
	DEVICE static real far_share(real twice) { return real(float((twice - 1) / (twice + 1))); }
	// bend_leaving is the same of walls farther than half-way when it leaves.
	DEVICE real bend_leaving(unsigned l, real out) const
	{
		const real twice = ((l >> 16) + 1) * (real(1) / 32768);
		if (!(l & BENDS) || twice < 1) return 0;
		const real middle = widen(slots[access_cell(l >> 5 & 63, (l & 31) ^ 1)]);
		return -far_share(twice) * (out - 2 * middle + (l & LENT ? real(0) : behind(l)));
	}
#else
	DEVICE real bend(int, unsigned, real) const { return 0; }
#endif

	// The stages of a link's change: what arrives before it is interpolated
	// linearly, that interpolation, both, and what leaves.
	enum Stage { bent, interpolated, arrived, left };
	DEVICE real change(Stage stage, int i, unsigned l, real value) const
	{
#if QUADRATIC
		if (stage == left) {
			const real linear = leaving(l, value);
			return linear + bend_leaving(l, value + linear);
		}
		const real bending = bend(i, l, value);
		if (stage == bent) return bending;
		const real linear = arriving(l, value + bending);
		return stage == arrived ? bending + linear : linear;
#else
		return stage == left ? leaving(l, value) : stage == bent ? 0 : arriving(l, value);
#endif
	}

	// arrive puts what returns from the walls where the update looks for it,
	// linearly interpolated unless exact; a second time where it has been exact
	// before.
	DEVICE void arrive(unsigned lane, bool exact, bool again = false) const
	{
		const Stage stage = exact ? bent : QUADRATIC && again ? interpolated : arrived;
#pragma unroll 1
		for (int i = lane; i < span.links; i += 32) {
			const unsigned l = link(i);
			const real bounced = held(i), more = change(stage, i, l, bounced);
			slots[access_cell(l >> 5 & 63, l & 31)] = narrow(stage == interpolated ? bounced + (bend(i, l, bounced) + more) : bounced + more);
			if ((QUADRATIC || !exact) && i < STAGED_LINKS) changes()[i] = more;
		}
		if (exact && !QUADRATIC) return;
		sync_warp();
		take(lane, stage);
	}

	// leave keeps what has left along the links.
	DEVICE void leave(unsigned lane) const
	{
#pragma unroll 1
		for (int i = lane; i < span.links; i += 32) {
			const unsigned l = link(i);
			const real out = widen(slots[access_cell(l >> 5 & 63, l & 31)]), more = change(left, i, l, out);
			walls.held[span.first_link + i] = narrow(out + more);
			if (i < STAGED_LINKS) changes()[i] = more;
		}
		sync_warp();
		take(lane, left);
	}

	// take takes the changes of every cell's links from its population at
	// rest, in the same stage. Changes that were not kept, in tiles
	// with very many links, are computed again: nothing they depend on has
	// moved meanwhile.
	DEVICE void take(unsigned lane, Stage stage) const
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
				sum += change(stage, k, l, stage == left ? widen(slots[access_cell(l >> 5 & 63, l & 31)]) : held(k));
			}
			slot_t *const rest = slots + access_cell(c.cell & 63, REST);
			if (sum != 0) *rest = narrow(widen(*rest) - sum);
		}
	}

	// observe keeps density, momentum and stress of the cells at openings.
	// Populations must be exact: the corrections of walls come later.
	DEVICE void observe(unsigned lane) const
	{
#pragma unroll 1
		for (int i = lane; i < span.count(); i += 32) {
			const BoundaryCell c = cell(i);
			if (!c.opening) continue;
			const int number = c.cell & 63;
			Sample u = {widen(slots[access_cell(number, REST)]) * (1 / SCALE), 0, 0, 0};
#pragma unroll 1
			for (int q = 0; q < DIRECTIONS; q++) add(u, q, widen(slots[access_cell(number, q ^ 1)]) * (1 / SCALE));
			u.stress[0] -= u.x * u.x + u.density / 3, u.stress[1] -= u.y * u.y + u.density / 3, u.stress[2] -= u.z * u.z + u.density / 3;
			u.stress[3] -= u.x * u.y, u.stress[4] -= u.x * u.z, u.stress[5] -= u.y * u.z;
			walls.samples[c.opening - 1] = u;
		}
	}
	DEVICE static void add(Sample &u, int q, real v)
	{
		const int x = component(ALONG_X, q), y = component(ALONG_Y, q), z = component(ALONG_Z, q);
		u.density += v;
		u.x += x * v, u.y += y * v, u.z += z * v;
		u.stress[0] += x * x * v, u.stress[1] += y * y * v, u.stress[2] += z * z * v;
		u.stress[3] += x * y * v, u.stress[4] += x * z * v, u.stress[5] += y * z * v;
	}

	// developed is the population that comes in through a pressure opening
	// against direction q in developed flow along its normal, as derived at the
	// processor's openingState.arriving.
	DEVICE static real developed(int q, real distance, const Opening &o, const Sample &u)
	{
		const real x = -component(ALONG_X, q), y = -component(ALONG_Y, q), z = -component(ALONG_Z, q);
		const real px = u.stress[0] * o.x + u.stress[3] * o.y + u.stress[4] * o.z;
		const real py = u.stress[3] * o.x + u.stress[1] * o.y + u.stress[5] * o.z;
		const real pz = u.stress[4] * o.x + u.stress[5] * o.y + u.stress[2] * o.z;
		const real cn = x * o.x + y * o.y + z * o.z;
		real un = u.x * o.x + u.y * o.y + u.z * o.z;
		const real across = x * x + y * y + z * z - cn * cn;
		real shear = -3 / o.even_time * (px * x + py * y + pz * z - (px * o.x + py * o.y + pz * o.z) * cn);
		real density = o.density - o.gradient * distance;
		if (un < 0) {
			un = un > o.fastest ? un : o.fastest, shear = 0;
			density -= real(1.5) * un * un;
		}
		const real even = density + un * un * (real(4.5) * cn * cn - real(1.5)) - 3 * o.even_time * cn * shear;
		const real odd = 3 * cn * un - o.odd_time * (3 * (3 * cn * cn - 1) * un * shear + cn * (1 - real(1.5) * across) * o.gradient);
		return weight(q) * (even + odd);
	}

	// impose replaces what returns from the openings: where a flow is imposed
	// by Ladd's (1994) moving wall, where a pressure is by what developed flow
	// brings in.
	DEVICE void impose(unsigned lane, const OpeningTile &tile) const
	{
#pragma unroll 1
		for (unsigned k = tile.first_link + lane; k < tile.first_link + tile.links; k += 32) {
			const OpeningLink l = walls.opening_links[k];
			const Opening o = walls.openings[l.opening];
			const real before = widen(walls.held[l.link]);
			const real after = o.velocity == 0 ? SCALE * developed(l.direction, l.distance, o, walls.samples[l.cell])
			                                   : before + SCALE * (l.inflow * o.inflow);
			walls.held[l.link] = narrow(after);
			walls.outflow[k] = (before - after) * (1 / SCALE);
		}
	}
};
