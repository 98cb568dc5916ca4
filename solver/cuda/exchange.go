package cuda

import (
	"fmt"

	"carina/solver/transport"
)

// handshake is how a part synchronizes with the neighbours that it reaches
// directly.
type handshake struct {
	kernel kernel
	// there are the flags that the part sets, by link, here those that it
	// waits for.
	there, here address
	neighbours  int
	// launch is that of every step, prepared but for the step's number.
	launch launch
}

// handshakeStep is which word of the launch is the number of the step.
const handshakeStep = 3

// prepareExchange prepares the launches of every step.
func (p *part) prepareExchange() {
	p.handshake.launch = launch{blocks: 1, threads: (len(p.links) + 31) / 32 * 32,
		arguments: words(uint64(p.handshake.there), uint64(p.handshake.here), uint64(len(p.links)), 0)}.prepared()
	program := unpacking(p.tileLayout)
	threads := 32 * program.warps
	for _, l := range p.links {
		if l.direct {
			continue
		}
		for odd := range l.unpack {
			singles := len(l.arriving[odd]) - l.faces - l.edges + len(l.asked)
			moves := l.faces*program.chunksOf(0) + l.edges*program.chunksOf(faceGroups) + singles
			l.unpack[odd] = launch{blocks: (moves + threads - 1) / threads, threads: threads,
				arguments: append(words(l.incoming, l.unpacking[odd]), words(l.faces, l.edges, singles)...)}.prepared()
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
	for _, l := range p.links {
		if l.direct {
			continue
		}
		if err := p.device.fetch(l.send[odd], l.outgoing); err != nil {
			return err
		}
	}
	return p.timeline.stamp(p.device, borderQueue, afterFetch)
}

// deliverMessages copies what has come to the device and puts it in place.
func (p *part) deliverMessages(odd int) error {
	for _, l := range p.links {
		if l.direct {
			continue
		}
		if err := p.device.deliver(l.incoming, l.receive[odd]); err != nil {
			return err
		}
	}
	if err := p.timeline.stamp(p.device, borderQueue, afterDelivery); err != nil {
		return err
	}
	for _, l := range p.links {
		if l.direct {
			continue
		}
		if err := p.device.launch(borderQueue, p.unpack, l.unpack[odd]); err != nil {
			return err
		}
	}
	return p.timeline.stamp(p.device, borderQueue, afterUnpacking)
}

// listMessages prepares the messages of every step: those of other processes,
// and what parts of this one take from each other.
func (s *Solver) listMessages() error {
	for _, p := range s.parts {
		for _, l := range p.links {
			if l.direct {
				continue
			}
			s.sends = true
			for odd := range l.receive {
				if s.transport == nil {
					l.receive[odd] = s.linkTo(l, p.share.rank).send[odd]
					continue
				}
				var err error
				if l.receive[odd], err = l.pin(p.device, l.incomingBytes(p.tileLayout)); err != nil {
					return err
				}
				s.messages[odd] = append(s.messages[odd], transport.Message{Peer: l.rank, Send: l.send[odd], Receive: l.receive[odd]})
			}
		}
	}
	return nil
}
