package tiles

import (
	"fmt"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
	"carina/solver/transport"
)

// Device is a GPU as the engine has it: its cells lie in tiles, and it exchanges
// with other GPUs without the engine.
type Device struct {
	gpu       device.Device
	transport transport.Transport
	exchange  cuda.Exchange
	tiles     *Tiles  // after a physics was bound
	values    *values // likewise
	closers   []func() error
	// begun are exchanges since the last End.
	begun []*solver.Exchange
	// messages to other GPUs are by parity of the step.
	messages [2][]transport.Message
	steps    int64 // done or begun
	watch    stopwatch
	limit    int64 // of memory
}

// NewDevice is a GPU as the device of a rank. Exchange is how it exchanges with other
// GPUs, chosen for each if empty.
func NewDevice(gpu device.Device, t transport.Transport, exchange cuda.Exchange) *Device {
	return &Device{gpu: gpu, transport: t, exchange: exchange}
}

// GPU is the device itself.
func (d *Device) GPU() device.Device { return d.gpu }

// Bind tells in which tiles the cells of a rank lie.
func (d *Device) Bind(tiles *Tiles, layout *solver.Layout, finder *solver.Finder) {
	d.tiles, d.values = tiles, newValues(tiles, layout, finder)
}

// SetSteps tells how many steps are done or begun: parity says where values lie.
func (d *Device) SetSteps(steps int64) { d.steps = steps }

// OnClose calls f before the device is closed.
func (d *Device) OnClose(f func() error) { d.closers = append(d.closers, f) }

var (
	_ solver.Device    = (*Device)(nil)
	_ solver.Peer      = (*Device)(nil)
	_ solver.Stopwatch = (*Device)(nil)
	_ solver.Limited   = (*Device)(nil)
)

// Launch starts a phase's work on the tiles at the border, on their queue, or on the
// others.
type Launch func(border bool) error

// Unit is the side of a tile.
func (d *Device) Unit() int32 { return tiling.Side }

// Allocate leaves it to the physics, which knows how large its tiles are.
func (d *Device) Allocate(*solver.Layout, []solver.Field) error { return nil }

// Run starts launches.
func (d *Device) Run(w solver.Work, s solver.Side) error {
	launch, ok := w.(Launch)
	switch {
	case !ok:
		return fmt.Errorf("a GPU does launches alone, not %T", w)
	case s.Border:
		return d.runBorder(launch)
	}
	return d.runInterior(launch)
}

// runBorder starts work on the tiles at the border, which follows what the neighbours
// have left.
func (d *Device) runBorder(launch Launch) error {
	t := d.tiles
	if t.Subdomain.Border == 0 {
		return nil
	}
	if err := d.gpu.Follow(device.BorderQueue, device.MainQueue); err != nil {
		return err
	}
	if err := t.Timeline.stamp(d.gpu, device.BorderQueue, beforeBorder); err != nil {
		return err
	}
	if err := launch(true); err != nil {
		return err
	}
	return t.Timeline.stamp(d.gpu, device.BorderQueue, afterBorder)
}

// runInterior starts work on the other tiles. What is given to either queue afterwards
// follows this step on both sides.
func (d *Device) runInterior(launch Launch) error {
	t := d.tiles
	if err := t.Timeline.stamp(d.gpu, device.MainQueue, beforeInterior); err != nil {
		return err
	}
	if err := launch(false); err != nil {
		return err
	}
	if err := t.Timeline.stamp(d.gpu, device.MainQueue, afterInterior); err != nil || t.Subdomain.Border == 0 {
		return err
	}
	return d.gpu.Follow(device.MainQueue, device.BorderQueue)
}

// Wait waits for the device.
func (d *Device) Wait() error { return d.gpu.Synchronize() }

// Begin notes exchanges. The interior, which is launched next, does not wait for
// them.
func (d *Device) Begin(list []*solver.Exchange, _ bool) error {
	d.begun = list
	return nil
}

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
	return d.tiles.swap(d.transport, d.messages[odd], odd)
}

// Limit lets the rank take at most so much memory of the device; 0 is all that is free.
func (d *Device) Limit(bytes int64) { d.limit = bytes }

// Spare is how much more memory the rank may take.
func (d *Device) Spare() (int64, error) {
	free, _, err := d.gpu.Memory()
	if d.limit > 0 {
		free = min(free, d.limit-d.Bytes())
	}
	return free, err
}

// Bytes is the memory on the device.
func (d *Device) Bytes() int64 {
	if d.tiles == nil {
		return 0
	}
	return d.tiles.Bytes
}

// Close releases the device. What is left to say of one that fails meanwhile nobody
// can use.
func (d *Device) Close() {
	for _, f := range d.closers {
		_ = f()
	}
	if d.tiles == nil {
		_ = d.gpu.Close()
		return
	}
	_ = d.tiles.close()
}
