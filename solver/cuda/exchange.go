package cuda

import (
	"fmt"

	"carina/solver/transport"
)

// handshake is how a part synchronizes with the neighbours that it reaches
// directly.
type handshake struct {
	kernel kernel
	// remoteFlags are those that the part sets, by connection, ownFlags those that
	// it waits for.
	remoteFlags, ownFlags address
	neighbours            int
	// launch is that of every step, prepared but for the step's number.
	launch launch
}

// handshakeStep is which word of the launch is the number of the step.
const handshakeStep = 3

// prepareExchange prepares the launches of every step.
func (p *part) prepareExchange() {
	p.handshake.launch = launch{blocks: 1, threads: (len(p.connections) + 31) / 32 * 32,
		arguments: words(uint64(p.handshake.remoteFlags), uint64(p.handshake.ownFlags), uint64(len(p.connections)), 0)}.prepared()
	program := unpacking(p.tileLayout)
	threads := 32 * program.warps
	for _, c := range p.connections {
		if c.direct {
			continue
		}
		for odd := range c.unpack {
			singles := len(c.arriving[odd]) - c.faces - c.edges + len(c.asked)
			moves := c.faces*program.chunksOf(0) + c.edges*program.chunksOf(faceGroups) + singles
			c.unpack[odd] = launch{blocks: (moves + threads - 1) / threads, threads: threads,
				arguments: append(words(c.incoming, c.unpacking[odd]), words(c.faces, c.edges, singles)...)}.prepared()
		}
	}
}

// exchange gives the neighbours what the step has left for them. What is
// written directly is there already: the parts only tell each other. The
// others wait for their borders, send messages, and put what has come where
// the next step looks for it, while the interior is computed.
func (s *Solver) exchange() error {
	if err := s.exchangeMessages(); err != nil {
		return fmt.Errorf("exchanging the border: %w", err)
	}
	for _, p := range s.parts {
		if p.handshake.neighbours == 0 {
			continue
		}
		p.handshake.launch.all[handshakeStep] = uint64(uint32(s.steps + 1))
		if err := p.device.launch(borderQueue, p.handshake.kernel, p.handshake.launch); err != nil {
			return err
		}
		if err := p.timeline.stamp(p.device, borderQueue, afterHandshake); err != nil {
			return err
		}
	}
	return nil
}

// exchangeMessages exchanges all borders that are not direct.
func (s *Solver) exchangeMessages() error {
	for _, p := range s.parts {
		if err := p.fetchMessages(int(s.steps % 2)); err != nil {
			return err
		}
	}
	if !s.sends {
		return nil
	}
	for _, p := range s.parts {
		if err := p.device.settle(); err != nil {
			return err
		}
	}
	if s.transport != nil {
		if err := s.transport.Exchange(s.messages[s.steps%2]); err != nil {
			return err
		}
	}
	for _, p := range s.parts {
		if err := p.deliverMessages(int(s.steps % 2)); err != nil {
			return err
		}
	}
	return nil
}

// fetchMessages copies what the border has left to the host.
func (p *part) fetchMessages(odd int) error {
	for _, c := range p.connections {
		if c.direct {
			continue
		}
		if err := p.device.fetch(c.send[odd], c.outgoing); err != nil {
			return err
		}
	}
	return p.timeline.stamp(p.device, borderQueue, afterFetch)
}

// deliverMessages copies what has come to the device and puts it in place.
func (p *part) deliverMessages(odd int) error {
	for _, c := range p.connections {
		if c.direct {
			continue
		}
		if err := p.device.deliver(c.incoming, c.receive[odd]); err != nil {
			return err
		}
	}
	if err := p.timeline.stamp(p.device, borderQueue, afterDelivery); err != nil {
		return err
	}
	for _, c := range p.connections {
		if c.direct {
			continue
		}
		if err := p.device.launch(borderQueue, p.unpack, c.unpack[odd]); err != nil {
			return err
		}
	}
	return p.timeline.stamp(p.device, borderQueue, afterUnpacking)
}

// listMessages prepares the messages of every step: those of other processes,
// and what parts of this one take from each other.
func (s *Solver) listMessages() error {
	for _, p := range s.parts {
		for _, c := range p.connections {
			if c.direct {
				continue
			}
			s.sends = true
			for odd := range c.receive {
				if s.transport == nil {
					c.receive[odd] = s.connectionTo(c, p.subdomain.rank).send[odd]
					continue
				}
				var err error
				if c.receive[odd], err = c.pin(p.device, c.incomingBytes(p.tileLayout)); err != nil {
					return err
				}
				s.messages[odd] = append(s.messages[odd], transport.Message{Peer: c.rank, Send: c.send[odd], Receive: c.receive[odd]})
			}
		}
	}
	return nil
}
