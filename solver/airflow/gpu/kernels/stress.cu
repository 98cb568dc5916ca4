// What the second moments are out of equilibrium, times a factor: MODE 0 gives
// the components xx, yy, zz, xy, xz and yz of every cell, MODE 1 √(2 s:s), MODE 2 √(s:s)
// of the traceless part.
KERNEL(stress)(Memory memory, Observed observed, Walls walls, Rates rate, float *results, real factor)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	const real fx = rate.force[0] * (1 / SCALE), fy = rate.force[1] * (1 / SCALE), fz = rate.force[2] * (1 / SCALE);
	for (unsigned number = view.begin(); number < view.end(); number++) {
		view.read(view.tile(number), false);
		for (int h = 0; h < 2; h++) {
			const int cell = view.cell(h);
			const Moments m = view.moments(cell, rate);
			// Half the force's own stress, −½(u F + F u), is in the moments.
			const real third = m.density * (real(1) / 3);
			real s[6] = {m.x * (fx - m.x) - third, m.y * (fy - m.y) - third, m.z * (fz - m.z) - third,
			             real(0.5) * (m.x * fy + fx * m.y) - m.x * m.y, real(0.5) * (m.x * fz + fx * m.z) - m.x * m.z,
			             real(0.5) * (m.y * fz + fy * m.z) - m.y * m.z};
			for (int q = 0; q < DIRECTIONS; q++) {
				const real v = view.arriving(cell, q);
				const int x = component(ALONG_X, q), y = component(ALONG_Y, q), z = component(ALONG_Z, q);
				s[0] += x * x * v;
				s[1] += y * y * v;
				s[2] += z * z * v;
				s[3] += x * y * v;
				s[4] += x * z * v;
				s[5] += y * z * v;
			}
			const size_t at = (size_t)number * 64 + cell;
#if MODE == 0
			for (int i = 0; i < 6; i++) results[6 * at + i] = factor * s[i];
#else
#if MODE == 2
			const real mean = (s[0] + s[1] + s[2]) * (real(1) / 3);
			s[0] -= mean, s[1] -= mean, s[2] -= mean;
#endif
			const real sum = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
			results[at] = factor * square_root(MODE == 2 ? sum : 2 * sum);
#endif
		}
	}
}
