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

// Arrays are those of a physics' fields, value after value.
struct Arrays {
	char *const *list;
	template <class T> DEVICE T *at(int number) const { return (T *)list[number]; }
};

// Windows find the neighbours of own cells (package solver's Windows).
struct Windows {
	const int *shapes, *shifts, *first, *runs;
	unsigned long long offsets;
	// neighbour is that of a cell at an offset, by number, −1 where there is none.
	DEVICE int neighbour(int cell, unsigned offset) const
	{
		const int shape = shapes[cell >> 5], lane = cell & 31;
		if (shape >= 0) return cell + shifts[(size_t)shape * offsets + offset];
		const int begin = first[(size_t)(-1 - shape) * offsets + offset];
		if (begin >= 0) return begin + lane;
		const int *const record = runs - 1 - begin;
		const int shift = record[count_bits((unsigned)record[0] << (31 - lane))];
		return shift == -2147483647 - 1 ? -1 : shift + lane;
	}
};

// atomic_max_of_warp lets a number, which all threads of a warp give together, be at least as large as
// each of theirs; one that has no cell gives 0.
DEVICE void atomic_max_of_warp(unsigned long long *at, unsigned long long v)
{
	for (unsigned bit = 1; bit < 32; bit *= 2) {
		const unsigned long long other = exchange(v, bit);
		v = v > other ? v : other;
	}
	if (threadIdx.x % 32 == 0) atomic_max(at, v);
}

// atomic_add_of_warp adds what all threads of a warp give together to a number.
DEVICE void atomic_add_of_warp(unsigned long long *at, unsigned long long v)
{
	for (unsigned bit = 1; bit < 32; bit *= 2) v += exchange(v, bit);
	if (threadIdx.x % 32 == 0) atomic_add(at, v);
}
