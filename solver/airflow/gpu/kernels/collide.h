// collide relaxes the populations of a cell with two rates (Ginzburg,
// Verhaeghe and d'Humières 2008) towards the incompressible equilibrium of He
// and Luo (1997), as package collision does; equal rates are BGK. With FORCE a
// uniform body force is added (Guo, Zheng and Shi 2002). All other operators
// are generated from that package (program.go).
#if DIRECTIONS == 26
#define W0(A) (real(A) * 8 / 27) // A times the weight at rest
#define W1(A) (real(A) * 2 / 27)
#define W2(A) (real(A) / 54)
#define W3(A) (real(A) / 216)
#else
#define W0(A) (real(A) / 3)
#define W1(A) (real(A) / 18)
#define W2(A) (real(A) / 36)
#endif
DEVICE void collide(real *g, const Rates &rate)
{
	constexpr int pairs = DIRECTIONS / 2, rest = DIRECTIONS;
	real s[pairs], t[pairs];
#pragma unroll
	for (int i = 0; i < pairs; i++) {
		s[i] = g[2 * i] + g[2 * i + 1];
		t[i] = g[2 * i] - g[2 * i + 1];
	}
	real d = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])) + (s[8] + g[rest]);
	real ux = t[0] + (t[3] + t[4]) + (t[5] + t[6]), uy = t[1] + (t[3] - t[4]) + (t[7] + t[8]), uz = t[2] + (t[5] - t[6]) + (t[7] - t[8]);
#if DIRECTIONS == 26
	d += (s[9] + s[10]) + (s[11] + s[12]);
	ux += (t[9] + t[10]) + (t[11] - t[12]);
	uy += (t[9] + t[10]) - (t[11] - t[12]);
	uz += (t[9] - t[10]) + (t[11] + t[12]);
#endif
#if FORCE
	const real fx = rate.force[0], fy = rate.force[1], fz = rate.force[2];
	ux += real(0.5) * fx;
	uy += real(0.5) * fy;
	uz += real(0.5) * fz;
#endif
	const real op = rate.plus, om = rate.minus;
	const real base = d - (real(1.5) / SCALE) * (ux * ux + uy * uy + uz * uz);
	const real kp = real(0.5) - real(0.5) * op, km = real(0.5) - real(0.5) * om;
#define OF_WEIGHT(N) const real b##N = base * (op * W##N(1.0)), c##N = op * (W##N(4.5) / SCALE), m##N = om * W##N(3.0);
	OF_WEIGHT(1)
	OF_WEIGHT(2)
#if DIRECTIONS == 26
	OF_WEIGHT(3)
#endif
	g[rest] = g[rest] * (real(1.0) - op) + base * (op * W0(1.0));
#if FORCE
	const real uf = (ux * fx + uy * fy + uz * fz) * (real(1.0) / SCALE), forced = real(1.0) - real(0.5) * op, drift = real(1.0) - real(0.5) * om;
	g[rest] -= forced * W0(3.0) * uf;
#define FORCED(N, CF) p += forced * W##N(3.0) * ((real(3.0) / SCALE) * cu * (CF) - uf), o += drift * W##N(3.0) * (CF);
#else
#define FORCED(N, CF)
#endif
#define PAIR(I, N, CU, CF)                                                              \
	{                                                                                   \
		const real cu = CU;                                                             \
		real p = s[I] * kp + (c##N * (cu * cu) + b##N), o = t[I] * km + m##N * cu;     \
		FORCED(N, CF)                                                                   \
		g[2 * I] = p + o;                                                               \
		g[2 * I + 1] = p - o;                                                           \
	}
	PAIR(0, 1, ux, fx)
	PAIR(1, 1, uy, fy)
	PAIR(2, 1, uz, fz)
	PAIR(3, 2, ux + uy, fx + fy)
	PAIR(4, 2, ux - uy, fx - fy)
	PAIR(5, 2, ux + uz, fx + fz)
	PAIR(6, 2, ux - uz, fx - fz)
	PAIR(7, 2, uy + uz, fy + fz)
	PAIR(8, 2, uy - uz, fy - fz)
#if DIRECTIONS == 26
	PAIR(9, 3, (ux + uy) + uz, (fx + fy) + fz)
	PAIR(10, 3, (ux + uy) - uz, (fx + fy) - fz)
	PAIR(11, 3, (ux - uy) + uz, (fx - fy) + fz)
	PAIR(12, 3, (uy - ux) + uz, (fy - fx) + fz)
#endif
#undef PAIR
#undef FORCED
#undef OF_WEIGHT
#undef W0
#undef W1
#undef W2
#undef W3
}
