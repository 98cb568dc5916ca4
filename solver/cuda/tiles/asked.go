package tiles

import (
	"slices"

	"carina/solver/cuda/device"
)

// Where a tile needs single values that another one has after a step, beyond what
// streams between them, that tile sends them: it writes each to a place of its own, one
// for even and one for odd steps, in this GPU's memory, in another's or in a message.

// sentValue is a value that a tile sends after a step (struct SentValue of the
// kernels).
type sentValue struct {
	to uint64 // address after even steps
	// from is the cell and, from bit 6 on, the direction; stride is how far
	// behind the address lies after odd steps.
	from, stride uint32
}

// sentRange is which values a tile sends.
type sentRange struct{ first, count uint32 }

// Request asks for a value of a tile.
type Request struct {
	// Tile is the position of the tile that sends it, From the cell there and, from
	// bit 6 on, the direction.
	Tile [3]int32
	From uint32
	// At is where it is expected after even steps, behind the populations of
	// the rank that asks.
	At int64
}

// Ask asks for a value that one of the own tiles needs of a rank's after every step.
func (p *Tiles) Ask(rank int, r Request) { p.asked[rank] = append(p.asked[rank], r) }

// tileValue is a value that an own tile sends, by index.
type tileValue struct {
	index int32
	sentValue
}

// sentFor answers requests: value i goes to an address and, after odd steps, a
// stride farther.
func (p *Tiles) sentFor(requests []Request, to func(i int) uint64, stride int) []tileValue {
	list := make([]tileValue, len(requests))
	for i, r := range requests {
		number, _ := slices.BinarySearch(p.Sorted, p.Set.Find(r.Tile[0], r.Tile[1], r.Tile[2]))
		list[i] = tileValue{p.Index[number], sentValue{to(i), r.From, uint32(stride)}}
	}
	return list
}

// uploadSent uploads what all tiles send.
func (p *Tiles) uploadSent() (err error) {
	if p.Asked == 0 {
		return nil
	}
	own := p.asked[p.Subdomain.Rank]
	all := p.sentFor(own, func(i int) uint64 { return uint64(p.Populations) + uint64(own[i].At) }, p.ValueBytes())
	for _, c := range p.connections {
		to, stride := func(i int) uint64 { return uint64(c.memory) + uint64(c.requests[i].At) }, p.ValueBytes()
		if !c.direct {
			begin := uint64(c.outgoing) + uint64(c.Bytes(p.Layout))
			to, stride = func(i int) uint64 { return begin + uint64(i*p.ValueBytes()) }, 0
		}
		all = append(all, p.sentFor(c.requests, to, stride)...)
	}
	slices.SortStableFunc(all, func(a, b tileValue) int { return int(a.index - b.index) })
	ranges, values := make([]sentRange, len(p.Numbers)), make([]sentValue, len(all))
	for i, l := range all {
		if ranges[l.index].count == 0 {
			ranges[l.index].first = uint32(i)
		}
		ranges[l.index].count++
		values[i] = l.sentValue
	}
	p.AskedAt = p.Populations + device.Address(p.AskedOffset())
	if p.SentRanges, err = p.Allocate(0, device.BytesOf(ranges)); err != nil {
		return err
	}
	p.Sent, err = p.Allocate(0, device.BytesOf(values))
	return err
}
