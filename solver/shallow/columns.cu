// A warp computes a column of cells, row after row: up to 28 cells side by side, with
// two lanes more on either side, whose cells it only reads. So each face is computed once,
// but for those between columns. A column with a pitch lies among other own cells: so much
// further is the cell above one, and that beside it is the next one. Of such ones a lane has
// two cells where more than 28 lie side by side.
enum { WEST, EAST, SOUTH, NORTH };
enum { X_MINUS_2, X_MINUS_1, X_PLUS_1, X_PLUS_2, Y_MINUS_2, Y_MINUS_1, Y_PLUS_1, Y_PLUS_2 };

struct Column {
	int first, count, rows, pitch;
	int clean[3]; // since when each of what stages write is zero: in the epoch of that number
	int padding;
};
struct Columns {
	Column *list;
};

enum { NARROW = 28, RATED = 2, TO = OWNS ? NEXT : RATES };
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

// Read is what is read of a cell.
struct Read {
	real at[AFTER ? 7 : 4];
};

struct Scheme {
	Fields f;
	Numbers n;
	Windows windows;

	DEVICE real of(int field, int value, int c) const { return f.at[field][value][c]; }
	DEVICE Read read(int c) const
	{
		Read r;
		for (int i = 0; i < 3; i++) r.at[i] = of(WATER, i, c);
		r.at[3] = of(BOTTOM, 0, c);
		for (int i = 0; i < AFTER; i++) r.at[4 + i] = of(RATES, i, c);
		return r;
	}
	// owned reads what the end of a stage takes of a cell.
	DEVICE void owned(int c, real *to) const
	{
		for (int i = 0; i < 3 && OWNS > 0; i++) to[i] = of(WATER, i, c);
		for (int i = 0; i < 3 && OWNS > 1; i++) to[3 + i] = of(RATES, i, c);
	}
	DEVICE Four made(const Read &r) const
	{
		Four q;
		part1(n, r.at, q.at);
		return q;
	}
	DEVICE Four cell(int c) const { return made(read(c)); }
	DEVICE Four rise(const Four &a, const Four &b) const
	{
		real in[8];
		for (int i = 0; i < 4; i++) in[i] = a.at[i], in[4 + i] = b.at[i];
		Four rise;
		part5(n, in, rise.at);
		return rise;
	}
	DEVICE Sided sides(const Four &a, const Four &b, const Four &c) const { return between(rise(a, b), b, rise(b, c)); }
	DEVICE Sided between(const Four &back, const Four &q, const Four &forth) const
	{
		real in[12], out[9];
		for (int i = 0; i < 4; i++) in[i] = back.at[i], in[4 + i] = q.at[i], in[8 + i] = forth.at[i];
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
		if (!AFTER && counts) fastest = greater(fastest, out[4]);
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

DEVICE int bits_set(float v)
{
	int bits;
	memcpy(&bits, &v, 4);
	return bits;
}
DEVICE int bits_set(double v)
{
	long long bits;
	memcpy(&bits, &v, 8);
	return bits != 0;
}

// Values are those of cells side by side, which are read and written at once.
template <int K> struct alignas(K * sizeof(real)) Values {
	real at[K];
};
template <int K> DEVICE Values<K> read(const real *at) { return *(const Values<K> *)at; }

// Reads is what is read of cells side by side.
template <int K> struct Reads {
	Values<K> at[AFTER ? 7 : 4];
	DEVICE void from(const Scheme &s, int cell)
	{
		for (int i = 0; i < 3; i++) at[i] = read<K>(s.f.at[WATER][i] + cell);
		at[3] = read<K>(s.f.at[BOTTOM][0] + cell);
		for (int i = 0; i < AFTER; i++) at[4 + i] = read<K>(s.f.at[RATES][i] + cell);
	}
	DEVICE Four made(const Scheme &s, int k) const
	{
		Read r;
		for (int i = 0; i < (AFTER ? 7 : 4); i++) r.at[i] = at[i].at[k];
		return s.made(r);
	}
};

// regular computes a column with a pitch, K cells of each row by a lane, and tells whether
// something is other than zero.
template <int K> DEVICE bool regular(const Scheme &s, const Column &c, int lane, real &fastest)
{
	const int x = K * lane - 2, last = c.count + 2 - K;
	const bool own = x >= 0 && x < c.count;
	const unsigned before = (lane + 31) % 32, behind = (lane + 1) % 32;
	// Those that have no cells read the last ones beside.
	int cell = c.first + (x < last ? x : last);
	Four q[K], after[K], back[K], high[K], lower[K];
	real source[K];
	Reads<K> coming;
	{
		Four far[K], near[K];
		coming.from(s, cell - 2 * c.pitch);
		for (int k = 0; k < K; k++) far[k] = coming.made(s, k).turned();
		coming.from(s, cell - c.pitch);
		for (int k = 0; k < K; k++) near[k] = coming.made(s, k).turned();
		coming.from(s, cell);
		for (int k = 0; k < K; k++) q[k] = coming.made(s, k).turned();
		coming.from(s, cell + c.pitch);
		for (int k = 0; k < K; k++) after[k] = coming.made(s, k).turned();
		for (int k = 0; k < K; k++) {
			const Four up = s.rise(near[k], q[k]);
			back[k] = s.rise(q[k], after[k]);
			const Sided below = s.between(s.rise(far[k], near[k]), near[k], up), here = s.between(up, q[k], back[k]);
			lower[k] = s.face(below.high, here.low, own, fastest);
			high[k] = here.high;
			source[k] = here.source;
		}
	}
	int ahead = cell + 2 * c.pitch, nonzero = 0;
	coming.from(s, ahead);
#pragma unroll 1 // several rows are more than fits near the multiprocessor
	for (int row = 0; row < c.rows; row++) {
		Four next[K];
		for (int k = 0; k < K; k++) next[k] = coming.made(s, k).turned();
		if (row + 1 < c.rows) ahead += c.pitch;
		coming.from(s, ahead);
		Values<K> water[3], rates[3];
		for (int i = 0; i < 3 && OWNS > 0; i++) water[i] = read<K>(s.f.at[WATER][i] + cell);
		for (int i = 0; i < 3 && OWNS > 1; i++) rates[i] = read<K>(s.f.at[RATES][i] + cell);

		Four rise[K + 1], west[K + 1];
		Sided along[K];
		rise[0] = s.rise(q[K - 1].turned().of(before), q[0].turned());
		for (int k = 1; k < K; k++) rise[k] = s.rise(q[k - 1].turned(), q[k].turned());
		rise[K] = rise[0].of(behind);
		for (int k = 0; k < K; k++) along[k] = s.between(rise[k], q[k].turned(), rise[k + 1]);
		west[0] = s.face(along[K - 1].high.of(before), along[0].low, x >= 0 && x <= c.count, fastest);
		for (int k = 1; k < K; k++) west[k] = s.face(along[k - 1].high, along[k].low, x + k >= 0 && x + k <= c.count, fastest);
		for (int i = 0; i < 3; i++) west[K].at[i] = of_lane(west[0].at[i], behind);

		Values<K> results[3];
		for (int k = 0; k < K; k++) {
			const Four forth = s.rise(after[k], next[k]);
			const Sided above = s.between(back[k], after[k], forth);
			const Four upper = s.face(high[k], above.low, own, fastest);
			real in[20], out[3];
			in[0] = west[k].at[0], in[1] = west[k].at[1], in[2] = west[k].at[3];
			for (int i = 0; i < 3; i++) in[3 + i] = west[k + 1].at[i];
			in[6] = along[k].source;
			in[7] = lower[k].at[0], in[8] = lower[k].at[1], in[9] = lower[k].at[3];
			for (int i = 0; i < 3; i++) in[10 + i] = upper.at[i];
			in[13] = source[k];
			for (int i = 0; i < 3 && OWNS > 0; i++) in[14 + i] = water[i].at[k];
			for (int i = 0; i < 3 && OWNS > 1; i++) in[17 + i] = rates[i].at[k];
			part0(s.n, in, out);
			for (int i = 0; i < 3; i++) results[i].at[k] = out[i], nonzero |= bits_set(out[i]);
			q[k] = after[k];
			after[k] = next[k];
			back[k] = forth;
			lower[k] = upper;
			high[k] = above.high;
			source[k] = above.source;
		}
		for (int i = 0; i < 3 && own; i++) *(Values<K> *)(s.f.at[TO][i] + cell) = results[i];
		cell += c.pitch;
	}
	return any_of_warp(own && nonzero != 0);
}

// some tells whether there is something in a column with a pitch or in what it reads.
DEVICE bool some(const Still &still, const Column &c, int lane)
{
	bool any = false;
	for (int row = lane - 2; row < c.rows + 2; row += 32) {
		const int first = c.first + row * c.pitch;
		for (int w = (first - 2) >> 5; w <= (first + c.count + 1) >> 5; w++) {
			any = any || still.windows[still.from][w] == still.written[still.from];
			if (AFTER) any = any || still.windows[RATED][w] == still.written[RATED];
		}
	}
	return any_of_warp(any);
}

// left notes that a column with a pitch has left something.
DEVICE void left(const Still &still, const Column &c, int lane)
{
	for (int row = lane; row < c.rows; row += 32) {
		const int first = c.first + row * c.pitch;
		for (int w = first >> 5; w <= (first + c.count - 1) >> 5; w++) still.windows[still.to][w] = still.stage;
	}
}

KERNEL(stage)(Columns columns, Windows windows, Fields f, unsigned long long *speeds, Still still, Numbers numbers)
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

	// Where all is dry nothing happens: so own cells are left out.
	const bool clean = c.clean[still.to] == still.epoch;
	if (c.first < still.cells) {
		bool any = still.written[still.from] == 0;
		if (!any && c.pitch != 0) any = some(still, c, lane);
		int at = cell;
		for (int row = 0; row < c.rows && !any && c.pitch == 0; row++) {
			const int end = from_lane(at, x < 0 ? 2 : c.count + 1);
			any = any_of_warp(own ? s.wet(at, row, c.rows, clean) : beside && s.moist(windows.neighbour(end, outside)));
			if (own && row + 1 < c.rows) at = windows.neighbour(at, Y_PLUS_1);
		}
		if (!any && clean) return;
		if (!any) {
			for (int row = 0; row < c.rows; row++) {
				for (int i = 0; i < 3 && own; i++) f.at[TO][i][cell] = 0;
				if (own && row + 1 < c.rows) cell = windows.neighbour(cell, Y_PLUS_1);
			}
			if (lane == 0) column->clean[still.to] = still.epoch;
			return;
		}
		if (lane == 0) column->clean[still.to] = -1;
	}
	if (c.pitch != 0) {
		if (c.count > NARROW ? regular<2>(s, c, lane, fastest) : regular<1>(s, c, lane, fastest)) left(still, c, lane);
		if (!AFTER) atomic_max_of_warp(speeds, bits_of(double(fastest)));
		return;
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
			s.owned(cell, in + 14);
			real out[3];
			part0(numbers, in, out);
			int nonzero = 0;
			for (int i = 0; i < 3; i++) f.at[TO][i][cell] = out[i], nonzero |= bits_set(out[i]);
			if (nonzero != 0) still.windows[still.to][cell >> 5] = still.stage;
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
