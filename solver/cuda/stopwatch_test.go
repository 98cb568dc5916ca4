package cuda

import (
	"testing"

	"carina/solver/cuda/device"
)

// ticking is a device each of whose launches takes as many seconds as it has blocks.
type ticking struct {
	device.Device
	now [device.Queues]float64
}

func (d *ticking) Launch(q device.Queue, _ device.Kernel, l device.Launch) error {
	d.now[q] += float64(l.Blocks)
	return nil
}

func (d *ticking) Stamp(q device.Queue) (device.Stamp, error) { return d.now[q], nil }
func (d *ticking) Unstamp(...device.Stamp)                    {}
func (d *ticking) Between(from, to device.Stamp) (float64, error) {
	return to.(float64) - from.(float64), nil
}

// What runs at once on both queues counts once, waiting does not, and steps that were not
// to be timed neither.
func TestKernelsAreTimed(t *testing.T) {
	gpu := &ticking{}
	d := &Device{gpu: gpu}
	if got, err := d.Stop(); got != 0 || err != nil {
		t.Errorf("nothing takes %g s: %v", got, err)
	}
	d.Start(2)
	for step := range 3 {
		if err := d.Next(); err != nil {
			t.Fatal(err)
		}
		for _, l := range []struct {
			on     device.Queue
			blocks int
			at     float64 // when it begins
		}{{device.BorderQueue, 3, 0}, {device.MainQueue, 5, 1}, {device.MainQueue, 1 + step, 7}} {
			gpu.now[l.on] = 100*float64(step) + l.at
			if err := d.watch.launch(gpu, l.on, nil, device.Launch{Blocks: l.blocks}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, err := d.Stop(); got != (7+8)/2. || err != nil {
		t.Errorf("a step takes %g s, want 7.5: %v", got, err)
	}
}
