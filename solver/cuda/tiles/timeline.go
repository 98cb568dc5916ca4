package tiles

import "carina/solver/cuda/device"

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
