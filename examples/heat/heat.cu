// How fast a cell warms by its neighbours, and the fastest of all.
KERNEL(flow)(Cells cells, Windows windows, Arrays arrays, unsigned long long *fastest)
{
	const double *heat = arrays.at<double>(0);
	const int c = cells.own();
	double change = 0;
	for (int i = 0; c >= 0 && i < 4; i++) {
		const int n = windows.neighbour(c, i);
		if (n >= 0) change += heat[n] - heat[c];
	}
	if (c >= 0) arrays.at<double>(1)[c] = change;
	atomic_max_of_warp(fastest, bits_of(change < 0 ? -change : change));
}
// A step in time.
KERNEL(warm)(Cells cells, Windows, Arrays arrays, unsigned long long *)
{
	const int c = cells.own();
	if (c >= 0) arrays.at<double>(0)[c] += arrays.at<double>(1)[c] / 8;
}
