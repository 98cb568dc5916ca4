// Rusanov's fluxes, and the advance, as shallow.go computes them.
typedef double real;
struct State {
	real q[3];
};
DEVICE State side(const State &s, int axis, real gravity, real &fastest)
{
	State f = {{0, 0, 0}};
	fastest = 0;
	const real h = s.q[0];
	if (h <= 0) return f;
	const real u = s.q[1 + axis] / h;
	f.q[0] = s.q[1 + axis], f.q[1] = product(s.q[1], u), f.q[2] = product(s.q[2], u);
	f.q[1 + axis] += product(product(product(real(0.5), gravity), h), h);
	fastest = (u < 0 ? -u : u) + square_root(product(gravity, h));
	return f;
}
// fluxes leaves a cell's rates and returns the speed of its fastest wave.
DEVICE real fluxes(int c, const Windows &windows, const real *q, real *rate, unsigned long long stride, real gravity, real spacing)
{
	const State here = {{q[c], q[c + stride], q[c + 2 * stride]}};
	State sum = {{0, 0, 0}};
	real highest = 0;
	for (int i = 0; i < 4; i++) {
		const int axis = i / 2, n = windows.neighbour(c, i);
		const bool up = i % 2 == 0;
		State there = here;
		if (n >= 0)
			there = {{q[n], q[n + stride], q[n + 2 * stride]}};
		else
			there.q[1 + axis] = -there.q[1 + axis];
		const State low = up ? here : there, high = up ? there : here;
		real slow, fast;
		const State f = side(low, axis, gravity, slow), g = side(high, axis, gravity, fast);
		const real speed = maximum(slow, fast);
		highest = maximum(highest, speed);
		for (int v = 0; v < 3; v++) {
			const real flux = product(real(0.5), f.q[v] + g.q[v]) - product(product(real(0.5), speed), high.q[v] - low.q[v]);
			sum.q[v] += up ? -flux : flux;
		}
	}
	for (int v = 0; v < 3; v++) rate[c + v * stride] = sum.q[v] / spacing;
	return highest;
}
KERNEL(flux)(Cells cells, Windows windows, const real *q, real *rate, unsigned long long stride, unsigned long long *speeds, real gravity, real spacing)
{
	const int c = cells.own();
	atomic_max_of_warp(speeds, bits_of(c < 0 ? real(0) : fluxes(c, windows, q, rate, stride, gravity, spacing)));
}
KERNEL(advance)(Cells cells, real *q, const real *rate, unsigned long long stride, real dt)
{
	const int c = cells.own();
	if (c < 0) return;
	for (int v = 0; v < 3; v++) q[c + v * stride] += product(dt, rate[c + v * stride]);
}
