// What arrives at a cell, from values that are STORED.
typedef REAL real;
typedef STORED stored;
#define PRESENT(K) (windows.neighbour(c, K) >= 0 ? real(1) : real(0))
#define VALUE(I, K) value(from, windows, stride, c, I, K)
// pull reads value i of the neighbour at the k-th offset, or what the cell has in place of it.
DEVICE real pull(const stored *from, const Windows &windows, unsigned long long stride, int c, int i, int k, int wall)
{
	const int n = windows.neighbour(c, k);
	return n >= 0 ? from[i * stride + n] : from[wall * stride + c];
}
// arrive pulls all values. Where neighbours follow each other as cells of the window do, at all
// offsets, there is nothing to choose: all is on its way before the first is there.
DEVICE void arrive(real *f, const stored *from, const Windows &windows, unsigned long long stride, int c)
{
	const int shape = windows.shapes[c >> 5];
	if (shape >= 0) {
		const int *const shifts = windows.shifts + shape * OFFSETS;
		FOLLOW
	} else {
		PULL
	}
}
// value reads that of a neighbour, 0 where there is none.
DEVICE real value(const stored *from, const Windows &windows, unsigned long long stride, int c, int i, int k)
{
	const int n = windows.neighbour(c, k);
	return n >= 0 ? from[i * stride + n] : real(0);
}
