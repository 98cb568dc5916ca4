package cuda

import (
	"carina/solver"
	"carina/solver/cuda/device"
)

// handshakeStep is which word of its launch is the count.
const handshakeStep = 3

// Begin starts exchanges, as far as they need no messages or those before them have none.
func (d *Device) Begin(list []*solver.Exchange, late bool) error {
	if late || !d.behind {
		if err := d.gpu.Follow(device.BorderQueue, device.MainQueue); err != nil {
			return err
		}
	}
	d.begun, d.waiting, d.behind = list, 0, true
	return d.startNext()
}

// startNext starts exchanges up to one with messages.
func (d *Device) startNext() error {
	for ; d.waiting < len(d.begun); d.waiting++ {
		l := d.links[d.begun[d.waiting]]
		if l == nil {
			return nil
		}
		if err := d.start(l); err != nil {
			return err
		}
		if len(l.messages) > 0 {
			return nil
		}
	}
	return nil
}

// start moves what a link gives, once the other GPUs have read what is overwritten, and
// tells them.
func (d *Device) start(l *link) error {
	if err := d.shake(l); err != nil {
		return err
	}
	if l.out.Blocks > 0 {
		if err := d.gpu.Launch(device.BorderQueue, d.move, l.out); err != nil {
			return err
		}
	}
	if err := d.shake(l); err != nil {
		return err
	}
	if len(l.messages) > 0 && len(l.send) > 0 {
		return d.gpu.Fetch(l.send, l.outgoing)
	}
	return nil
}

// shake waits for the GPUs that are reached directly.
func (d *Device) shake(l *link) error {
	if l.handshake.Blocks == 0 {
		return nil
	}
	l.count++
	l.handshake.All[handshakeStep] = uint64(l.count)
	return d.gpu.Launch(device.BorderQueue, d.handshake, l.handshake)
}

// End finishes the exchanges.
func (d *Device) End() error {
	for d.waiting < len(d.begun) {
		if err := d.finish(d.begun[d.waiting]); err != nil {
			return err
		}
		d.waiting++
		if err := d.startNext(); err != nil {
			return err
		}
	}
	d.behind = true
	return d.catchUp()
}

// finish exchanges messages.
func (d *Device) finish(x *solver.Exchange) error {
	l := d.links[x]
	if l == nil {
		if err := x.Run(d); err != nil {
			return err
		}
		return d.gpu.Follow(device.BorderQueue, device.MainQueue)
	}
	if err := d.gpu.Settle(); err != nil {
		return err
	}
	if err := x.Transport.Exchange(l.messages); err != nil {
		return err
	}
	if err := d.gpu.Deliver(l.incoming, l.receive); err != nil {
		return err
	}
	if l.in.Blocks == 0 {
		return nil
	}
	return d.gpu.Launch(device.BorderQueue, d.move, l.in)
}
