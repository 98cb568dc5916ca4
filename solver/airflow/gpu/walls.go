package gpu

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"runtime"
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
	openingCell  struct{ firstLink, links, cell int32 }
	openingTile  struct{ tile, firstCell, cells uint32 }
	openingLink  struct {
		link, direction, opening, opposite uint32
		near                               float64
		numbers                            opening.Link
	}
)

// wallTables are the links of a rank's tiles. Cells and links of a tile stand
// together, beginning at multiples of 2 and 8: 16 bytes.
type wallTables struct {
	tiles *tiling.Set
	wall  airflow.Wall
	// reflects tells whether flow.ReflectsWalls, at the relaxation time.
	reflects bool
	time     float64
	// places are the slots of the image by direction and cell, which stand for both.
	places       [tiling.MostDirections][tiling.Cells]uint16
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
	// atEdge marks the links of walls whose opposites meet openings, see wall.Edge.
	atEdge = 1 << 15
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
	return tiling.Divide(domain, slices.Repeat([]float64{1}, ranks), func(links int32) int64 { return workOf(links, bits) })
}

// newWallTables collects the links of some tiles of a domain, in their order. Index
// is where a tile stands in it by its number, −1 where it is not wanted.
func newWallTables(tiles *tiling.Set, domain *solver.Domain, flow *airflow.Flow, wall airflow.Wall, index []int32, wanted int) (*wallTables, error) {
	l := &domain.Grid.Links
	if l.Len() > 0 && l.Directions < tiles.Directions {
		return nil, fmt.Errorf("the grid's links cover %d directions and the velocities are %d; voxelize the surface again with --directions %[2]d", l.Directions, tiles.Directions)
	}
	t := &wallTables{tiles: tiles, wall: wall, reflects: flow.ReflectsWalls(), time: flow.Units.RelaxationTime(), ranges: make([]wallRange, wanted)}
	t.findPlaces()
	within := uint32(1)<<tiles.Directions - 1
	layers := tiling.NewLayers(tiles, domain.Grid, runtime.GOMAXPROCS(0))
	layers.EachBoundaryCell(func(_ int, tile int32, _, i int) {
		if n := bits.OnesCount32(l.Mask[i] & within); n > 0 && index[tile] >= 0 {
			s := &t.ranges[index[tile]]
			s.cells++
			s.links += int32(n)
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
	parts := make([]wallPart, layers.Parts())
	for i := range parts {
		parts[i] = wallPart{wallTables: t, grid: domain.Grid, flow: flow, opening: tiling.NewOpeningFinder(l.Openings)}
	}
	layers.EachBoundaryCell(func(part int, tile int32, cell, i int) {
		if at := index[tile]; at >= 0 {
			parts[part].addCell(at, tile, cell, i)
		}
	})
	t.joinOpenings(parts)
	return t, nil
}

// findPlaces finds the places of all cells and directions.
func (t *wallTables) findPlaces() {
	layout := tiling.Layout{Directions: t.tiles.Directions}
	for slot := range layout.Directions * tiling.Cells {
		t.places[slot/tiling.Cells][layout.CellOf(slot)] = uint16(slot)
	}
}

// wallPart fills in the links of some layers of tiles.
type wallPart struct {
	*wallTables
	grid    *geometry.Grid
	flow    *airflow.Flow
	opening *tiling.OpeningFinder
	opened  []openedCell
	through []openingLink
}

// openedCell is a cell at openings by its number in the tables, and its links
// through openings.
type openedCell struct {
	cell  int32
	links []openingLink
}

// addCell adds the links of a boundary cell, number i in the grid's links, of the
// tile at a place of the tables.
func (p *wallPart) addCell(at, tile int32, cell, i int) {
	l := &p.grid.Links
	s := &p.ranges[at]
	position := p.tiles.Position[tile]
	x, y, z := position[0]*tiling.Side+int32(cell>>4), position[1]*tiling.Side+int32(cell>>2&3), position[2]*tiling.Side+int32(cell&3)
	begin := len(p.through)
	first := s.links
	link := l.First(i)
	for mask := l.Mask[i]; mask != 0; mask &= mask - 1 {
		d := bits.TrailingZeros32(mask)
		number := link
		link++
		if d >= p.tiles.Directions {
			continue
		}
		distance := uint32(l.Distance[number])
		at := s.firstLink + s.links
		flags := uint32(0)
		if o := p.opening.Find(number); o >= 0 {
			distance, flags = halfWay, opens
			p.through = append(p.through, openingLink{link: uint32(at), direction: uint32(d), opening: uint32(o), numbers: p.flow.OpeningLink(x, y, z, d, o)})
		} else {
			flags = p.quadraticFlags(tile, cell, d)
			if p.reflects {
				flags = reflects
			}
		}
		switch {
		case p.wall == airflow.BounceBack:
			distance, flags = halfWay, flags&^reflects
		case l.Mask[i]>>(d^1)&1 == 0:
		case flags&opens == 0 && p.opening.Find(l.Link(i, d^1)) >= 0:
			flags |= atEdge
		default:
			distance, flags = halfWay, flags&^reflects // nothing to interpolate with
		}
		p.links[at] = uint32(p.places[d][cell]) | flags | distance<<16
		s.links++
	}
	if s.links == first {
		return
	}
	number := s.firstCell + s.cells&^meetsOpenings
	p.cells[number] = boundaryCell{cell: uint32(cell) | uint32(s.links-first)<<8 | uint32(first)<<16}
	if through := p.through[begin:]; len(through) > 0 {
		if int(s.links-first) > len(through) {
			for k := range through {
				p.flow.States.AtWall(&through[k].numbers)
			}
		}
		p.findEdge(through, l.Mask[i], s.firstLink+first)
		slices.SortStableFunc(through, func(x, y openingLink) int { return int(x.opening) - int(y.opening) })
		p.opened = append(p.opened, openedCell{number, slices.Clip(through)})
		s.cells |= meetsOpenings
	}
	s.cells++
}

// findEdge finds the links of walls nearer than half-way opposite to those of a cell
// through openings, given the directions of its links and where the first of them is.
func (t *wallTables) findEdge(through []openingLink, mask uint32, first int32) {
	for k := range through {
		opposite := through[k].direction ^ 1
		if mask>>opposite&1 == 0 {
			continue
		}
		at := uint32(first) + uint32(bits.OnesCount32(mask&(1<<opposite-1)))
		if l := t.links[at]; l&(atEdge|reflects) == atEdge && l>>16 < halfWay {
			through[k].opposite, through[k].near = at, 1-float64(l>>16+1)/(1<<15)
		}
	}
}

// joinOpenings numbers the cells at openings of all parts in the order of the tiles.
func (t *wallTables) joinOpenings(parts []wallPart) {
	var opened []openedCell
	for i := range parts {
		opened = append(opened, parts[i].opened...)
	}
	slices.SortFunc(opened, func(a, b openedCell) int { return cmp.Compare(a.cell, b.cell) })
	for _, c := range opened {
		t.openingCells = append(t.openingCells, openingCell{int32(len(t.openingLinks)), int32(len(c.links)), int32(t.cells[c.cell].cell & (tiling.Cells - 1))})
		t.cells[c.cell].opening = uint32(len(t.openingCells))
		t.openingLinks = append(t.openingLinks, c.links...)
	}
}

// openTile returns tile i as one at openings, of which ok tells whether it is
// one. Its cells at openings stand together.
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
		if tile.cells == 0 {
			tile.firstCell = c.opening - 1
		}
		tile.cells++
	}
	return tile, true
}

// openingRecords are the links to openings as kernels/flow.h has them.
func openingRecords(links []openingLink, openings []opening.Imposed, bits int) []byte {
	var all []byte
	for i := range links {
		l := &links[i]
		for _, v := range []uint32{l.link, l.direction | l.opening<<5, l.opposite} {
			all = binary.LittleEndian.AppendUint32(all, v)
		}
		n, normal := &l.numbers, &openings[l.opening].Normal
		if realBytes(bits) == 8 { // numbers lie at multiples of their size, links at those of 16 bytes
			all = binary.LittleEndian.AppendUint32(all, 0)
			all = appendReals(all, bits, l.near, n.Inflow, n.Distance, n.Weight, along[float64](normal, l.direction), 0)
		} else {
			all = appendReals(all, bits, l.near, n.Inflow, n.Distance, n.Weight, float64(along[float32](normal, l.direction)))
		}
	}
	return all
}

// along is the component along an opening's normal of what returns over a link, in the
// precision that is computed with.
func along[T float32 | float64](normal *[3]float64, direction uint32) T {
	c := geometry.Directions[direction]
	return -(T(c.X)*T(normal[0]) + T(c.Y)*T(normal[1]) + T(c.Z)*T(normal[2]))
}

// appendReals appends numbers in the precision that is computed with.
func appendReals(to []byte, bits int, numbers ...float64) []byte {
	if realBytes(bits) == 8 {
		for _, v := range numbers {
			to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
		}
		return to
	}
	for _, v := range numbers {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(v)))
	}
	return to
}
