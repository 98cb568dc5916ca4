// Walls and openings of a tile, worked on in shared memory. Every link that
// leaves the fluid has a place of its own for what has left along it and
// returns in the next step, so that the update itself knows no walls. A lane
// takes one link at a time; what its interpolation adds is taken from the
// cell's population at rest, which one lane does for all links of the cell, in
// their order, so that the result does not depend on the lanes.

// send_values writes what other tiles need for their quadratic walls, after the update.
DEVICE void send_values(const Walls &walls, unsigned tile, const slot_t *slots, unsigned lane)
{
	const SentRange range = walls.sent_ranges[tile];
	for (unsigned i = range.first + lane; i < range.first + range.count; i += 32) {
		const SentValue v = walls.sent[i];
		*(slot_t *)(v.to + (ODD ? v.stride : 0)) = slots[access_cell(v.from & 63, v.from >> 6)];
	}
}

// stage_walls copies the tile's boundary cells, links and what returns
// along these behind its image, as far as there is room.
DEVICE void stage_walls(char *image, const WallRange &range, const Walls &walls, unsigned lane)
{
	if (!range.cells) return;
	const int cells = range.count();
	char *to = image + IMAGE;
	if ((int)lane * 2 < cells && lane * 2 < STAGED_CELLS)
		copy_async<16>(to + lane * 16, (const char *)(walls.cells + range.first_cell) + lane * 16);
	to += STAGED_CELLS * 8;
	if ((int)lane * 4 < range.links)
		copy_async<16>(to + lane * 16, (const char *)(walls.links + range.first_link) + lane * 16);
	to = image + IMAGE + STAGED_RETURNING;
	constexpr int values = 128 / BITS;
#pragma unroll
	for (int i = lane * values; i < STAGED_LINKS; i += 32 * values)
		if (i < range.links) copy_async<16>(to + i * (BITS / 8), (const char *)(walls.returning + range.first_link + i));
}

// set_returning sets what returns along an opening link, and does for a wall nearer than
// half-way at the rim what TileWalls::arriving does for others, towards what comes in.
// Gained is what that adds.
DEVICE void set_returning(const Walls &walls, int k, const OpeningLink &l, real after, real &gained)
{
	slot_t &returning = walls.returning[l.link];
	walls.outflow[k] = (widen(returning) - after) * (1 / SCALE);
	returning = narrow(after);
	if (l.near == 0) return;
	slot_t &wall = walls.returning[l.opposite];
	const real bounced = widen(wall), more = l.near * (widen(narrow(after)) - bounced);
	wall = narrow(bounced + more);
	gained += more;
}

// PressureOpening is a cell's links, first to end − 1, to an opening where a
// pressure is imposed. What returns along them is derived at the processor's
// State.incoming of package opening.
struct PressureOpening {
	const Walls &walls;
	const int first, end;
	const Opening &o;
	const Sample &sample;
	real vx, vy, vz, density, returned;       // of what is imposed
	real traction_x, traction_y, traction_z;  // the stress times the normal
	real normal_traction;                     // its component along the normal
	real un, center, total, spread;           // velocity along the normal; of the projection
	real mean, slope, returned_mean, returned_slope, change_mean, change_slope, shear_mean, shear_slope, own_mean, own_slope;

	DEVICE PressureOpening(const Walls &walls, int first, int end, const Opening &o, const Sample &sample) : walls(walls), first(first), end(end), o(o), sample(sample) {}
	DEVICE static real dot(int q, real x, real y, real z) { return -(component(ALONG_X, q) * x + component(ALONG_Y, q) * y + component(ALONG_Z, q) * z); }
	// equilibrium is what belongs to the opening's pressure and the velocity, over
	// the weight.
	DEVICE real equilibrium(const OpeningLink &l) const
	{
		const int q = l.direction();
		const real cu = dot(q, vx, vy, vz), cn = l.along, across = (q < 6 ? 1 : q < 18 ? 2 : 3) - cn * cn;
		return density + real(4.5) * cu * cu - real(1.5) * (vx * vx + vy * vy + vz * vz) - o.gradient * (l.distance + real(0.5) * cn * (1 - real(1.5) * across));
	}
	DEVICE real difference(const OpeningLink &l) const { return widen(walls.returning[l.link]) * (1 / SCALE) / weight(l.direction()) - equilibrium(l); }
	DEVICE real across(const OpeningLink &l) const { return 9 * (dot(l.direction(), traction_x, traction_y, traction_z) - normal_traction * l.along); }
	DEVICE real odd(const OpeningLink &l) const { return (3 * l.along * l.along - 1) * un * across(l); }
	DEVICE real shear(const OpeningLink &l) const { return l.along * across(l) + o.tau_ratio * odd(l); }
	// own is what of the shear comes back with the wrong sign.
	DEVICE real own(const OpeningLink &l) const
	{
		const real rate = 1 / o.tau_plus;
		return (2 - rate) * l.along * across(l) + rate * odd(l);
	}

	// basis finds what the projection on 1 and c_n needs.
	DEVICE void basis()
	{
		real sum = 0;
		total = spread = 0;
		for (int k = first; k < end; k++) {
			const OpeningLink l = walls.opening_links[k];
			const real w = weight(l.direction());
			total += w, sum += w * l.along;
		}
		center = sum / total;
		for (int k = first; k < end; k++) {
			const OpeningLink l = walls.opening_links[k];
			const real c = l.along - center;
			spread += weight(l.direction()) * c * c;
		}
	}
	// project sets the projections of the differences, the shear and its own part.
	DEVICE void project()
	{
		mean = slope = shear_mean = shear_slope = own_mean = own_slope = 0;
		for (int k = first; k < end; k++) {
			const OpeningLink l = walls.opening_links[k];
			const real c = l.along - center, w = weight(l.direction()), h = w * difference(l), s = w * shear(l), t = w * own(l);
			mean += h, slope += c * h, shear_mean += s, shear_slope += c * s, own_mean += t, own_slope += c * t;
		}
		const real per_weight = 1 / total, per_spread = spread > real(1e-6) * total ? 1 / spread : 0;
		mean *= per_weight, slope *= per_spread, shear_mean *= per_weight, shear_slope *= per_spread, own_mean *= per_weight, own_slope *= per_spread;
	}
	// Energies are added up in double precision: single precision has none of the
	// first faint waves of sound, and divides by nothing.
	DEVICE static double square(double v) { return v * v; }
	DEVICE static double square(const Sample &u)
	{
		const double third = (double(u.stress[0]) + u.stress[1] + u.stress[2]) / 3;
		return square(u.stress[0] - third) + square(u.stress[1] - third) + square(u.stress[2] - third) + 2 * (square(u.stress[3]) + square(u.stress[4]) + square(u.stress[5]));
	}
	// parts are how much returns of the shear that crosses, and of its own part that the
	// projection has kept: no more than their energy allows.
	DEVICE void parts(real &crossing, real &kept) const
	{
		double energy = 0, across = 0;
		for (int k = first; k < end; k++) {
			const OpeningLink l = walls.opening_links[k];
			const real c = l.along - center, w = weight(l.direction());
			energy += w * square(difference(l) - mean - slope * c), across += w * square(shear(l) - shear_mean - shear_slope * c);
		}
		const double rate = 1 / o.tau_plus;
		energy += 4.5 * rate * (2 - rate) * square(sample);
		crossing = across > energy ? real(square_root(energy / across)) : real(1);
		energy = across > energy ? 0 : energy - across;
		const double needed = total * square(own_mean) + spread * square(own_slope);
		const double common = total * (double(change_mean) * own_mean) + spread * (double(change_slope) * own_slope);
		kept = needed - 2 * common > energy ? real((common + square_root(common * common + needed * energy)) / needed) : real(1);
	}
	DEVICE real absorb(int k, real value) const
	{
		real &memory = walls.memory[k];
		memory += (value - memory) * o.forgetting;
		return o.returning * value + (1 - o.returning) * memory;
	}
	DEVICE void impose(real &gained)
	{
		un = sample.x * o.x + sample.y * o.y + sample.z * o.z;
		const bool enters = un < 0;
		const real leaving = enters ? 0 : un < o.transition ? un / o.transition : 1;
		density = o.density, returned = 1;
		if (enters) {
			if (un < o.fastest) returned = (o.transition - o.fastest) / (o.transition - un), un = o.fastest;
			density -= real(1.5) * un * un;
		}
		vx = sample.x, vy = sample.y, vz = sample.z;
		if (leaving < 1) {
			vx = un * o.x + leaving * (vx - un * o.x), vy = un * o.y + leaving * (vy - un * o.y), vz = un * o.z + leaving * (vz - un * o.z);
		}
		traction_x = sample.stress[0] * o.x + sample.stress[3] * o.y + sample.stress[4] * o.z;
		traction_y = sample.stress[3] * o.x + sample.stress[1] * o.y + sample.stress[5] * o.z;
		traction_z = sample.stress[4] * o.x + sample.stress[5] * o.y + sample.stress[2] * o.z;
		normal_traction = traction_x * o.x + traction_y * o.y + traction_z * o.z;
		basis();
		project();
		returned_mean = returned * absorb(first, mean), returned_slope = end > first + 1 ? returned * absorb(first + 1, slope) : returned * slope;
		change_mean = returned_mean - returned * walls.memory[first], change_slope = end > first + 1 ? returned_slope - returned * walls.memory[first + 1] : returned_slope;
		real crossing = 0, kept = 0;
		if (leaving > 0) parts(crossing, kept), crossing *= leaving, kept *= leaving;
		for (int k = first; k < end; k++) {
			const OpeningLink l = walls.opening_links[k];
			const real c = l.along - center;
			const real value = equilibrium(l) - (returned_mean + returned_slope * c) + crossing * (shear(l) - shear_mean - shear_slope * c) + kept * (own_mean + own_slope * c);
			set_returning(walls, k, l, SCALE * weight(l.direction()) * value, gained);
		}
	}
};

// TileWalls works with what stage_walls has copied, or memory beyond it.
struct TileWalls {
	const Walls &walls;
	const WallRange &range;
	char *staged;
	slot_t *slots;
	const unsigned *shifts; // in odd steps

	DEVICE TileWalls(const Walls &walls, const WallRange &range, char *image, const unsigned *shifts) : walls(walls), range(range), staged(image + IMAGE), slots((slot_t *)image), shifts(shifts) {}
	DEVICE BoundaryCell cell(int i) const { return i < STAGED_CELLS ? ((const BoundaryCell *)staged)[i] : walls.cells[range.first_cell + i]; }
	DEVICE unsigned link(int i) const { return i < STAGED_LINKS ? ((const unsigned *)(staged + STAGED_CELLS * 8))[i] : walls.links[range.first_link + i]; }
	DEVICE real returning(int i) const
	{
		return widen(i < STAGED_LINKS ? ((const slot_t *)(staged + STAGED_RETURNING))[i] : walls.returning[range.first_link + i]);
	}
	DEVICE real *changes() const { return (real *)(staged + STAGED_CHANGES); }
	DEVICE Ends ends(unsigned l) const { return Ends(place_of(l), shifts); }
	DEVICE real at(int position) const { return widen(slots[position]); }

	// arriving is the change of what returns along a link from a wall nearer
	// than half-way, towards what arrives along the link (Bouzidi, Firdaouss
	// and Lallemand 2001).
	DEVICE real arriving(unsigned l, const Ends &ends, real bounced) const
	{
		const real factor = 1 - ((l >> 16) + 1) * (real(1) / 32768);
		return factor > 0 && !(l & AT_RIM) ? factor * (at(ends.arrival) - bounced) : 0;
	}
	// leaving is the same for a wall farther than half-way, after the update,
	// towards what has left against the link. Its factor has 32 bits, as on the
	// processor.
	DEVICE real leaving(unsigned l, const Ends &ends, real out) const
	{
		const real twice = ((l >> 16) + 1) * (real(1) / 32768);
		return twice > 1 ? real(float(1 - reciprocal(twice))) * (at(ends.arrival) - out) : 0;
	}

	// reflected is the change of what returns along a link to what the processor's
	// wall.Reflect makes of what left along it, against it and at rest.
	DEVICE real reflected(unsigned l, const Ends &ends, real out) const
	{
		if (!(l & REFLECTS)) return 0;
		const unsigned place = place_of(l);
		const real time = walls.time, fraction = ((l >> 16) + 1) * (real(1) / 65536);
		const real factor = real(float((fraction - time) / (1 - time)));
		const real rest = ratio(direction_at(place)) * at(access_cell(cell_at(place), REST));
		const real even = real(0.5) * (out + at(ends.arrival));
		return rest + factor * (even - rest) - out;
	}

#if QUADRATIC
	// behind is what arrives at the cell behind a link's along the link, or has
	// left it against the link.
	DEVICE real behind(unsigned l) const
	{
		const unsigned place = place_of(l);
		const int q = direction_at(place), cell = cell_at(place);
		return at(access((cell >> 4) - component(ALONG_X, q), (cell >> 2 & 3) - component(ALONG_Y, q), (cell & 3) - component(ALONG_Z, q), q ^ 1));
	}
	DEVICE real remote(int i) const { return widen(walls.remote[2 * (size_t)(range.first_link + i) + !ODD]); }
	// quadratic_arriving is the quadratic part of what returns, as the processor's
	// wall.Quadratic has it, as far as it was not known when it left: of walls
	// nearer than half-way, and of others what another tile has sent.
	DEVICE real quadratic_arriving(int i, unsigned l, const Ends &ends, real bounced) const
	{
		if (!(l & QUADRATIC_LINK) || !walls.corrected) return 0;
		const real twice = ((l >> 16) + 1) * (real(1) / 32768);
		if (twice >= 1) return l & REMOTE_TERM ? -far_factor(twice) * remote(i) : 0;
		const real middle = at(ends.arrival), last = l & REMOTE_TERM ? remote(i) : behind(l);
		return -real(float(real(0.5) * (1 - twice))) * (bounced - 2 * middle + last);
	}
	DEVICE static real far_factor(real twice) { return real(float((twice - 1) / (twice + 1))); }
	// quadratic_leaving is the same of walls farther than half-way when it leaves.
	DEVICE real quadratic_leaving(unsigned l, const Ends &ends, real out) const
	{
		const real twice = ((l >> 16) + 1) * (real(1) / 32768);
		if (!(l & QUADRATIC_LINK) || twice < 1) return 0;
		const real middle = at(ends.arrival);
		return -far_factor(twice) * (out - 2 * middle + (l & REMOTE_TERM ? real(0) : behind(l)));
	}
#else
	DEVICE real quadratic_arriving(int, unsigned, const Ends &, real) const { return 0; }
#endif

	// The stages of a link's change: what arrives before it is interpolated
	// linearly, that interpolation, both, and what leaves.
	enum Stage { quadratic, interpolated, arrived, left };
	DEVICE real change(Stage stage, int i, unsigned l, const Ends &ends, real value) const
	{
#if REFLECT
		return stage == left ? reflected(l, ends, value) : 0;
#elif QUADRATIC
		if (stage == left) {
			const real linear = leaving(l, ends, value);
			return linear + quadratic_leaving(l, ends, value + linear);
		}
		const real correction = quadratic_arriving(i, l, ends, value);
		if (stage == quadratic) return correction;
		const real linear = arriving(l, ends, value + correction);
		return stage == arrived ? correction + linear : linear;
#else
		return stage == left ? leaving(l, ends, value) : stage == quadratic ? 0 : arriving(l, ends, value);
#endif
	}

	// arrive puts what returns from the walls where the update looks for it,
	// linearly interpolated unless exact; a second time where it has been exact
	// before.
	DEVICE void arrive(unsigned lane, bool exact, bool again = false) const
	{
		const Stage stage = exact ? quadratic : QUADRATIC && again ? interpolated : arrived;
#pragma unroll 1
		for (int i = lane; i < range.links; i += 32) {
			const unsigned l = link(i);
			const Ends ends = this->ends(l);
			// Cells at openings have changed what returned.
			const bool changed = again && !QUADRATIC;
			const real bounced = changed ? at(ends.departure) : returning(i);
			if (changed && i >= STAGED_LINKS) walls.returning[range.first_link + i] = narrow(bounced); // for take
			const real more = change(stage, i, l, ends, bounced);
			slots[ends.departure] = narrow(stage == interpolated ? bounced + (quadratic_arriving(i, l, ends, bounced) + more) : bounced + more);
			if ((QUADRATIC || !exact) && i < STAGED_LINKS) changes()[i] = more;
		}
		if (REFLECT || (exact && !QUADRATIC)) return;
		sync_warp();
		take(lane, stage);
	}

	// leave keeps what has left along the links.
	DEVICE void leave(unsigned lane) const
	{
#pragma unroll 1
		for (int i = lane; i < range.links; i += 32) {
			const unsigned l = link(i);
			const Ends ends = this->ends(l);
			const real out = at(ends.departure), more = change(left, i, l, ends, out);
			walls.returning[range.first_link + i] = narrow(out + more);
			if (i < STAGED_LINKS) changes()[i] = more;
		}
		sync_warp();
		take(lane, left);
	}

	// take takes the changes of every cell's links from its population at
	// rest, in the same stage: four at a time, which are read together. Changes that were
	// not kept, in tiles with very many links, are computed again: nothing they
	// depend on has moved meanwhile.
	DEVICE void take(unsigned lane, Stage stage) const
	{
#pragma unroll 1
		for (int i = lane; i < range.count(); i += 32) {
			const BoundaryCell c = cell(i);
			const int first = c.cell >> 16, last = first + (c.cell >> 8 & 31), kept = last < STAGED_LINKS ? last : STAGED_LINKS;
			int k = first;
			real sum = 0;
#pragma unroll 1
			for (; k < kept; k += 4) {
				real more[4];
#pragma unroll
				for (int j = 0; j < 4; j++) more[j] = k + j < kept ? changes()[k + j] : real(0);
#pragma unroll
				for (int j = 0; j < 4; j++) sum += more[j];
			}
			if (last > STAGED_LINKS) {
#pragma unroll 1
				for (k = first < STAGED_LINKS ? STAGED_LINKS : first; k < last; k++) {
					const unsigned l = link(k);
					const Ends ends = this->ends(l);
					sum += change(stage, k, l, ends, stage == left ? at(ends.departure) : returning(k));
				}
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
		for (int i = lane; i < range.count(); i += 32) {
			const BoundaryCell c = cell(i);
			if (!c.opening) continue;
			const int number = c.cell & 63;
			Sample u = {widen(slots[access_cell(number, REST)]) * (1 / SCALE), 0, 0, 0};
#pragma unroll
			for (int q = 0; q < DIRECTIONS; q++) add(u, q, widen(slots[access_cell(number, q ^ 1)]) * (1 / SCALE));
			u.stress[0] -= u.x * u.x + u.density / 3, u.stress[1] -= u.y * u.y + u.density / 3, u.stress[2] -= u.z * u.z + u.density / 3;
			u.stress[3] -= u.x * u.y, u.stress[4] -= u.x * u.z, u.stress[5] -= u.y * u.z;
			walls.samples[c.opening - 1] = u;
			if (!QUADRATIC) forget(number, c.opening - 1);
		}
	}
	// forget_last makes the cells at openings forget after all corrections of walls, since
	// quadratic ones are computed twice and read what other cells have.
	DEVICE void forget_last(unsigned lane) const
	{
#pragma unroll 1
		for (int i = lane; i < range.count(); i += 32) {
			const BoundaryCell c = cell(i);
			if (c.opening) forget(c.cell & 63, c.opening - 1);
		}
	}
	// forget makes a cell at an opening forget parts of its stress and of its differences of
	// third moments, as the processor's Observe of package opening.
	DEVICE void forget(int cell, int number) const
	{
		const OpeningLink l = walls.opening_links[walls.opening_cells[number].first_link];
		const Opening &o = walls.openings[l.opening()];
		Sample u = walls.samples[number];
		const real speed = square_root(u.x * u.x + u.y * u.y + u.z * u.z);
		if (o.stress != 0 && l.weight > 0) {
			forget_stress(cell, u, at_most_one(o.stress * speed));
			walls.samples[number] = u;
		}
		if (o.differences != 0) forget_differences(cell, u, at_most_one(o.differences * speed) * real(0.125));
	}
	DEVICE static real at_most_one(real v) { return v < 1 ? v : real(1); }
	// forget_stress takes a part of the stress from a cell and what is known of it, see the
	// processor's sample.forgetStress.
	DEVICE void forget_stress(int cell, Sample &u, real part) const
	{
		const real *const p = u.stress, third = (p[0] + p[1] + p[2]) / 3, scale = SCALE * part * real(4.5);
		slot_t &rest = slots[access_cell(cell, REST)];
		rest = narrow(widen(rest) + scale * (weight(0) / ratio(0)) * third);
#pragma unroll
		for (int q = 0; q < DIRECTIONS; q++) {
			const real x = component(ALONG_X, q), y = component(ALONG_Y, q), z = component(ALONG_Z, q);
			slot_t &f = slots[access_cell(cell, q ^ 1)];
			f = narrow(widen(f) - scale * weight(q) * (x * x * p[0] + y * y * p[1] + z * z * p[2] + 2 * (x * y * p[3] + x * z * p[4] + y * z * p[5]) - third));
		}
#pragma unroll
		for (int k = 0; k < 6; k++) u.stress[k] *= 1 - part;
	}
	// forget_differences is the processor's sample.thirdMoments, with an eighth of the part.
	DEVICE void forget_differences(int cell, const Sample &u, real part) const
	{
		real odd[6];
#pragma unroll
		for (int k = 0; k < 6; k++) {
			const int q = DIAGONAL + 2 * k;
			odd[k] = (at(access_cell(cell, q ^ 1)) - at(access_cell(cell, q))) * (1 / SCALE);
		}
		const real by_xy = 2 * u.stress[3], by_xz = 2 * u.stress[4], by_yz = 2 * u.stress[5];
		const real x = u.x * (u.y * u.y - u.z * u.z + u.stress[1] - u.stress[2]) + u.y * by_xy - u.z * by_xz - (odd[0] + odd[1] - odd[2] - odd[3]);
		const real y = u.y * (u.z * u.z - u.x * u.x + u.stress[2] - u.stress[0]) + u.z * by_yz - u.x * by_xy - (odd[4] + odd[5] - odd[0] + odd[1]);
		const real z = u.z * (u.x * u.x - u.y * u.y + u.stress[0] - u.stress[1]) + u.x * by_xz - u.y * by_yz - (odd[2] - odd[3] - odd[4] + odd[5]);
		const real more[6] = {x - y, x + y, z - x, -(x + z), y - z, y + z};
#pragma unroll
		for (int k = 0; k < 6; k++) {
			const int q = DIAGONAL + 2 * k;
			slot_t &along = slots[access_cell(cell, q ^ 1)], &against = slots[access_cell(cell, q)];
			along = narrow(widen(along) + SCALE * part * more[k]), against = narrow(widen(against) - SCALE * part * more[k]);
		}
	}
	enum { DIAGONAL = 6 }; // the first direction along a diagonal of a face
	DEVICE static void add(Sample &u, int q, real v)
	{
		const int x = component(ALONG_X, q), y = component(ALONG_Y, q), z = component(ALONG_Z, q);
		u.density += v;
		u.x += x * v, u.y += y * v, u.z += z * v;
		u.stress[0] += x * x * v, u.stress[1] += y * y * v, u.stress[2] += z * z * v;
		u.stress[3] += x * y * v, u.stress[4] += x * z * v, u.stress[5] += y * z * v;
	}

	// impose replaces what returns from the openings, a lane for each cell: where a
	// flow is imposed by Ladd's (1994) moving wall, where a pressure is by what
	// PressureOpening says. A cell's links to one opening stand together.
	DEVICE void impose(unsigned lane, const OpeningTile &tile) const
	{
#pragma unroll 1
		for (unsigned c = tile.first_cell + lane; c < tile.first_cell + tile.cells; c += 32) {
			const OpeningCell cell = walls.opening_cells[c];
			real gained = 0;
#pragma unroll 1
			for (int first = cell.first_link, end; first < cell.first_link + cell.links; first = end) {
				const unsigned opening = walls.opening_links[first].opening();
				for (end = first + 1; end < cell.first_link + cell.links && walls.opening_links[end].opening() == opening;) end++;
				const Opening o = walls.openings[opening];
				if (o.velocity == 0) {
					PressureOpening(walls, first, end, o, walls.samples[c]).impose(gained);
					continue;
				}
				for (int k = first; k < end; k++) {
					const OpeningLink l = walls.opening_links[k];
					set_returning(walls, k, l, widen(walls.returning[l.link]) + SCALE * (l.inflow * o.inflow), gained);
				}
			}
			slot_t *const rest = slots + access_cell(cell.cell, REST);
			if (gained != 0) *rest = narrow(widen(*rest) - gained);
		}
	}
};
