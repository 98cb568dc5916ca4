package cuda

import (
	"fmt"

	"carina/solver"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
	"carina/solver/transport"
)

// Device is a GPU as the engine has it: its cells lie in tiles, and it exchanges
// with other GPUs without the engine.
type Device struct {
	gpu       device.Device
	transport transport.Transport
	exchange  Exchange
	part      *part  // after the flow was bound
	flow      *bound // likewise
	// begun are exchanges since the last End.
	begun []*solver.Exchange
	// messages to other GPUs are by parity of the step.
	messages [2][]transport.Message
	steps    int64 // done or begun
}

var (
	_ solver.Device = (*Device)(nil)
	_ solver.Peer   = (*Device)(nil)
)

// Launch starts a phase's work on the tiles at the border or on the others.
type Launch func(border bool) error

// Unit is the side of a tile.
func (d *Device) Unit() int32 { return tiling.Side }

// Allocate leaves it to the physics, which knows how large its tiles are.
func (d *Device) Allocate(*solver.Layout, []solver.Field) error { return nil }

// Run starts launches.
func (d *Device) Run(w solver.Work, s solver.Side) error {
	launch, ok := w.(Launch)
	if !ok {
		return fmt.Errorf("a GPU does launches alone, not %T", w)
	}
	return launch(s.Border)
}

// Wait waits for the device.
func (d *Device) Wait() error { return d.gpu.Synchronize() }

// Begin notes exchanges. The interior, which is launched next, does not wait for
// them.
func (d *Device) Begin(list []*solver.Exchange) { d.begun = list }

// End does the exchanges.
func (d *Device) End() error {
	for _, x := range d.begun {
		if err := x.Run(d); err != nil {
			return err
		}
	}
	d.begun = nil
	return nil
}

// Kind is that of all GPUs.
func (d *Device) Kind() string { return "GPU" }

// Swap exchanges borders with other GPUs.
func (d *Device) Swap() error {
	odd := int((d.steps + 1) % 2) // of the step that was begun last
	return d.part.swap(d.transport, d.messages[odd], odd)
}

// Bytes is the memory on the device.
func (d *Device) Bytes() int64 {
	if d.part == nil {
		return 0
	}
	return d.part.needs()
}

// Close releases the device.
func (d *Device) Close() {
	// What is left to say of a device that fails when it is closed nobody can use.
	if d.part == nil {
		_ = d.gpu.Close()
		return
	}
	_ = d.flow.kept.close(d.gpu)
	_ = d.part.close()
}
