// collide relaxes the populations of a cell with two rates (Ginzburg,
// Verhaeghe and d'Humières 2008) towards the incompressible equilibrium of He
// and Luo (1997), as package collision does; equal rates are BGK. With FORCE a
// uniform body force is added (Guo, Zheng and Shi 2002). All other operators
// are generated from that package (program.go).
DEVICE void collide(real *g, const Rates &rate)
{
	real s[9], t[9];
#pragma unroll
	for (int i = 0; i < 9; i++) {
		s[i] = g[2 * i] + g[2 * i + 1];
		t[i] = g[2 * i] - g[2 * i + 1];
	}
	const real d = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])) + (s[8] + g[18]);
	real ux = t[0] + (t[3] + t[4]) + (t[5] + t[6]), uy = t[1] + (t[3] - t[4]) + (t[7] + t[8]), uz = t[2] + (t[5] - t[6]) + (t[7] - t[8]);
#if FORCE
	const real fx = rate.force[0], fy = rate.force[1], fz = rate.force[2];
	ux += real(0.5) * fx;
	uy += real(0.5) * fy;
	uz += real(0.5) * fz;
#endif
	const real op = rate.plus, om = rate.minus;
	const real base = d - (real(1.5) / SCALE) * (ux * ux + uy * uy + uz * uz);
	const real kp = real(0.5) - real(0.5) * op, km = real(0.5) - real(0.5) * om;
	const real b1 = base * (op * (real(1.0) / 18)), b2 = base * (op * (real(1.0) / 36)), c1 = op * (real(4.5) / 18 / SCALE), c2 = op * (real(4.5) / 36 / SCALE);
	const real m1 = om * (real(3.0) / 18), m2 = om * (real(3.0) / 36);
	g[18] = g[18] * (real(1.0) - op) + base * (op * (real(1.0) / 3));
#if FORCE
	const real uf = (ux * fx + uy * fy + uz * fz) * (real(1.0) / SCALE), p1 = (real(1.0) - real(0.5) * op) * (real(3.0) / 18), p2 = (real(1.0) - real(0.5) * op) * (real(3.0) / 36);
	const real q1 = (real(1.0) - real(0.5) * om) * (real(3.0) / 18), q2 = (real(1.0) - real(0.5) * om) * (real(3.0) / 36);
	g[18] -= (real(1.0) - real(0.5) * op) * uf;
#define FORCED(P, Q, CF) p += P * ((real(3.0) / SCALE) * cu * (CF) - uf), o += Q * (CF);
#else
#define FORCED(P, Q, CF)
#endif
#define PAIR(I, N, CU, CF)                                                              \
	{                                                                                   \
		const real cu = CU;                                                             \
		real p = s[I] * kp + (c##N * (cu * cu) + b##N), o = t[I] * km + m##N * cu;     \
		FORCED(p##N, q##N, CF)                                                          \
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
#undef PAIR
#undef FORCED
}
