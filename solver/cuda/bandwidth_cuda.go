//go:build cuda

package cuda

// bandwidth measures a copy on the device, in bytes read and written per
// second: the best of a few.
func (g *gpu) bandwidth() (float64, error) {
	const repetitions = 6
	free, _, err := g.memory()
	if err != nil {
		return 0, err
	}
	bytes := min(4<<30, free/4)
	var a [2]address
	for i := range a {
		if a[i], err = g.allocate(bytes); err != nil {
			return 0, err
		}
		defer g.free(a[i])
	}
	if err := g.zero(a[0], bytes); err != nil {
		return 0, err
	}
	best := 0.0
	for range repetitions {
		t, err := g.elapsed(func() error { return g.copy(a[1], a[0], bytes) })
		if err != nil {
			return 0, err
		}
		best = max(best, 2*float64(bytes)/t)
	}
	return best, nil
}
