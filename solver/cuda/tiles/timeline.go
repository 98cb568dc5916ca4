package tiles

import (
	"slices"

	"carina/solver/cuda/device"
)

// The points of a step that a time line marks.
const (
	beforeBorder = iota
	afterBorder
	afterFetch
	afterDelivery
	afterUnpacking
	afterHandshake
	beforeInterior
	afterInterior
	points
)

// Timeline marks points of one step on a device.
type Timeline struct {
	stamps [points]device.Stamp
}

// stamp marks a point, unless there is no time line.
func (t *Timeline) stamp(d device.Device, q device.Queue, point int) (err error) {
	if t != nil {
		t.stamps[point], err = d.Stamp(q)
	}
	return err
}

// Phases are where the time of a step goes, in seconds, on the rank at hand.
// Border and interior run beside each other; packing takes no time of its own,
// since the border's kernel writes to where a message or the neighbour expects
// it.
type Phases struct {
	// Interior and Border are the updates of the tiles, from when they may
	// begin to their end.
	Interior float64 `json:"interior"`
	Border   float64 `json:"border"`
	// Fetch copies messages to the host, Transfer is from then to their arrival
	// on the neighbour's device, Unpack puts them in place: all zero where the
	// exchange is direct. Handshake is the waiting for neighbours that write
	// directly.
	Fetch     float64 `json:"fetch"`
	Transfer  float64 `json:"transfer"`
	Unpack    float64 `json:"unpack"`
	Handshake float64 `json:"handshake"`
}

// PhaseCount is how many phases there are.
const PhaseCount = 6

// List returns all phases.
func (p *Phases) List() [PhaseCount]*float64 {
	return [PhaseCount]*float64{&p.Interior, &p.Border, &p.Fetch, &p.Transfer, &p.Unpack, &p.Handshake}
}

// Phases returns the time between the points, after the device has passed
// them.
func (t *Timeline) Phases(d device.Device) (p Phases, err error) {
	last := afterBorder
	for _, phase := range []struct {
		to   int
		time *float64
	}{{afterFetch, &p.Fetch}, {afterDelivery, &p.Transfer}, {afterUnpacking, &p.Unpack}, {afterHandshake, &p.Handshake}} {
		if t.stamps[phase.to] == nil {
			continue
		}
		if *phase.time, err = d.Between(t.stamps[last], t.stamps[phase.to]); err != nil {
			return p, err
		}
		last = phase.to
	}
	if p.Border, err = d.Between(t.stamps[beforeBorder], t.stamps[afterBorder]); err != nil {
		return p, err
	}
	p.Interior, err = d.Between(t.stamps[beforeInterior], t.stamps[afterInterior])
	return p, err
}

// stopwatch times some steps.
type stopwatch struct {
	lines   []*Timeline
	pending int
}

// Start lets the next steps be timed.
func (d *Device) Start(steps int) { d.watch = stopwatch{pending: steps} }

// Next marks the points of a step that begins, where it is to be timed.
func (d *Device) Next() error {
	w, t := &d.watch, d.tiles
	w.leave(t)
	if w.pending > 0 && t.Timeline == nil {
		w.pending--
		t.Timeline = new(Timeline)
		w.lines = append(w.lines, t.Timeline)
	}
	return nil
}

// leave ends the time line of the step before.
func (w *stopwatch) leave(t *Tiles) {
	if n := len(w.lines); n > 0 && t.Timeline == w.lines[n-1] {
		t.Timeline = nil
	}
}

// Stop returns how long a step of those timed since Start has computed: its border and its
// interior, what both were computed in at once counted once.
func (d *Device) Stop() (float64, error) {
	var all float64
	lines := d.watch.lines
	d.watch.leave(d.tiles)
	d.watch = stopwatch{}
	for _, line := range lines {
		seconds, err := line.busy(d.gpu, d.tiles.Subdomain.Border > 0)
		if err != nil {
			return 0, err
		}
		all += seconds / float64(len(lines))
		d.gpu.Unstamp(slices.DeleteFunc(line.stamps[:], func(s device.Stamp) bool { return s == nil })...)
	}
	return all, nil
}

// busy is how long a step has computed.
func (t *Timeline) busy(d device.Device, border bool) (float64, error) {
	interior, err := d.Between(t.stamps[beforeInterior], t.stamps[afterInterior])
	if err != nil || !border {
		return interior, err
	}
	begin, err := d.Between(t.stamps[beforeBorder], t.stamps[beforeInterior])
	if err != nil {
		return 0, err
	}
	own, err := d.Between(t.stamps[beforeBorder], t.stamps[afterBorder])
	// The border lasts from 0 to own, the interior from begin on.
	both := min(own, begin+interior) - max(0, begin)
	return own + interior - max(0, both), err
}
