package cuda

import (
	"math/bits"
	"slices"

	"carina/geometry"
	"carina/solver/airflow"
)

// Quadratic walls (Bouzidi, Firdaouss and Lallemand 2001, eq. 5; the processor
// has the formulas at solver's curve). A link with two fluid cells behind it
// needs one value beyond what the linear interpolation knows: what has left one of
// these cells along the link. Where the cell next to the wall is in the same
// tile as the one behind it, its tile knows that value. Elsewhere another tile
// lends it: it writes it to a place that belongs to the link, one for even and
// one for odd steps, in this GPU's memory, in another's or in a message.

// The flags of links of quadratic walls in kernels/tile.h.
const (
	bends = 1 << 12 // has two fluid cells behind it
	lent  = 1 << 13 // another tile lends what it needs
)

// lend is a value that a tile lends after a step (struct Lend of
// kernels/tile.h).
type lend struct {
	to uint64 // address after even steps
	// from is the cell and, from bit 6 on, the direction; stride is how far
	// behind the address lies after odd steps.
	from, stride uint32
}

// lendSpan are the lends of a tile.
type lendSpan struct{ first, count uint32 }

// request asks for a value.
type request struct {
	// Tile is the position of the tile that lends it, From as in lend.
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

// bendFlags are those of a wall link of a cell.
func (t *wallTables) bendFlags(tile int32, cell, d int) uint32 {
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
		return bends | lent
	}
	return bends
}

// lender returns the tile and what it lends to a link: what leaves the third
// cell towards a wall nearer than half-way, or the second one away from a wall
// farther off.
func (s *tileSet) lender(tile int32, link uint32) (lender int32, from uint32) {
	d, cell := int(link&31), int(link>>5&(tileCells-1))
	second, third := s.behind(tile, cell, d)
	if link>>16 >= halfWay {
		second, d = s.wrapped(second), d^1
	} else {
		second = s.wrapped(third)
	}
	lender, cell = s.cellAt(second)
	return lender, uint32(cell) | uint32(d)<<6
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

// lentOffset is where what is lent to the part lies behind its tiles.
func (p *part) lentOffset() int64 { return int64(len(p.share.tiles)) * p.tileBytes() }

// lentBytes is its size: two values a link.
func (p *part) lentBytes() int64 {
	const align = 8
	if p.walls.wall != airflow.Quadratic {
		return 0
	}
	return (2*int64(len(p.walls.links))*int64(p.valueBytes()) + align - 1) / align * align
}

// findLends finds what the part's links need of other tiles: of its own ones,
// or of other ranks, which will be asked.
func (p *part) findLends(tiles *tileSet, owner []int32) {
	p.asked = map[int][]request{}
	for i, span := range p.walls.spans {
		for k := range span.links {
			link := p.walls.links[span.firstLink+k]
			if link&lent == 0 {
				continue
			}
			lender, from := tiles.lender(p.tiles[i], link)
			at := p.lentOffset() + 2*int64(span.firstLink+k)*int64(p.valueBytes())
			rank := int(owner[lender])
			p.asked[rank] = append(p.asked[rank], request{tiles.position[lender], from, at})
		}
	}
}

// tileLend is a lend of an own tile, by place.
type tileLend struct {
	place int32
	lend
}

// lendsOf answers requests: value i goes to an address and, after odd steps, a
// stride farther.
func (p *part) lendsOf(tiles *tileSet, requests []request, to func(i int) uint64, stride int) []tileLend {
	list := make([]tileLend, len(requests))
	for i, r := range requests {
		number, _ := slices.BinarySearch(p.sorted, tiles.find(r.Tile[0], r.Tile[1], r.Tile[2]))
		list[i] = tileLend{p.place[number], lend{to(i), r.From, uint32(stride)}}
	}
	return list
}

// uploadLends uploads what all tiles lend.
func (p *part) uploadLends(tiles *tileSet) (err error) {
	if p.lentBytes() == 0 {
		return nil
	}
	own := p.asked[p.share.rank]
	all := p.lendsOf(tiles, own, func(i int) uint64 { return uint64(p.populations) + uint64(own[i].At) }, p.valueBytes())
	for _, l := range p.links {
		to, stride := func(i int) uint64 { return uint64(l.memory) + uint64(l.requests[i].At) }, p.valueBytes()
		if !l.direct {
			begin := uint64(l.outgoing) + uint64(l.bytes(p.tileLayout))
			to, stride = func(i int) uint64 { return begin + uint64(i*p.valueBytes()) }, 0
		}
		all = append(all, p.lendsOf(tiles, l.requests, to, stride)...)
	}
	slices.SortStableFunc(all, func(a, b tileLend) int { return int(a.place - b.place) })
	spans, lends := make([]lendSpan, len(p.tiles)), make([]lend, len(all))
	for i, l := range all {
		if spans[l.place].count == 0 {
			spans[l.place].first = uint32(i)
		}
		spans[l.place].count++
		lends[i] = l.lend
	}
	w := &p.wallParts
	w.lent = p.populations + address(p.lentOffset())
	if w.lendSpans, err = p.allocate(0, bytesOf(spans)); err != nil {
		return err
	}
	w.lends, err = p.allocate(0, bytesOf(lends))
	return err
}

// lendBytes is the memory of the lends of own tiles to own links; what is lent
// to others is little.
func (p *part) lendBytes() int64 {
	if p.lentBytes() == 0 {
		return 0
	}
	n := 0
	for _, l := range p.walls.links {
		n += bits.OnesCount32(l & lent)
	}
	const record, span = 16, 8
	return int64(n)*record + int64(len(p.tiles))*span
}
