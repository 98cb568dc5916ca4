// collide relaxes the populations of a cell with two rates (Ginzburg,
// Verhaeghe and d'Humières 2008) towards the incompressible equilibrium of He
// and Luo (1997), as package collision does; equal rates are BGK. With FORCE a
// uniform body force is added (Guo, Zheng and Shi 2002).
struct Rates {
	float plus, minus;
	float force[3]; // scaled as the populations are
};

DEVICE void collide(float *g, const Rates &rate)
{
	float s[9], t[9];
#pragma unroll
	for (int i = 0; i < 9; i++) {
		s[i] = g[2 * i] + g[2 * i + 1];
		t[i] = g[2 * i] - g[2 * i + 1];
	}
	const float d = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])) + (s[8] + g[18]);
	float ux = t[0] + (t[3] + t[4]) + (t[5] + t[6]), uy = t[1] + (t[3] - t[4]) + (t[7] + t[8]), uz = t[2] + (t[5] - t[6]) + (t[7] - t[8]);
#if FORCE
	const float fx = rate.force[0], fy = rate.force[1], fz = rate.force[2];
	ux += 0.5f * fx;
	uy += 0.5f * fy;
	uz += 0.5f * fz;
#endif
	const float op = rate.plus, om = rate.minus;
	const float base = d - (1.5f / SCALE) * (ux * ux + uy * uy + uz * uz);
	const float kp = 0.5f - 0.5f * op, km = 0.5f - 0.5f * om;
	const float b1 = base * (op * (1.0f / 18)), b2 = base * (op * (1.0f / 36)), c1 = op * (4.5f / 18 / SCALE), c2 = op * (4.5f / 36 / SCALE);
	const float m1 = om * (3.0f / 18), m2 = om * (3.0f / 36);
	g[18] = g[18] * (1.0f - op) + base * (op * (1.0f / 3));
#if FORCE
	const float uf = (ux * fx + uy * fy + uz * fz) * (1.0f / SCALE), p1 = (1.0f - 0.5f * op) * (3.0f / 18), p2 = (1.0f - 0.5f * op) * (3.0f / 36);
	const float q1 = (1.0f - 0.5f * om) * (3.0f / 18), q2 = (1.0f - 0.5f * om) * (3.0f / 36);
	g[18] -= (1.0f - 0.5f * op) * uf;
#define FORCED(P, Q, CF) p += P * ((3.0f / SCALE) * cu * (CF) - uf), o += Q * (CF);
#else
#define FORCED(P, Q, CF)
#endif
#define PAIR(I, N, CU, CF)                                                              \
	{                                                                                   \
		const float cu = CU;                                                            \
		float p = s[I] * kp + (c##N * (cu * cu) + b##N), o = t[I] * km + m##N * cu;     \
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
