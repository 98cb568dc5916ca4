package tiles

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// connection is a border with all that is needed to exchange across it.
type connection struct {
	tiling.Border
	// direct tells that this rank writes to the other's memory and the other
	// to this one's.
	direct bool
	// memory is where the other rank's tiles begin, as this device sees it,
	// flag what this rank tells it there, targets where the other lets arrive
	// what this one leaves.
	memory, flag device.Address
	targets      [2][]int32
	opened       bool // memory is that of another process
	// requests are the values that the other rank has asked for, asked those
	// that this one has asked it for; they follow the crossings in messages.
	requests, asked []Request

	// outgoing and incoming are messages on the device, send and receive the
	// same on the host, of even and of odd steps, unpacking where the incoming
	// chunks belong.
	outgoing, incoming device.Address
	send, receive      [2][]byte
	unpacking          [2]device.Address
	unpack             [2]device.Launch // of even and odd steps, prepared
}

// maxConnections is how many neighbours a rank may have: threads of a block.
const maxConnections = 1024

// offer is what a rank tells a neighbour of itself.
type offer struct {
	// Memory is where its tiles begin, Flag how far behind the beginning the
	// neighbour's flag lies.
	Memory cuda.Offer
	Flag   int64
	// Targets are the tiles in which arrives what the neighbour leaves, by
	// parity and in the order of the border.
	Targets [2][]int32
	// Requests are the values of quadratic walls that it needs.
	Requests []Request
}

// offerTo returns the offer to the neighbour of connection i.
func (p *Tiles) offerTo(i int, memory cuda.Offer) *offer {
	p.connections[i].asked = p.asked[p.connections[i].Rank]
	o := &offer{Memory: memory, Flag: p.flagOffset() + int64(i)*cuda.HandshakeFlagBytes, Requests: p.connections[i].asked}
	for odd, list := range p.connections[i].Arriving {
		for _, x := range list {
			o.Targets[odd] = append(o.Targets[odd], x.Tile)
		}
	}
	return o
}

// accept takes the neighbour's offer and tries to reach its memory.
func (c *connection) accept(o *offer, d device.Device, exchange cuda.Exchange) error {
	for odd := range c.Leaving {
		if len(o.Targets[odd]) != len(c.Leaving[odd]) {
			return fmt.Errorf("rank %d exchanges %d groups with this one, not %d: the ranks disagree about their border", c.Rank, len(o.Targets[odd]), len(c.Leaving[odd]))
		}
	}
	c.targets, c.requests = o.Targets, o.Requests
	if exchange == cuda.Host {
		return nil
	}
	var err error
	c.memory, c.opened, err = o.Memory.Reach(d)
	if err == nil {
		c.direct, c.flag = true, c.memory+device.Address(o.Flag)
	} else if exchange == cuda.IPC {
		return fmt.Errorf("rank %d cannot be reached directly (%w); choose the exchange host", c.Rank, err)
	}
	return nil
}

// prepare allocates what messages need, and fills in where the part leaves
// what belongs to this neighbour.
func (c *connection) prepare(p *Tiles, exits *[2][]uint64) error {
	if !c.direct {
		if err := c.allocate(p); err != nil {
			return err
		}
	}
	for odd, list := range c.Leaving {
		for i, x := range list {
			to := uint64(c.outgoing) + uint64(c.Message(i, p.Layout)-p.GroupOffset(x.Group(), odd))
			if c.direct {
				to = uint64(c.memory) + uint64(c.targets[odd][i])*uint64(p.TileBytes())
			}
			exits[odd][int(x.Tile)*p.Directions+x.Group()] = to
		}
	}
	c.targets = [2][]int32{}
	return nil
}

// allocate makes room for messages.
func (c *connection) allocate(p *Tiles) (err error) {
	bytes := c.Bytes(p.Layout) + int64(len(c.requests)*p.ValueBytes())
	if c.outgoing, err = p.Allocate(bytes, nil); err != nil {
		return err
	}
	if c.incoming, err = p.Allocate(c.incomingBytes(p.Layout), nil); err != nil {
		return err
	}
	for odd := range c.send {
		if c.send[odd], err = p.Pin(bytes); err != nil {
			return err
		}
	}
	for odd, list := range c.Arriving {
		targets := make([]uint64, len(list))
		for i, x := range list {
			targets[i] = p.tile(x.Tile) + uint64(p.GroupOffset(x.Group(), odd))
		}
		for _, r := range c.asked {
			targets = append(targets, uint64(p.Populations)+uint64(r.At)+uint64(odd*p.ValueBytes()))
		}
		if c.unpacking[odd], err = p.Allocate(0, device.BytesOf(targets)); err != nil {
			return err
		}
	}
	return nil
}

// incomingBytes is the size of what the neighbour sends.
func (c *connection) incomingBytes(t tiling.Layout) int64 {
	return c.Bytes(t) + int64(len(c.asked)*t.ValueBytes())
}

func (c *connection) close(d device.Device) error {
	if c.opened {
		return d.CloseOpened(c.memory)
	}
	return nil
}

func (o *offer) encode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(o)
	return b.Bytes(), err
}

func decodeOffer(b []byte) (*offer, error) {
	o := new(offer)
	return o, gob.NewDecoder(bytes.NewReader(b)).Decode(o)
}
