package device

import (
	"errors"

	"carina/solver/cuda/driver"
)

// Devices lists the GPUs of this machine with their measured bandwidths.
func Devices() (list []Description, err error) {
	if err := driver.Start(); err != nil {
		return nil, err
	}
	var gpus []*gpu
	defer func() {
		for _, g := range gpus {
			err = errors.Join(err, g.Close())
		}
	}()
	for i := range driver.Count() {
		g, err := openGPU(i)
		if err != nil {
			return nil, err
		}
		gpus = append(gpus, g)
	}
	for _, g := range gpus {
		about, err := g.describe(gpus)
		if err != nil {
			return nil, err
		}
		list = append(list, about)
	}
	return list, nil
}

// describe measures a GPU and its links to the others.
func (g *gpu) describe(all []*gpu) (about Description, err error) {
	about = Description{Number: g.number, Name: g.Name()}
	if about.FreeBytes, about.MemoryBytes, err = g.Memory(); err != nil {
		return about, err
	}
	if about.Bandwidth, err = g.bandwidth(); err != nil {
		return about, err
	}
	for _, other := range all {
		if other == g || !g.opened.CanReach(other.opened) {
			continue
		}
		speed, err := g.bandwidthTo(other)
		if err != nil {
			return about, err
		}
		about.Peers, about.PeerBandwidths = append(about.Peers, other.number), append(about.PeerBandwidths, speed)
	}
	return about, nil
}

// bandwidthTo measures a copy to another GPU's memory, in bytes per second: the
// best of a few.
func (g *gpu) bandwidthTo(other *gpu) (best float64, err error) {
	const bytes, repetitions = 256 << 20, 4
	from, err := g.Allocate(bytes)
	if err != nil {
		return 0, err
	}
	defer g.Free(from)
	to, err := other.Allocate(bytes)
	if err != nil {
		return 0, err
	}
	defer other.Free(to)
	if err := errors.Join(g.Reach(other), g.Zero(from, bytes)); err != nil {
		return 0, err
	}
	for range repetitions {
		seconds, err := g.Elapsed(func() error { return g.copy(to, from, bytes) })
		if err != nil {
			return 0, err
		}
		best = max(best, bytes/seconds)
	}
	return best, nil
}

// bandwidth measures a copy on the device, in bytes read and written per
// second: the best of a few.
func (g *gpu) bandwidth() (float64, error) {
	const repetitions = 6
	free, _, err := g.Memory()
	if err != nil {
		return 0, err
	}
	bytes := min(4<<30, free/4)
	var a [2]Address
	for i := range a {
		if a[i], err = g.Allocate(bytes); err != nil {
			return 0, err
		}
		defer g.Free(a[i])
	}
	if err := g.Zero(a[0], bytes); err != nil {
		return 0, err
	}
	best := 0.0
	for range repetitions {
		t, err := g.Elapsed(func() error { return g.copy(a[1], a[0], bytes) })
		if err != nil {
			return 0, err
		}
		best = max(best, 2*float64(bytes)/t)
	}
	return best, nil
}

// HostBandwidth measures how fast a GPU of this machine copies in memory of the host that it
// reaches, in bytes read and written per second: the best of a few.
func HostBandwidth(number int) (best float64, err error) {
	g, err := openGPU(number)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	const bytes, repetitions = 256 << 20, 4
	a, err := g.AllocateSplit(2*bytes, 0)
	if err != nil {
		return 0, err
	}
	defer g.Free(a)
	if err := g.Zero(a, 2*bytes); err != nil {
		return 0, err
	}
	for range repetitions {
		seconds, err := g.Elapsed(func() error { return g.copy(a+bytes, a, bytes) })
		if err != nil {
			return 0, err
		}
		best = max(best, 2*bytes/seconds)
	}
	return best, nil
}
