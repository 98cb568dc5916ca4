// What arrives at a cell of a gas, from values that are STORED.
typedef REAL real;
typedef STORED stored;
#define PULL(I, BACK) pull(from, windows, stride, c, I, BACK)
#define PRESENT(I) (windows.neighbour(c, I) >= 0 ? real(1) : real(0))
#define DEBT(I) debt(from, windows, stride, c, I)
DEVICE real pull(const stored *from, const Windows &windows, unsigned long long stride, int c, int i, int back)
{
	const int n = windows.neighbour(c, i);
	return n >= 0 ? from[i * stride + n] : from[back * stride + c];
}
DEVICE real debt(const stored *from, const Windows &windows, unsigned long long stride, int c, int i)
{
	const int n = windows.neighbour(c, i);
	return n >= 0 ? from[37 * stride + n] : real(0);
}
