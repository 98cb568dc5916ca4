package devicetest

import "carina/solver/cuda/device"

// Timed is a device whose stamps have the times of a rule in place of the clock's.
type Timed struct {
	device.Device
	// Takes is how long a launch of so many blocks takes, in seconds.
	Takes func(blocks int) float64
	now   [device.Queues]float64
}

// Launch lets the queue's time pass.
func (d *Timed) Launch(q device.Queue, k device.Kernel, l device.Launch) error {
	d.now[q] += d.Takes(l.Blocks)
	return d.Device.Launch(q, k, l)
}

// Follow makes one queue as late as the other.
func (d *Timed) Follow(q, other device.Queue) error {
	d.now[q] = max(d.now[q], d.now[other])
	return d.Device.Follow(q, other)
}

// Stamp is the time of a queue.
func (d *Timed) Stamp(q device.Queue) (device.Stamp, error) { return d.now[q], nil }

// Unstamp has nothing to give back.
func (d *Timed) Unstamp(...device.Stamp) {}

// Between is the time between two stamps.
func (d *Timed) Between(from, to device.Stamp) (float64, error) {
	return to.(float64) - from.(float64), nil
}

// Reach is that of the devices within.
func (d *Timed) Reach(other device.Device) error { return d.Device.Reach(within(other)) }

// Sees is that of the devices within.
func (d *Timed) Sees(other device.Device) bool { return d.Device.Sees(within(other)) }

func within(d device.Device) device.Device {
	if t, ok := d.(*Timed); ok {
		return t.Device
	}
	return d
}
