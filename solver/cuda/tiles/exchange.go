package tiles

import (
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
	"carina/solver/transport"
)

// handshake is how a part synchronizes with the neighbours that it reaches
// directly.
type handshake struct {
	kernel device.Kernel
	// remoteFlags are those that the part sets, by connection, ownFlags those that
	// it waits for.
	remoteFlags, ownFlags device.Address
	neighbours            int
	// launch is that of every step, prepared but for count, which is how many there
	// were: unlike that of steps, the number grows when a state is loaded, too.
	launch device.Launch
	count  uint32
}

// handshakeStep is which word of the launch is the count.
const handshakeStep = 3

// prepareExchange prepares the launches of every step.
func (p *Tiles) prepareExchange() {
	p.handshake.launch = device.Launch{Blocks: 1, Threads: (len(p.connections) + 31) / 32 * 32,
		Arguments: device.Words(uint64(p.handshake.remoteFlags), uint64(p.handshake.ownFlags), uint64(len(p.connections)), 0)}.Prepared()
	const threads = 32 * movingWarps
	for _, c := range p.connections {
		if c.direct {
			continue
		}
		for odd := range c.unpack {
			singles := len(c.Arriving[odd]) - c.Faces - c.Edges + len(c.asked)
			moves := c.Faces*p.ChunksOf(0) + c.Edges*p.ChunksOf(tiling.FaceGroups) + singles
			c.unpack[odd] = device.Launch{Blocks: (moves + threads - 1) / threads, Threads: threads,
				Arguments: append(device.Words(c.incoming, c.unpacking[odd]), device.Words(c.Faces, c.Edges, singles)...)}.Prepared()
		}
	}
}

// swap gives the neighbours what the step has left for them. What is written directly is
// there already: the ranks only tell each other. The others wait for their borders, send
// messages, and put what has come where the next step looks for it, while the interior is
// computed.
func (p *Tiles) swap(t transport.Transport, messages []transport.Message, odd int) error {
	if len(messages) > 0 {
		if err := p.swapMessages(t, messages, odd); err != nil {
			return err
		}
	}
	if p.handshake.neighbours == 0 {
		return nil
	}
	p.handshake.count++
	p.handshake.launch.All[handshakeStep] = uint64(p.handshake.count)
	if err := p.Device.Launch(device.BorderQueue, p.handshake.kernel, p.handshake.launch); err != nil {
		return err
	}
	return p.Timeline.stamp(p.Device, device.BorderQueue, afterHandshake)
}

// swapMessages exchanges all borders that are not direct.
func (p *Tiles) swapMessages(t transport.Transport, messages []transport.Message, odd int) error {
	if err := p.fetchMessages(odd); err != nil {
		return err
	}
	if err := p.Device.Settle(); err != nil {
		return err
	}
	if err := t.Exchange(messages); err != nil {
		return err
	}
	return p.deliverMessages(odd)
}

// fetchMessages copies what the border has left to the host.
func (p *Tiles) fetchMessages(odd int) error {
	for _, c := range p.connections {
		if c.direct {
			continue
		}
		if err := p.Device.Fetch(c.send[odd], c.outgoing); err != nil {
			return err
		}
	}
	return p.Timeline.stamp(p.Device, device.BorderQueue, afterFetch)
}

// deliverMessages copies what has come to the device and puts it in place.
func (p *Tiles) deliverMessages(odd int) error {
	for _, c := range p.connections {
		if c.direct {
			continue
		}
		if err := p.Device.Deliver(c.incoming, c.receive[odd]); err != nil {
			return err
		}
	}
	if err := p.Timeline.stamp(p.Device, device.BorderQueue, afterDelivery); err != nil {
		return err
	}
	for _, c := range p.connections {
		if c.direct {
			continue
		}
		if err := p.Device.Launch(device.BorderQueue, p.unpack, c.unpack[odd]); err != nil {
			return err
		}
	}
	return p.Timeline.stamp(p.Device, device.BorderQueue, afterUnpacking)
}
