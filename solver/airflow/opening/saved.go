package opening

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"carina/internal/quantity"
)

// saved is what an opening knows of earlier steps.
type saved struct {
	Outflow, Fast, Smooth, Peak, Base, Stored float64
	Controlled                                uint8
	Target, Excess, Mean, Trend               float64
}

// Save returns what the openings know of earlier steps.
func (s *States) Save() []byte {
	list := make([]saved, len(s.List))
	for i := range s.List {
		o := &s.List[i]
		c := &o.controller
		list[i] = saved{Outflow: o.outflow, Fast: o.fast, Smooth: o.smooth, Peak: o.peak, Base: o.base, Stored: o.stored,
			Target: c.target, Excess: c.excess, Mean: c.mean, Trend: c.trend}
		if c.on {
			list[i].Controlled = 1
		}
	}
	var data bytes.Buffer
	// Numbers of known size are always written to memory.
	_ = binary.Write(&data, binary.LittleEndian, list)
	return data.Bytes()
}

// Load takes it over.
func (s *States) Load(data []byte) error {
	list := make([]saved, len(s.List))
	if len(data) != binary.Size(list) {
		return fmt.Errorf("the state is not of %s", quantity.Count(len(list), "opening"))
	}
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, list); err != nil {
		return err
	}
	for i, m := range list {
		o := &s.List[i]
		o.outflow, o.fast, o.smooth, o.peak, o.base, o.stored = m.Outflow, m.Fast, m.Smooth, m.Peak, m.Base, m.Stored
		o.controller = controller{on: m.Controlled == 1, target: m.Target, excess: m.Excess, mean: m.Mean, trend: m.Trend}
	}
	return nil
}
