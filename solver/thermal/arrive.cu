// What arrives at a cell of a gas, from values that are STORED.
typedef REAL real;
typedef STORED stored;
#define POPULATIONS 37
#define PRESENT(I) (windows.neighbour(c, I) >= 0 ? real(1) : real(0))
#define DEBT(I) debt(from, windows, stride, c, I)
DEVICE real pull(const stored *from, const Windows &windows, unsigned long long stride, int c, int i)
{
	const int n = windows.neighbour(c, i), back = i == 0 ? 0 : ((i - 1) ^ 1) + 1;
	return n >= 0 ? from[i * stride + n] : from[back * stride + c];
}
// arrive pulls all populations. Where neighbours follow each other as cells of the window do, at
// all offsets, there is nothing to choose: all is on its way before the first is there.
DEVICE void arrive(real *f, const stored *from, const Windows &windows, unsigned long long stride, int c)
{
	const int *const first = windows.first + (size_t)(c >> 5) * windows.offsets;
	int begin[POPULATIONS], least = 0;
#pragma unroll
	for (int i = 0; i < POPULATIONS; i++) {
		begin[i] = first[i];
		least = begin[i] < least ? begin[i] : least;
	}
	if (least >= 0) {
#pragma unroll
		for (int i = 0; i < POPULATIONS; i++) f[i] = from[i * stride + begin[i] + (c & 31)];
	} else {
#pragma unroll
		for (int i = 0; i < POPULATIONS; i++) f[i] = pull(from, windows, stride, c, i);
	}
}
DEVICE real debt(const stored *from, const Windows &windows, unsigned long long stride, int c, int i)
{
	const int n = windows.neighbour(c, i);
	return n >= 0 ? from[POPULATIONS * stride + n] : real(0);
}
