package cuda

import (
	"cmp"
	"slices"

	"carina/solver/cuda/device"
)

// stopwatch times what is launched in some steps.
type stopwatch struct {
	pending, timed int // steps
	running        bool
	spans          []span
}

// span is from when a kernel begins to its end.
type span struct{ from, to device.Stamp }

// Start lets the next steps be timed.
func (d *Device) Start(steps int) { d.watch = stopwatch{pending: steps} }

// Next begins to time a step that is to be timed.
func (d *Device) Next() error {
	w := &d.watch
	if w.running = w.pending > 0; w.running {
		w.pending--
		w.timed++
	}
	return nil
}

// launch launches a kernel, between two stamps where it is timed.
func (w *stopwatch) launch(d device.Device, q device.Queue, k device.Kernel, l device.Launch) (err error) {
	if !w.running {
		return d.Launch(q, k, l)
	}
	var s span
	if s.from, err = d.Stamp(q); err != nil {
		return err
	}
	if err = d.Launch(q, k, l); err != nil {
		return err
	}
	s.to, err = d.Stamp(q)
	w.spans = append(w.spans, s)
	return err
}

// Stop returns how long kernels have run in a step of those timed since Start.
func (d *Device) Stop() (float64, error) {
	w := d.watch
	d.watch = stopwatch{}
	if len(w.spans) == 0 {
		return 0, nil
	}
	var times [][2]float64
	for _, s := range w.spans {
		from, err := d.gpu.Between(w.spans[0].from, s.from)
		if err != nil {
			return 0, err
		}
		long, err := d.gpu.Between(s.from, s.to)
		if err != nil {
			return 0, err
		}
		times = append(times, [2]float64{from, from + long})
	}
	for _, s := range w.spans {
		d.gpu.Unstamp(s.from, s.to)
	}
	return covered(times) / float64(w.timed), nil
}

// covered is how long at least one of some times from one point to another lasts.
func covered(times [][2]float64) (sum float64) {
	slices.SortFunc(times, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	end := times[0][0]
	for _, t := range times {
		sum += max(0, t[1]-max(t[0], end))
		end = max(end, t[1])
	}
	return sum
}
