package gpu

import (
	"math/bits"

	"carina/solver/airflow"
	"carina/solver/cuda/tiles"
	"carina/solver/cuda/tiling"
)

// Quadratic walls (Bouzidi, Firdaouss and Lallemand 2001, eq. 5; the processor
// has the formulas at wall.Quadratic). A link with two fluid cells behind it
// needs one value beyond what the linear interpolation knows: what has left one of
// these cells along the link. Where the cell next to the wall is in the same
// tile as the one behind it, its tile knows that value. Elsewhere another tile
// sends it: it writes it to a place that belongs to the link, one for even and
// one for odd steps, in this GPU's memory, in another's or in a message.

// The flags of links of quadratic walls in kernels/flow.h.
const (
	quadraticLink = 1 << 12 // has two fluid cells behind it
	remoteTerm    = 1 << 13 // another tile sends what it needs
)

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
	place := int(link & (opens - 1))
	d, cell := place/tiling.Cells, tiling.Layout{Directions: s.Directions}.CellOf(place)
	second, third := s.Behind(tile, cell, d)
	if link>>16 >= halfWay {
		second, d = s.Wrapped(second), d^1
	} else {
		second = s.Wrapped(third)
	}
	sender, cell = s.CellAt(second)
	return sender, uint32(cell) | uint32(d)<<6
}

// askedBytes is the room for what other tiles send to the part: two values a link.
// There is some without links, too: what the part sends, it may have to send all the same.
func (p *part) askedBytes() int64 {
	const align = 8
	if p.walls.wall != airflow.Quadratic {
		return 0
	}
	return max(align, (2*int64(len(p.walls.links))*int64(p.ValueBytes())+align-1)/align*align)
}

// ask asks for what the part's links need of other tiles, whose ranks owner says.
func (p *part) ask(owner []int32) {
	p.Asked = p.askedBytes()
	for i, wall := range p.walls.ranges {
		for k := range wall.links {
			link := p.walls.links[wall.firstLink+k]
			if link&remoteTerm == 0 {
				continue
			}
			sender, from := senderOf(p.Set, p.Numbers[i], link)
			at := p.AskedOffset() + 2*int64(wall.firstLink+k)*int64(p.ValueBytes())
			p.Ask(int(owner[sender]), tiles.Request{Tile: p.Set.Position[sender], From: from, At: at})
		}
	}
}

// askedLinks is how many links need a value of another tile.
func (p *part) askedLinks() (n int) {
	for _, l := range p.walls.links {
		n += bits.OnesCount32(l & remoteTerm)
	}
	return n
}
