package gpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/tiling"
)

// halfWay is the distance of a plain bounce-back wall.
const halfWay = 1<<15 - 1

// The records of kernels/flow.h.
type (
	wallRange    struct{ firstCell, cells, firstLink, links int32 }
	boundaryCell struct{ cell, opening uint32 }
	openingCell  struct{ firstLink, links int32 }
	openingTile  struct{ tile, firstLink, links uint32 }
	openingLink  struct {
		link, cell, direction, opening uint32
		numbers                        opening.Link
	}
)

// wallTables are the links of all tiles. Cells and links of a tile stand
// together, beginning at multiples of 2 and 8: 16 bytes.
type wallTables struct {
	tiles *tiling.Set
	wall  airflow.Wall
	// reflects tells whether flow.ReflectsWalls, at the relaxation time.
	reflects     bool
	time         float64
	ranges       []wallRange
	cells        []boundaryCell
	links        []uint32
	openingCells []openingCell
	openingLinks []openingLink
}

const (
	cellsAlign = 2
	linksAlign = 8
	// opens marks the links that meet openings.
	opens = 1 << 11
	// reflects marks the links of walls that are made of what the collision left.
	reflects = 1 << 14
	// meetsOpenings marks a range's number of cells where one meets an opening.
	meetsOpenings = 1 << 8
)

// workOf is what a tile costs: its cells, and its links a little more. The ratio
// is from airways of 1·10⁸ and 2·10⁸ cells on an H200 (NOTES.md).
func workOf(links int32, bits int) int64 {
	const tile, link, linkOf16Bits = 1000, 5, 18
	if bits == 16 {
		return tile + linkOf16Bits*int64(links)
	}
	return tile + link*int64(links)
}

// Divide gives the cells of a domain to so many ranks: consecutive pieces of the
// tiles along Morton's curve, of equal work. Storage is what they compute with.
func Divide(domain *solver.Domain, ranks int, storage Storage) (*solver.Domain, error) {
	bits := 32
	if storage == Half {
		bits = 16
	}
	return tiling.Divide(domain, ranks, func(links int32) int64 { return workOf(links, bits) })
}

// newWallTables collects the links of the cells in some tiles of a domain by tile.
func newWallTables(tiles *tiling.Set, domain *solver.Domain, flow *airflow.Flow, wall airflow.Wall, wanted func(tile int32) bool) (*wallTables, error) {
	l := &domain.Grid.Links
	if len(l.Cells) > 0 && l.Directions < tiles.Directions {
		return nil, fmt.Errorf("the grid's links cover %d directions and the velocities are %d; voxelize the surface again with --directions %[2]d", l.Directions, tiles.Directions)
	}
	t := &wallTables{tiles: tiles, wall: wall, reflects: flow.ReflectsWalls(), time: flow.Units.RelaxationTime(), ranges: make([]wallRange, len(tiles.Position))}
	within := uint32(1)<<tiles.Directions - 1
	tiling.EachBoundaryCell(tiles, domain.Grid, func(tile int32, _ int, i int) {
		if n := bits.OnesCount32(l.Mask[i] & within); n > 0 && wanted(tile) {
			t.ranges[tile].cells++
			t.ranges[tile].links += int32(n)
		}
	})
	var cells, links int64
	for i := range t.ranges {
		s := &t.ranges[i]
		s.firstCell, s.firstLink = int32(cells), int32(links)
		cells += (int64(s.cells) + cellsAlign - 1) / cellsAlign * cellsAlign
		links += (int64(s.links) + linksAlign - 1) / linksAlign * linksAlign
		s.cells, s.links = 0, 0
	}
	const limit = 1<<31 - 1
	if links > limit {
		return nil, fmt.Errorf("one GPU cannot hold %d wall links; use more ranks", links)
	}
	t.cells, t.links = make([]boundaryCell, cells), make([]uint32, links)
	opening := tiling.NewOpeningFinder(l.Openings)
	tiling.EachBoundaryCell(tiles, domain.Grid, func(tile int32, cell int, i int) {
		if wanted(tile) {
			t.addCell(domain.Grid, flow, opening, tile, tiles.Position[tile], cell, i)
		}
	})
	return t, nil
}

// addCell adds the links of a boundary cell, number i in the grid's links.
func (t *wallTables) addCell(grid *geometry.Grid, flow *airflow.Flow, opening *tiling.OpeningFinder, tile int32, position [3]int32, cell, i int) {
	l := &grid.Links
	s := &t.ranges[tile]
	x, y, z := position[0]*tiling.Side+int32(cell>>4), position[1]*tiling.Side+int32(cell>>2&3), position[2]*tiling.Side+int32(cell&3)
	begin := len(t.openingLinks)
	first := s.links
	link := l.First[i]
	for mask := l.Mask[i]; mask != 0; mask &= mask - 1 {
		d := bits.TrailingZeros32(mask)
		number := link
		link++
		if d >= t.tiles.Directions {
			continue
		}
		distance := uint32(l.Distance[number])
		at := s.firstLink + s.links
		flags := uint32(0)
		if o := opening.Find(number); o >= 0 {
			distance, flags = halfWay, opens
			t.openingLinks = append(t.openingLinks, openingLink{uint32(at), uint32(len(t.openingCells)), uint32(d), uint32(o), flow.OpeningLink(x, y, z, d, o)})
		} else {
			flags = t.quadraticFlags(tile, cell, d)
			if t.reflects {
				flags = reflects
			}
		}
		if t.wall == airflow.BounceBack || l.Mask[i]>>(d^1)&1 != 0 {
			distance, flags = halfWay, flags&^reflects // nothing to interpolate with
		}
		t.links[at] = uint32(d) | uint32(cell)<<5 | flags | distance<<16
		s.links++
	}
	if s.links == first {
		return
	}
	c := boundaryCell{cell: uint32(cell) | uint32(s.links-first)<<8 | uint32(first)<<16}
	if n := len(t.openingLinks) - begin; n > 0 {
		slices.SortStableFunc(t.openingLinks[begin:], func(x, y openingLink) int { return int(x.opening) - int(y.opening) })
		t.openingCells = append(t.openingCells, openingCell{int32(begin), int32(n)})
		c.opening = uint32(len(t.openingCells))
		s.cells |= meetsOpenings
	}
	t.cells[s.firstCell+s.cells&^meetsOpenings] = c
	s.cells++
}

// of returns the tables of some of the tiles, in their order.
func (t *wallTables) of(tiles []int32) *wallTables {
	p := &wallTables{tiles: t.tiles, wall: t.wall, reflects: t.reflects, time: t.time, ranges: make([]wallRange, len(tiles))}
	for i, tile := range tiles {
		s := t.ranges[tile]
		q := wallRange{int32(len(p.cells)), s.cells, int32(len(p.links)), s.links}
		p.ranges[i] = q
		p.links = append(p.links, t.links[s.firstLink:s.firstLink+s.links]...)
		for _, c := range t.cells[s.firstCell : s.firstCell+s.cells&^meetsOpenings] {
			if c.opening > 0 {
				o := t.openingCells[c.opening-1]
				p.openingCells = append(p.openingCells, openingCell{int32(len(p.openingLinks)), o.links})
				c.opening = uint32(len(p.openingCells))
				for _, l := range t.openingLinks[o.firstLink : o.firstLink+o.links] {
					l.link += uint32(q.firstLink - s.firstLink)
					l.cell = uint32(len(p.openingCells)) - 1
					p.openingLinks = append(p.openingLinks, l)
				}
			}
			p.cells = append(p.cells, c)
		}
		for len(p.cells)%cellsAlign != 0 {
			p.cells = append(p.cells, boundaryCell{})
		}
		for len(p.links)%linksAlign != 0 {
			p.links = append(p.links, 0)
		}
	}
	return p
}

// openTile returns tile i as one at openings, of which ok tells whether it is
// one. Its cells at openings stand together, and so do their links.
func (t *wallTables) openTile(i int) (tile openingTile, ok bool) {
	s := &t.ranges[i]
	if s.cells&meetsOpenings == 0 {
		return tile, false
	}
	tile.tile = uint32(i)
	for _, c := range t.cells[s.firstCell:][:s.cells&^meetsOpenings] {
		if c.opening == 0 {
			continue
		}
		o := t.openingCells[c.opening-1]
		if tile.links == 0 {
			tile.firstLink = uint32(o.firstLink)
		}
		tile.links += uint32(o.links)
	}
	return tile, true
}

// openingRecords are the opening links as kernels/flow.h has them.
func openingRecords(links []openingLink, bits int) []byte {
	var all []byte
	for i := range links {
		l := &links[i]
		for _, v := range []uint32{l.link, l.cell, l.direction, l.opening} {
			all = binary.LittleEndian.AppendUint32(all, v)
		}
		n := &l.numbers
		all = appendReals(all, bits, n.Inflow, n.Distance, n.Area)
	}
	return all
}

// appendReals appends numbers in the precision that is computed with.
func appendReals(to []byte, bits int, numbers ...float64) []byte {
	for _, v := range numbers {
		if realBytes(bits) == 8 {
			to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
		} else {
			to = binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(v)))
		}
	}
	return to
}
