// A warp computes a column of cells, row after row: up to 28 cells side by side, with
// two lanes more on either side, whose cells it only reads. So each face is computed once,
// but for those between columns.
enum { WEST, EAST, SOUTH, NORTH };
enum { X_MINUS_2, X_MINUS_1, X_PLUS_1, X_PLUS_2, Y_MINUS_2, Y_MINUS_1, Y_PLUS_1, Y_PLUS_2 };

struct Column {
	int first, count, rows;
	int clean; // since when what it writes is zero: in the epoch of that number
};
struct Columns {
	Column *list;
};
DEVICE float of_lane(float v, unsigned lane)
{
	int bits;
	memcpy(&bits, &v, 4);
	bits = from_lane(bits, lane);
	memcpy(&v, &bits, 4);
	return v;
}
DEVICE double of_lane(double v, unsigned lane)
{
	unsigned long long bits;
	memcpy(&bits, &v, 8);
	bits = from_lane(bits, lane);
	memcpy(&v, &bits, 8);
	return v;
}

// Four numbers of a cell or at a side of it, of a face.
struct Four {
	real at[4];
	DEVICE Four of(unsigned lane) const
	{
		Four f;
		for (int i = 0; i < 4; i++) f.at[i] = of_lane(at[i], lane);
		return f;
	}
	// turned has x for y.
	DEVICE Four turned() const { return {{at[0], at[1], at[3], at[2]}}; }
};

struct Sided {
	Four low, high;
	real source;
};

struct Scheme {
	Fields f;
	Numbers n;
	Windows windows;

	DEVICE real of(int field, int value, int c) const { return f.at[field][value * f.stride + c]; }
	DEVICE Four cell(int c) const
	{
		real in[7];
		for (int i = 0; i < 3; i++) in[i] = of(WATER, i, c);
		in[3] = of(BOTTOM, 0, c);
		for (int i = 0; i < AFTER; i++) in[4 + i] = of(RATES, i, c);
		Four q;
		part1(n, in, q.at);
		return q;
	}
	DEVICE Sided sides(const Four &a, const Four &b, const Four &c) const
	{
		real in[12], out[9];
		for (int i = 0; i < 4; i++) in[i] = a.at[i], in[4 + i] = b.at[i], in[8 + i] = c.at[i];
		part2(n, in, out);
		Sided s;
		for (int i = 0; i < 4; i++) s.low.at[i] = out[i], s.high.at[i] = out[4 + i];
		s.source = out[8];
		return s;
	}
	DEVICE Four face(const Four &low, const Four &high, bool counts, real &fastest) const
	{
		real in[8], out[5];
		for (int i = 0; i < 4; i++) in[i] = low.at[i], in[4 + i] = high.at[i];
		part3(n, in, out);
		if (!AFTER && counts) fastest = maximum(fastest, out[4]);
		return {{out[0], out[1], out[2], out[3]}};
	}
	// edge is what lies beyond a side of a cell.
	DEVICE real edge(int c, int side) const
	{
		if (!OPEN) return 0;
		const real e = of(EDGES, side, c);
		return e < 0 ? e : product(e, n.inflow[side]);
	}
	// mirrored is the image of what lies at a side of a cell where there is no cell.
	DEVICE Four mirrored(const Four &q, int c, int side) const
	{
		return {{q.at[0], q.at[1], edge(c, side) == 0 ? 0 - q.at[2] : q.at[2], q.at[3]}};
	}
	// entered is a face at a side of a cell, where water of a depth is, at an edge.
	DEVICE void entered(Four &face, int c, int side, real h, real &fastest) const
	{
		real in[] = {edge(c, side), h}, out[2];
		if (!(in[0] > 0)) return;
		part4(n, in, out);
		face = {{side % 2 ? 0 - in[0] : in[0], 0, out[0], out[0]}};
		fastest = maximum(fastest, out[1]);
	}
	// moist tells whether there is water in a cell, or comes in.
	DEVICE bool moist(int c) const
	{
		if (c < 0) return false;
		return of(WATER, 0, c) != 0 || (AFTER && of(RATES, 0, c) != 0);
	}
	// wet tells whether a cell, of a row of a column, may be other than dry afterwards.
	DEVICE bool wet(int c, int row, int rows, bool clean) const
	{
		bool any = moist(c);
		if (c < 0) return any;
		if (!clean) any = any || of(WATER, 1, c) != 0 || of(WATER, 2, c) != 0;
		if (row == 0) any = any || moist(windows.neighbour(c, Y_MINUS_1)) || moist(windows.neighbour(c, Y_MINUS_2));
		if (row == rows - 1) any = any || moist(windows.neighbour(c, Y_PLUS_1)) || moist(windows.neighbour(c, Y_PLUS_2));
		const int beyond[] = {X_MINUS_1, X_PLUS_1, Y_MINUS_1, Y_PLUS_1};
		for (int side = WEST; OPEN && side <= NORTH; side++)
			any = any || (windows.neighbour(c, beyond[side]) < 0 && of(EDGES, side, c) > 0);
		return any;
	}
};

KERNEL(stage)(Columns columns, Windows windows, Fields f, unsigned long long *speeds, unsigned long long quiet, unsigned long long epoch, Numbers numbers)
{
	Column *const column = &columns.list[blockIdx.x * WARPS + threadIdx.x / 32];
	const Column c = *column;
	if (c.count == 0) return;
	const Scheme s = {f, numbers, windows};
	const int lane = threadIdx.x % 32, x = lane - 2;
	const bool own = x >= 0 && x < c.count, beside = !own && x <= c.count + 1;
	const int outside = x < 0 ? x + 2 : x - c.count + 2, side = x < 0 ? WEST : EAST;
	const bool near = x == -1 || x == c.count; // the nearer one of those beside
	real fastest = 0;
	int cell = own ? c.first + x : -1;

	// Where all is dry nothing happens: so the cells below number quiet are left out.
	const bool clean = c.clean == (int)epoch;
	if (c.first < (int)quiet) {
		bool any = false;
		int at = cell;
		for (int row = 0; row < c.rows && !any; row++) {
			const int end = from_lane(at, x < 0 ? 2 : c.count + 1);
			any = any_of_warp(own ? s.wet(at, row, c.rows, clean) : beside && s.moist(windows.neighbour(end, outside)));
			if (own && row + 1 < c.rows) at = windows.neighbour(at, Y_PLUS_1);
		}
		if (!any && clean) return;
		if (!any) {
			for (int row = 0; row < c.rows; row++) {
				for (int i = 0; i < 3 && own; i++) f.at[AFTER ? NEXT : RATES][i * f.stride + cell] = 0;
				if (own && row + 1 < c.rows) cell = windows.neighbour(cell, Y_PLUS_1);
			}
			if (lane == 0) column->clean = (int)epoch;
			return;
		}
		if (lane == 0) column->clean = -1;
	}

	// Along y: the cells before, at, and after a row, and what lies between.
	Four before = {}, q = {}, after = {}, lower = {}, high = {};
	real source = 0;
	if (own) {
		q = s.cell(cell).turned();
		const int down = windows.neighbour(cell, Y_MINUS_1), further = windows.neighbour(cell, Y_MINUS_2), up = windows.neighbour(cell, Y_PLUS_1);
		before = down >= 0 ? s.cell(down).turned() : s.mirrored(q, cell, SOUTH);
		after = up >= 0 ? s.cell(up).turned() : s.mirrored(q, cell, NORTH);
		Four far;
		if (down < 0)
			far = s.mirrored(after, cell, SOUTH);
		else
			far = further >= 0 ? s.cell(further).turned() : s.mirrored(before, down, SOUTH);
		const Sided below = s.sides(far, before, q), here = s.sides(before, q, after);
		lower = s.face(below.high, here.low, true, fastest);
		if (down < 0) s.entered(lower, cell, SOUTH, here.low.at[0], fastest);
		high = here.high;
		source = here.source;
	}
	for (int row = 0; row < c.rows; row++) {
		int up = -1;
		Four next = {}, upper = {}, high_next = {};
		real source_next = 0;
		if (own) {
			up = windows.neighbour(cell, Y_PLUS_1);
			const int further = windows.neighbour(cell, Y_PLUS_2);
			if (up < 0)
				next = s.mirrored(before, cell, NORTH);
			else
				next = further >= 0 ? s.cell(further).turned() : s.mirrored(after, up, NORTH);
			const Sided above = s.sides(q, after, next);
			upper = s.face(high, above.low, true, fastest);
			if (up < 0) s.entered(upper, cell, NORTH, high.at[0], fastest);
			high_next = above.high;
			source_next = above.source;
		}

		// Along x: lanes have the faces below their cells.
		const int end = from_lane(cell, x < 0 ? 2 : c.count + 1);
		const int there = own ? cell : beside ? windows.neighbour(end, outside) : -1;
		Four here = q.turned();
		if (!own) here = there >= 0 ? s.cell(there) : Four{};
		const int before_first = from_lane(there, 1);
		const int nearer = from_lane(there, x < 0 ? 1 : c.count + 2);
		const bool missing = beside && (there < 0 || nearer < 0);
		if (any_of_warp(missing)) {
			const Four image = here.of(x < 0 ? 2 : c.count + 1);
			if (missing && near) here = s.mirrored(image, end, side);
			const Four far = here.of(nearer >= 0 ? (x < 0 ? 1 : c.count + 2) : (x < 0 ? 3 : c.count));
			if (missing && !near) here = s.mirrored(far, nearer >= 0 ? nearer : end, side);
		}
		const Sided along = s.sides(here.of((lane + 31) % 32), here, here.of((lane + 1) % 32));
		const Four high_before = along.high.of((lane + 31) % 32);
		const bool counts = x >= 0 && x <= c.count;
		Four west = s.face(high_before, along.low, counts, fastest);
		if (x == 0 && before_first < 0) s.entered(west, cell, WEST, along.low.at[0], fastest);
		if (x == c.count && there < 0) s.entered(west, end, EAST, high_before.at[0], fastest);
		const Four east = west.of((lane + 1) % 32);

		if (own) {
			real in[] = {west.at[0], west.at[1], west.at[3], east.at[0], east.at[1], east.at[2], along.source,
				lower.at[0], lower.at[1], lower.at[3], upper.at[0], upper.at[1], upper.at[2], source,
				0, 0, 0, 0, 0, 0};
			for (int i = 0; i < AFTER; i++) in[14 + i] = s.of(WATER, i, cell), in[17 + i] = s.of(RATES, i, cell);
			real out[3];
			part0(numbers, in, out);
			for (int i = 0; i < 3; i++) f.at[AFTER ? NEXT : RATES][i * f.stride + cell] = out[i];
			cell = up;
		}
		before = q;
		q = after;
		after = next;
		lower = upper;
		high = high_next;
		source = source_next;
	}
	if (!AFTER) atomic_max_of_warp(speeds, bits_of(double(fastest)));
}
