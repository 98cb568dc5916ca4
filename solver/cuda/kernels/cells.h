// What kernels over cells begin with. Values lie in arrays by local cell: value v of a
// field at v·stride + cell. A kernel's first argument are the Cells that it works on, one
// a thread.
struct Part {
	int first, end;
};
struct Cells {
	const Part *parts;
	// own is the cell of this thread, −1 if it has none.
	DEVICE int own() const
	{
		const Part p = parts[blockIdx.x];
		const int c = p.first / (WARPS * 32) * (WARPS * 32) + (int)threadIdx.x;
		return c >= p.first && c < p.end ? c : -1;
	}
};

// Windows find the neighbours of own cells (package solver's Windows).
struct Windows {
	const int *first, *runs;
	unsigned long long offsets;
	// neighbour is that of a cell at an offset, by number, −1 where there is none.
	DEVICE int neighbour(int cell, unsigned offset) const
	{
		const int window = cell >> 5, lane = cell & 31, begin = first[(size_t)window * offsets + offset];
		if (begin >= 0) return begin + lane;
		const int *const record = runs - 1 - begin;
		const int shift = record[count_bits((unsigned)record[0] << (31 - lane))];
		return shift == -2147483647 - 1 ? -1 : shift + lane;
	}
};
