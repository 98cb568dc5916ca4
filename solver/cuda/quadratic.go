package cuda

import (
	"math/bits"
	"slices"

	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// Quadratic walls (Bouzidi, Firdaouss and Lallemand 2001, eq. 5; the processor
// has the formulas at wall.Quadratic). A link with two fluid cells behind it
// needs one value beyond what the linear interpolation knows: what has left one of
// these cells along the link. Where the cell next to the wall is in the same
// tile as the one behind it, its tile knows that value. Elsewhere another tile
// sends it: it writes it to a place that belongs to the link, one for even and
// one for odd steps, in this GPU's memory, in another's or in a message.

// The flags of links of quadratic walls in kernels/tile.h.
const (
	quadraticLink = 1 << 12 // has two fluid cells behind it
	remoteTerm    = 1 << 13 // another tile sends what it needs
)

// sentValue is a value that a tile sends after a step (struct SentValue of
// kernels/tile.h).
type sentValue struct {
	to uint64 // address after even steps
	// from is the cell and, from bit 6 on, the direction; stride is how far
	// behind the address lies after odd steps.
	from, stride uint32
}

// sentRange is which values a tile sends.
type sentRange struct{ first, count uint32 }

// request asks for a value.
type request struct {
	// Tile is the position of the tile that sends it, From as in sentValue.
	Tile [3]int32
	From uint32
	// At is where it is expected after even steps, behind the populations of
	// the rank that asks.
	At int64
}

// quadraticFlags are those of a wall link of a cell.
func (t *wallTables) quadraticFlags(tile int32, cell, d int) uint32 {
	if t.wall != airflow.Quadratic {
		return 0
	}
	second, third := t.tiles.Behind(tile, cell, d)
	secondTile, _ := t.tiles.CellAt(second)
	thirdTile, _ := t.tiles.CellAt(third)
	switch {
	case secondTile < 0 || thirdTile < 0:
		return 0
	case secondTile != tile:
		return quadraticLink | remoteTerm
	}
	return quadraticLink
}

// senderOf returns the tile and what it sends to a link: what leaves the third
// cell towards a wall nearer than half-way, or the second one away from a wall
// farther off.
func senderOf(s *tiling.Set, tile int32, link uint32) (sender int32, from uint32) {
	d, cell := int(link&31), int(link>>5&(tiling.Cells-1))
	second, third := s.Behind(tile, cell, d)
	if link>>16 >= halfWay {
		second, d = s.Wrapped(second), d^1
	} else {
		second = s.Wrapped(third)
	}
	sender, cell = s.CellAt(second)
	return sender, uint32(cell) | uint32(d)<<6
}

// remoteOffset is where what other tiles send to the part lies behind its tiles.
func (p *part) remoteOffset() int64 { return int64(len(p.subdomain.Tiles)) * p.TileBytes() }

// remoteBytes is its size: two values a link.
func (p *part) remoteBytes() int64 {
	const align = 8
	if p.walls.wall != airflow.Quadratic {
		return 0
	}
	return (2*int64(len(p.walls.links))*int64(p.ValueBytes()) + align - 1) / align * align
}

// findRequests finds what the part's links need of other tiles: of its own ones,
// or of other ranks, which will be asked.
func (p *part) findRequests(tiles *tiling.Set, owner []int32) {
	p.asked = map[int][]request{}
	for i, wall := range p.walls.ranges {
		for k := range wall.links {
			link := p.walls.links[wall.firstLink+k]
			if link&remoteTerm == 0 {
				continue
			}
			sender, from := senderOf(tiles, p.tiles[i], link)
			at := p.remoteOffset() + 2*int64(wall.firstLink+k)*int64(p.ValueBytes())
			rank := int(owner[sender])
			p.asked[rank] = append(p.asked[rank], request{tiles.Position[sender], from, at})
		}
	}
}

// tileValue is a value that an own tile sends, by index.
type tileValue struct {
	index int32
	sentValue
}

// sentFor answers requests: value i goes to an address and, after odd steps, a
// stride farther.
func (p *part) sentFor(tiles *tiling.Set, requests []request, to func(i int) uint64, stride int) []tileValue {
	list := make([]tileValue, len(requests))
	for i, r := range requests {
		number, _ := slices.BinarySearch(p.sorted, tiles.Find(r.Tile[0], r.Tile[1], r.Tile[2]))
		list[i] = tileValue{p.index[number], sentValue{to(i), r.From, uint32(stride)}}
	}
	return list
}

// uploadSent uploads what all tiles send.
func (p *part) uploadSent(tiles *tiling.Set) (err error) {
	if p.remoteBytes() == 0 {
		return nil
	}
	own := p.asked[p.subdomain.Rank]
	all := p.sentFor(tiles, own, func(i int) uint64 { return uint64(p.populations) + uint64(own[i].At) }, p.ValueBytes())
	for _, c := range p.connections {
		to, stride := func(i int) uint64 { return uint64(c.memory) + uint64(c.requests[i].At) }, p.ValueBytes()
		if !c.direct {
			begin := uint64(c.outgoing) + uint64(c.Bytes(p.Layout))
			to, stride = func(i int) uint64 { return begin + uint64(i*p.ValueBytes()) }, 0
		}
		all = append(all, p.sentFor(tiles, c.requests, to, stride)...)
	}
	slices.SortStableFunc(all, func(a, b tileValue) int { return int(a.index - b.index) })
	ranges, values := make([]sentRange, len(p.tiles)), make([]sentValue, len(all))
	for i, l := range all {
		if ranges[l.index].count == 0 {
			ranges[l.index].first = uint32(i)
		}
		ranges[l.index].count++
		values[i] = l.sentValue
	}
	w := &p.wallParts
	w.remote = p.populations + device.Address(p.remoteOffset())
	if w.sentRanges, err = p.allocate(0, device.BytesOf(ranges)); err != nil {
		return err
	}
	w.sent, err = p.allocate(0, device.BytesOf(values))
	return err
}

// sentBytes is the memory of what own tiles send to own links; what is sent to
// others is little.
func (p *part) sentBytes() int64 {
	if p.remoteBytes() == 0 {
		return 0
	}
	n := 0
	for _, l := range p.walls.links {
		n += bits.OnesCount32(l & remoteTerm)
	}
	const value, ofTile = 16, 8
	return int64(n)*value + int64(len(p.tiles))*ofTile
}
