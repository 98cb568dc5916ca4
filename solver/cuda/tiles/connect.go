package tiles

import (
	"fmt"

	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
	"carina/solver/transport"
)

// Join joins the device with the GPUs of other ranks, and uploads where borders
// exchange. Two exchange directly where both reach the other's memory.
func (d *Device) Join(t transport.Transport, alike func(rank int) bool) error {
	p := d.tiles
	for _, b := range p.Subdomain.Borders {
		if alike != nil && alike(b.Rank) {
			p.connections = append(p.connections, &connection{Border: b})
		}
	}
	if len(p.connections) > maxConnections {
		return fmt.Errorf("rank %d borders on %d others, more than %d; use fewer ranks", p.Subdomain.Rank, len(p.connections), maxConnections)
	}
	if err := d.swapOffers(t); err != nil {
		return err
	}
	if err := p.finishConnections(); err != nil {
		return err
	}
	if err := d.listMessages(); err != nil {
		return err
	}
	return d.gpu.Synchronize()
}

// swapOffers tells the neighbours where they reach this rank, and learns it of them. All
// go through all of it, whatever fails, since they wait for each other.
func (d *Device) swapOffers(t transport.Transport) error {
	p := d.tiles
	if len(p.connections) == 0 {
		return nil
	}
	var failed error
	keep := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	memory := cuda.NewOffer(d.gpu, p.number, p.Populations)
	var peers []int
	var mine [][]byte
	for i, c := range p.connections {
		text, err := p.offerTo(i, memory).encode()
		keep(err)
		peers, mine = append(peers, c.Rank), append(mine, text)
	}
	theirs, err := cuda.Swap(t, peers, mine)
	if err != nil {
		return fmt.Errorf("telling the other ranks where to reach this one: %w", err)
	}
	reached := make([]bool, len(peers))
	for i, c := range p.connections {
		o, err := decodeOffer(theirs[i])
		if err == nil {
			err = c.accept(o, d.gpu, d.exchange)
		}
		keep(err)
		reached[i] = c.direct
	}
	if err := cuda.TellReached(t, peers, reached); err != nil {
		return err
	}
	for i, c := range p.connections {
		c.direct = reached[i]
	}
	return failed
}

// finishConnections uploads what the part leaves where, and whom it tells.
func (p *Tiles) finishConnections() error {
	if p.Subdomain.Border == 0 {
		return p.uploadSent()
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
		if p.Exits[odd], err = p.Allocate(0, device.BytesOf(exits[odd])); err != nil {
			return err
		}
	}
	p.handshake.ownFlags = p.Populations + device.Address(p.flagOffset())
	if p.handshake.remoteFlags, err = p.Allocate(0, device.BytesOf(flags)); err != nil {
		return err
	}
	p.prepareExchange()
	return p.uploadSent()
}

// listMessages prepares the messages of every step.
func (d *Device) listMessages() error {
	for _, c := range d.tiles.connections {
		if c.direct {
			continue
		}
		for odd := range c.receive {
			var err error
			if c.receive[odd], err = d.tiles.Pin(c.incomingBytes(d.tiles.Layout)); err != nil {
				return err
			}
			d.messages[odd] = append(d.messages[odd], transport.Message{Peer: c.Rank, Send: c.send[odd], Receive: c.receive[odd]})
		}
	}
	return nil
}

// exitTables returns, by parity, for every tile of the border and every group
// the address of the tile that the step leaves the group in, 0 where there is
// none, before connections fill in what leaves this rank.
func (p *Tiles) exitTables() (tables [2][]uint64) {
	for odd := range tables {
		tables[odd] = make([]uint64, p.Subdomain.Border*p.Directions)
		for i := range tables[odd] {
			to := int32(i / p.Directions)
			if g := i % p.Directions; odd == 1 && g < tiling.FaceGroups {
				to = p.borderRows[int(to)*p.Directions+g]
			}
			if to >= 0 {
				tables[odd][i] = p.tile(to)
			}
		}
	}
	return tables
}
