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

// Still tells where there is nothing: of what stages write, by number, the last one that
// left in a window of cells something other than zero, and which one wrote it last.
struct Still {
	int *windows[3];
	int written[3];
	int stage, epoch; // this one's number, and what is known
	int cells;        // so many are own
	int from, to;     // the numbers of the state that is read and of what is written
};

enum {
	READS = VALUES + GROUND_VALUES + AFTER,
	OWNED = VALUES * OWNS,
	BALANCED = 2 * (2 * VALUES + 1), // what the end of a stage takes from faces
	FACE = VALUES + 1,
	MOST = CELL > FACE ? CELL : FACE,
	NARROW = 28,
	RATED = 2,
	TO = OWNS ? NEXT : RATES
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

// Point is the values of a cell or at a side of it, or of a face.
struct Point {
	real at[MOST];
	DEVICE Point of(unsigned lane) const
	{
		Point f;
		for (int i = 0; i < MOST; i++) f.at[i] = of_lane(at[i], lane);
		return f;
	}
	// turned has x for y.
	DEVICE Point turned() const
	{
		Point f = *this;
		f.at[CELL - 2] = at[CELL - 1];
		f.at[CELL - 1] = at[CELL - 2];
		return f;
	}
};

struct Sided {
	Point low, high;
	real source;
};

// Read is what is read of a cell.
struct Read {
	real at[READS];
};

struct Scheme {
	Fields f;
	Numbers n;
	Windows windows;

	DEVICE real of(int field, int value, int c) const { return f.at[field][value][c]; }
	// reads is the first of the cells' values of which one is read, by number.
	DEVICE const real *reads(int i) const
	{
		if (i < VALUES) return f.at[STATE][i];
		i -= VALUES;
		return i < GROUND_VALUES ? f.at[GROUND][i] : f.at[RATES][i - GROUND_VALUES];
	}
	// owns is that of what the end of a stage takes of a cell.
	DEVICE const real *owns(int i) const { return i < VALUES ? f.at[STATE][i] : f.at[RATES][i - VALUES]; }
	DEVICE Point made(const Read &r) const
	{
		Point q;
		part1(n, r.at, q.at);
		return q;
	}
	DEVICE Point cell(int c) const
	{
		Read r;
		for (int i = 0; i < READS; i++) r.at[i] = reads(i)[c];
		return made(r);
	}
	DEVICE Point rise(const Point &a, const Point &b) const
	{
		real in[2 * CELL];
		for (int i = 0; i < CELL; i++) in[i] = a.at[i], in[CELL + i] = b.at[i];
		Point rise;
		part5(n, in, rise.at);
		return rise;
	}
	DEVICE Sided sides(const Point &a, const Point &b, const Point &c) const { return between(rise(a, b), b, rise(b, c)); }
	DEVICE Sided between(const Point &back, const Point &q, const Point &forth) const
	{
		real in[3 * CELL], out[2 * CELL + 1];
		for (int i = 0; i < CELL; i++) in[i] = back.at[i], in[CELL + i] = q.at[i], in[2 * CELL + i] = forth.at[i];
		part2(n, in, out);
		Sided s;
		for (int i = 0; i < CELL; i++) s.low.at[i] = out[i], s.high.at[i] = out[CELL + i];
		s.source = out[2 * CELL];
		return s;
	}
	DEVICE Point face(const Point &low, const Point &high, bool counts, real &fastest) const
	{
		real in[2 * CELL], out[FACE + 1];
		for (int i = 0; i < CELL; i++) in[i] = low.at[i], in[CELL + i] = high.at[i];
		part3(n, in, out);
		if (!AFTER && counts) fastest = greater(fastest, out[FACE]);
		Point face;
		for (int i = 0; i < FACE; i++) face.at[i] = out[i];
		return face;
	}
	// balance adds what the faces below and above a cell along an axis, and its ground, give it.
	DEVICE void balance(real *in, const Point &low, const Point &high, real source) const
	{
		for (int i = 0; i < VALUES; i++) {
			in[i] = low.at[i < VALUES - 1 ? i : VALUES];
			in[VALUES + i] = high.at[i];
		}
		in[2 * VALUES] = source;
	}
	// edge is what lies beyond a side of a cell.
	DEVICE real edge(int c, int side) const
	{
		if (!OPEN) return 0;
		const real e = of(EDGES, side, c);
		return e < 0 ? e : product(e, n.inflow[side]);
	}
	// mirrored is the image of what lies at a side of a cell where there is no cell.
	DEVICE Point mirrored(const Point &q, int c, int side) const
	{
		Point image = q;
		if (edge(c, side) == 0) image.at[CELL - 2] = 0 - q.at[CELL - 2];
		return image;
	}
	// entered is a face at a side of a cell, where h of the first value is, at an edge.
	DEVICE void entered(Point &face, int c, int side, real h, real &fastest) const
	{
		real in[] = {edge(c, side), h}, out[2];
		if (!(in[0] > 0)) return;
		part4(n, in, out);
		face = {{side % 2 ? 0 - in[0] : in[0]}};
		face.at[VALUES - 1] = face.at[VALUES] = out[0];
		fastest = maximum(fastest, out[1]);
	}
	// filled tells whether there is some of the first value in a cell, or comes in.
	DEVICE bool filled(int c) const
	{
		if (c < 0) return false;
		return of(STATE, 0, c) != 0 || (AFTER && of(RATES, 0, c) != 0);
	}
	// changes tells whether a cell, of a row of a column, may be other than zero afterwards.
	DEVICE bool changes(int c, int row, int rows, bool clean) const
	{
		bool any = filled(c);
		if (c < 0) return any;
		for (int i = 1; i < VALUES && !clean; i++) any = any || of(STATE, i, c) != 0;
		if (row == 0) any = any || filled(windows.neighbour(c, Y_MINUS_1)) || filled(windows.neighbour(c, Y_MINUS_2));
		if (row == rows - 1) any = any || filled(windows.neighbour(c, Y_PLUS_1)) || filled(windows.neighbour(c, Y_PLUS_2));
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
	Values<K> at[READS];
	DEVICE void from(const Scheme &s, int cell)
	{
		for (int i = 0; i < READS; i++) at[i] = read<K>(s.reads(i) + cell);
	}
	DEVICE Point made(const Scheme &s, int k) const
	{
		Read r;
		for (int i = 0; i < READS; i++) r.at[i] = at[i].at[k];
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
	Point q[K], after[K], back[K], high[K], lower[K];
	real source[K];
	Reads<K> coming;
	{
		Point far[K], near[K];
		coming.from(s, cell - 2 * c.pitch);
		for (int k = 0; k < K; k++) far[k] = coming.made(s, k).turned();
		coming.from(s, cell - c.pitch);
		for (int k = 0; k < K; k++) near[k] = coming.made(s, k).turned();
		coming.from(s, cell);
		for (int k = 0; k < K; k++) q[k] = coming.made(s, k).turned();
		coming.from(s, cell + c.pitch);
		for (int k = 0; k < K; k++) after[k] = coming.made(s, k).turned();
		for (int k = 0; k < K; k++) {
			const Point up = s.rise(near[k], q[k]);
			back[k] = s.rise(q[k], after[k]);
			const Sided below = s.between(s.rise(far[k], near[k]), near[k], up), here = s.between(up, q[k], back[k]);
			lower[k] = s.face(below.high, here.low, own, fastest);
			high[k] = here.high;
			source[k] = here.source;
		}
	}
	int ahead = cell + 2 * c.pitch, nonzero = 0;
	coming.from(s, ahead);
#pragma unroll 2 // copies of one row would wait for what is read; more rows are more than fits near the multiprocessor
	for (int row = 0; row < c.rows; row++) {
		Point next[K];
		for (int k = 0; k < K; k++) next[k] = coming.made(s, k).turned();
		if (row + 1 < c.rows) ahead += c.pitch;
		coming.from(s, ahead);
		Values<K> owned[OWNED + 1];
		for (int i = 0; i < OWNED; i++) owned[i] = read<K>(s.owns(i) + cell);

		Point rise[K + 1], west[K + 1];
		Sided along[K];
		rise[0] = s.rise(q[K - 1].turned().of(before), q[0].turned());
		for (int k = 1; k < K; k++) rise[k] = s.rise(q[k - 1].turned(), q[k].turned());
		rise[K] = rise[0].of(behind);
		for (int k = 0; k < K; k++) along[k] = s.between(rise[k], q[k].turned(), rise[k + 1]);
		west[0] = s.face(along[K - 1].high.of(before), along[0].low, x >= 0 && x <= c.count, fastest);
		for (int k = 1; k < K; k++) west[k] = s.face(along[k - 1].high, along[k].low, x + k >= 0 && x + k <= c.count, fastest);
		for (int i = 0; i < VALUES; i++) west[K].at[i] = of_lane(west[0].at[i], behind);

		Values<K> results[VALUES];
		for (int k = 0; k < K; k++) {
			const Point forth = s.rise(after[k], next[k]);
			const Sided above = s.between(back[k], after[k], forth);
			const Point upper = s.face(high[k], above.low, own, fastest);
			real in[BALANCED + OWNED], out[VALUES];
			s.balance(in, west[k], west[k + 1], along[k].source);
			s.balance(in + BALANCED / 2, lower[k], upper, source[k]);
			for (int i = 0; i < OWNED; i++) in[BALANCED + i] = owned[i].at[k];
			part0(s.n, in, out);
			for (int i = 0; i < VALUES; i++) results[i].at[k] = out[i], nonzero |= bits_set(out[i]);
			q[k] = after[k];
			after[k] = next[k];
			back[k] = forth;
			lower[k] = upper;
			high[k] = above.high;
			source[k] = above.source;
		}
		for (int i = 0; i < VALUES && own; i++) *(Values<K> *)(s.f.at[TO][i] + cell) = results[i];
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

KERNEL(stage)(Columns columns, Windows windows, Fields f, unsigned long long *speeds, Numbers numbers, Still still)
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

	// Where all is zero nothing happens: so own cells are left out.
	const bool clean = c.clean[still.to] == still.epoch;
	if (c.first < still.cells) {
		bool any = still.written[still.from] == 0;
		if (!any && c.pitch != 0) any = some(still, c, lane);
		int at = cell;
		for (int row = 0; row < c.rows && !any && c.pitch == 0; row++) {
			const int end = from_lane(at, x < 0 ? 2 : c.count + 1);
			any = any_of_warp(own ? s.changes(at, row, c.rows, clean) : beside && s.filled(windows.neighbour(end, outside)));
			if (own && row + 1 < c.rows) at = windows.neighbour(at, Y_PLUS_1);
		}
		if (!any && clean) return;
		if (!any) {
			for (int row = 0; row < c.rows; row++) {
				for (int i = 0; i < VALUES && own; i++) f.at[TO][i][cell] = 0;
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
	Point before = {}, q = {}, after = {}, lower = {}, high = {};
	real source = 0;
	if (own) {
		q = s.cell(cell).turned();
		const int down = windows.neighbour(cell, Y_MINUS_1), further = windows.neighbour(cell, Y_MINUS_2), up = windows.neighbour(cell, Y_PLUS_1);
		before = down >= 0 ? s.cell(down).turned() : s.mirrored(q, cell, SOUTH);
		after = up >= 0 ? s.cell(up).turned() : s.mirrored(q, cell, NORTH);
		Point far;
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
		Point next = {}, upper = {}, high_next = {};
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
		Point here = q.turned();
		if (!own) here = there >= 0 ? s.cell(there) : Point{};
		const int before_first = from_lane(there, 1);
		const int nearer = from_lane(there, x < 0 ? 1 : c.count + 2);
		const bool missing = beside && (there < 0 || nearer < 0);
		if (any_of_warp(missing)) {
			const Point image = here.of(x < 0 ? 2 : c.count + 1);
			if (missing && near) here = s.mirrored(image, end, side);
			const Point far = here.of(nearer >= 0 ? (x < 0 ? 1 : c.count + 2) : (x < 0 ? 3 : c.count));
			if (missing && !near) here = s.mirrored(far, nearer >= 0 ? nearer : end, side);
		}
		const Sided along = s.sides(here.of((lane + 31) % 32), here, here.of((lane + 1) % 32));
		const Point high_before = along.high.of((lane + 31) % 32);
		const bool counts = x >= 0 && x <= c.count;
		Point west = s.face(high_before, along.low, counts, fastest);
		if (x == 0 && before_first < 0) s.entered(west, cell, WEST, along.low.at[0], fastest);
		if (x == c.count && there < 0) s.entered(west, end, EAST, high_before.at[0], fastest);
		const Point east = west.of((lane + 1) % 32);

		if (own) {
			real in[BALANCED + OWNED], out[VALUES];
			s.balance(in, west, east, along.source);
			s.balance(in + BALANCED / 2, lower, upper, source);
			for (int i = 0; i < OWNED; i++) in[BALANCED + i] = s.owns(i)[cell];
			part0(numbers, in, out);
			int nonzero = 0;
			for (int i = 0; i < VALUES; i++) f.at[TO][i][cell] = out[i], nonzero |= bits_set(out[i]);
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
