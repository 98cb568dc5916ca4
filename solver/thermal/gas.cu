// One step of a gas: pulls what arrives, relaxes it, and puts it into the other copy.
typedef REAL real;
#define PULL(I, BACK) pull(from, windows, stride, c, I, BACK)
#define PRESENT(I) (windows.neighbour(c, I) >= 0 ? real(1) : real(0))
#define DEBT(I) debt(from, windows, stride, c, I)
#define PUT(I, V) into[(size_t)(I) * stride + c] = V
DEVICE real pull(const real *from, const Windows &windows, unsigned long long stride, int c, int i, int back)
{
	const int n = windows.neighbour(c, i);
	return n >= 0 ? from[i * stride + n] : from[back * stride + c];
}
DEVICE real debt(const real *from, const Windows &windows, unsigned long long stride, int c, int i)
{
	const int n = windows.neighbour(c, i);
	return n >= 0 ? from[37 * stride + n] : real(0);
}
KERNEL(gas)(Cells cells, Windows windows, const real *__restrict__ from, real *__restrict__ into, unsigned long long stride)
{
	const int c = cells.own();
	if (c < 0) return;
	COLLIDE
}
