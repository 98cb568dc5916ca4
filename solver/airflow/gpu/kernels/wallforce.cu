// The momentum that selected cells give to walls, added to found, in fixed
// point: what leaves along every link and what has come back (Ladd 1994).
DEVICE void add_momentum(unsigned long long *sum, const View &view, const WallRange &range, unsigned long long selected)
{
	const TileWalls walls(view.walls, range, view.image, view.shifts);
	for (int i = view.lane; i < range.links; i += 32) {
		const unsigned l = walls.link(i);
		if (l & OPENS || !(selected >> cell_at(place_of(l)) & 1)) continue;
		const int q = direction_at(place_of(l));
		const real v = walls.at(walls.ends(l).departure) * (1 / SCALE);
		sum[0] += to_fixed(component(ALONG_X, q) * v);
		sum[1] += to_fixed(component(ALONG_Y, q) * v);
		sum[2] += to_fixed(component(ALONG_Z, q) * v);
	}
}

KERNEL(wallforce)(Memory memory, Observed observed, Walls walls, Rates rate, unsigned long long *found, const unsigned long long *selected)
{
	SHARED_BYTES(shared);
	const View view(memory, observed, walls, shared);
	unsigned long long sum[3] = {0, 0, 0};
	for (unsigned number = view.begin(); number < view.end(); number++) {
		const unsigned tile = view.tile(number);
		const WallRange range = view.range(tile);
		if (!range.cells || !selected[tile]) continue;
		view.read(tile, false);
		add_momentum(sum, view, range, selected[tile]);
		sync_warp();
		update(view.slots, view.lane, rate);
		sync_warp();
		add_momentum(sum, view, range, selected[tile]);
	}
	for (int a = 0; a < 3; a++) {
		const unsigned long long total = warp_sum(sum[a]);
		if (!view.lane) atomic_add(found + a, total);
	}
}
