package cuda

import "fmt"

// connect joins the parts of this process with each other and with those of
// other processes, and uploads where their borders exchange.
func (s *Solver) connect(exchange Exchange) error {
	for _, p := range s.parts {
		for _, b := range p.subdomain.borders {
			p.connections = append(p.connections, &connection{border: b})
		}
		if len(p.connections) > maxConnections {
			return fmt.Errorf("rank %d borders on %d others, more than %d; use fewer ranks", p.subdomain.rank, len(p.connections), maxConnections)
		}
	}
	join := s.joinParts
	if s.transport != nil {
		join = s.joinProcesses
	}
	if err := join(exchange); err != nil {
		return err
	}
	for _, p := range s.parts {
		if err := p.finishConnections(s.tiles); err != nil {
			return err
		}
		if err := p.device.synchronize(); err != nil {
			return err
		}
	}
	return nil
}

// joinParts joins the parts of this process.
func (s *Solver) joinParts(exchange Exchange) error {
	for _, p := range s.parts {
		for _, c := range p.connections {
			other := s.parts[c.rank]
			for i, back := range other.connections {
				if back.rank != p.subdomain.rank {
					continue
				}
				if err := c.accept(other.offerTo(i, nil), p.device, other, exchange); err != nil {
					return err
				}
			}
		}
	}
	for _, p := range s.parts {
		for _, c := range p.connections {
			c.direct = c.direct && s.connectionTo(c, p.subdomain.rank).direct
		}
	}
	return nil
}

// connectionTo returns the connection of c's neighbour, a part of this process,
// back to a rank.
func (s *Solver) connectionTo(c *connection, rank int) *connection {
	for _, back := range s.parts[c.rank].connections {
		if back.rank == rank {
			return back
		}
	}
	panic(fmt.Sprintf("rank %d borders on %d but not the other way round", rank, c.rank))
}

// joinProcesses joins the part of this process with those of others. Two of
// them exchange directly where both reach the other's memory.
func (s *Solver) joinProcesses(exchange Exchange) error {
	p := s.parts[0]
	var peers []int
	var mine [][]byte
	handle, err := p.device.export(p.populations)
	if err != nil && exchange == IPC {
		return err
	}
	for i, c := range p.connections {
		text, err := p.offerTo(i, handle).encode()
		if err != nil {
			return err
		}
		peers, mine = append(peers, c.rank), append(mine, text)
	}
	theirs, err := swap(s.transport, peers, mine)
	if err != nil {
		return fmt.Errorf("meeting the other ranks: %w", err)
	}
	var failed error
	reached := make([][]byte, len(peers))
	for i, c := range p.connections {
		o, err := decodeOffer(theirs[i])
		if err == nil {
			err = c.accept(o, p.device, nil, exchange)
		}
		if err != nil && failed == nil {
			failed = err
		}
		reached[i] = []byte{0}
		if c.direct {
			reached[i][0] = 1
		}
	}
	if err := s.together(failed); err != nil {
		return err
	}
	if theirs, err = swap(s.transport, peers, reached); err != nil {
		return fmt.Errorf("meeting the other ranks: %w", err)
	}
	for i, c := range p.connections {
		c.direct = c.direct && theirs[i][0] == 1
	}
	return nil
}

// finishConnections uploads what the part leaves where, and whom it tells.
func (p *part) finishConnections(tiles *tileSet) error {
	if p.subdomain.border == 0 {
		return p.uploadSent(tiles)
	}
	exits := p.exitTables()
	flags := make([]uint64, len(p.connections))
	for i, c := range p.connections {
		if err := c.prepare(p, &exits); err != nil {
			return err
		}
		if c.direct {
			flags[i] = uint64(c.flag)
			p.handshake.neighbours++
		}
	}
	var err error
	for odd := range exits {
		if p.exits[odd], err = p.allocate(0, bytesOf(exits[odd])); err != nil {
			return err
		}
	}
	p.handshake.ownFlags = p.populations + address(p.flagOffset())
	if p.handshake.remoteFlags, err = p.allocate(0, bytesOf(flags)); err != nil {
		return err
	}
	p.prepareExchange()
	return p.uploadSent(tiles)
}
