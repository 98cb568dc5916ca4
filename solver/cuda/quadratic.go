package cuda

import (
	"math/bits"
	"slices"

	"carina/geometry"
	"carina/solver/airflow"
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

// cellAt returns the tile of a cell, wrapped where periodic, and its number
// there; the tile is −1 where the cell is not fluid.
func (s *tileSet) cellAt(c [3]int32) (tile int32, cell int) {
	for a := range c {
		n := s.size[a] * tileSide
		if s.periodic[a] {
			c[a] = (c[a] + n) % n
		} else if c[a] < 0 || c[a] >= n {
			return -1, 0
		}
	}
	tile = s.find(c[0]/tileSide, c[1]/tileSide, c[2]/tileSide)
	cell = cellBit(c[0], c[1], c[2])
	if tile < 0 || s.fluid[tile]>>cell&1 == 0 {
		return -1, 0
	}
	return tile, cell
}

// behind returns the cells behind a cell's link in a direction.
func (s *tileSet) behind(tile int32, cell, d int) (second, third [3]int32) {
	p, o := s.position[tile], geometry.Directions[d]
	at := [3]int32{p[0]*tileSide + int32(cell>>4), p[1]*tileSide + int32(cell>>2&3), p[2]*tileSide + int32(cell&3)}
	for a, c := range [3]int8{o.X, o.Y, o.Z} {
		second[a], third[a] = at[a]-int32(c), at[a]-2*int32(c)
	}
	return second, third
}

// quadraticFlags are those of a wall link of a cell.
func (t *wallTables) quadraticFlags(tile int32, cell, d int) uint32 {
	if t.wall != airflow.Quadratic {
		return 0
	}
	second, third := t.tiles.behind(tile, cell, d)
	secondTile, _ := t.tiles.cellAt(second)
	thirdTile, _ := t.tiles.cellAt(third)
	switch {
	case secondTile < 0 || thirdTile < 0:
		return 0
	case secondTile != tile:
		return quadraticLink | remoteTerm
	}
	return quadraticLink
}

// sender returns the tile and what it sends to a link: what leaves the third
// cell towards a wall nearer than half-way, or the second one away from a wall
// farther off.
func (s *tileSet) sender(tile int32, link uint32) (sender int32, from uint32) {
	d, cell := int(link&31), int(link>>5&(tileCells-1))
	second, third := s.behind(tile, cell, d)
	if link>>16 >= halfWay {
		second, d = s.wrapped(second), d^1
	} else {
		second = s.wrapped(third)
	}
	sender, cell = s.cellAt(second)
	return sender, uint32(cell) | uint32(d)<<6
}

// wrapped is a cell within the box where periodic.
func (s *tileSet) wrapped(c [3]int32) [3]int32 {
	for a := range c {
		if n := s.size[a] * tileSide; s.periodic[a] {
			c[a] = (c[a] + n) % n
		}
	}
	return c
}

// remoteOffset is where what other tiles send to the part lies behind its tiles.
func (p *part) remoteOffset() int64 { return int64(len(p.subdomain.tiles)) * p.tileBytes() }

// remoteBytes is its size: two values a link.
func (p *part) remoteBytes() int64 {
	const align = 8
	if p.walls.wall != airflow.Quadratic {
		return 0
	}
	return (2*int64(len(p.walls.links))*int64(p.valueBytes()) + align - 1) / align * align
}

// findRequests finds what the part's links need of other tiles: of its own ones,
// or of other ranks, which will be asked.
func (p *part) findRequests(tiles *tileSet, owner []int32) {
	p.asked = map[int][]request{}
	for i, wall := range p.walls.ranges {
		for k := range wall.links {
			link := p.walls.links[wall.firstLink+k]
			if link&remoteTerm == 0 {
				continue
			}
			sender, from := tiles.sender(p.tiles[i], link)
			at := p.remoteOffset() + 2*int64(wall.firstLink+k)*int64(p.valueBytes())
			rank := int(owner[sender])
			p.asked[rank] = append(p.asked[rank], request{tiles.position[sender], from, at})
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
func (p *part) sentFor(tiles *tileSet, requests []request, to func(i int) uint64, stride int) []tileValue {
	list := make([]tileValue, len(requests))
	for i, r := range requests {
		number, _ := slices.BinarySearch(p.sorted, tiles.find(r.Tile[0], r.Tile[1], r.Tile[2]))
		list[i] = tileValue{p.index[number], sentValue{to(i), r.From, uint32(stride)}}
	}
	return list
}

// uploadSent uploads what all tiles send.
func (p *part) uploadSent(tiles *tileSet) (err error) {
	if p.remoteBytes() == 0 {
		return nil
	}
	own := p.asked[p.subdomain.rank]
	all := p.sentFor(tiles, own, func(i int) uint64 { return uint64(p.populations) + uint64(own[i].At) }, p.valueBytes())
	for _, c := range p.connections {
		to, stride := func(i int) uint64 { return uint64(c.memory) + uint64(c.requests[i].At) }, p.valueBytes()
		if !c.direct {
			begin := uint64(c.outgoing) + uint64(c.bytes(p.tileLayout))
			to, stride = func(i int) uint64 { return begin + uint64(i*p.valueBytes()) }, 0
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
	w.remote = p.populations + address(p.remoteOffset())
	if w.sentRanges, err = p.allocate(0, bytesOf(ranges)); err != nil {
		return err
	}
	w.sent, err = p.allocate(0, bytesOf(values))
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
