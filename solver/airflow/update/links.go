package update

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/wall"
	"carina/solver/lattice"
)

// FindLinks makes the wall links and opening cells of every block.
func (l *Layout) FindLinks(grid *geometry.Grid, scheme *wall.Scheme, openings *opening.States) error {
	links := &grid.Links
	if links.Len() > 0 && links.Directions < l.set.Q-1 {
		return fmt.Errorf("the grid's links cover %d directions and %s needs %d; voxelize the surface again with --directions %[3]d",
			links.Directions, l.set.Name, l.set.Q-1)
	}
	b := linkBuilder{Layout: l, grid: grid, scheme: scheme, openings: openings, cells: make([]opening.Cell, 0, l.openingsExpected)}
	q := l.set.Q
	for i := range l.blocks {
		c := &l.blocks[i]
		c.near, c.far, c.reflections = int64(len(l.near)), int64(len(l.far)), int64(len(l.reflections))
		c.opening, c.edge = int32(len(b.cells)), int32(len(l.edge))
		for w := c.walled; w < c.walledEnd; w++ {
			b.window = l.windows.walled[int(w)*walledWidth(q):][:walledWidth(q)]
			b.addWindow(int(w-c.walled), c.cell)
		}
		b.appendLinks(c.cell)
		c.openingEnd, c.edgeEnd = int32(len(b.cells)), int32(len(l.edge))
	}
	l.near, l.far, l.reflections = settled(l.near, 0), settled(l.far, 0), settled(l.reflections, 0)
	l.Openings = opening.NewCells(b.cells)
	return nil
}

type linkBuilder struct {
	*Layout
	grid        *geometry.Grid
	scheme      *wall.Scheme
	openings    *opening.States
	cells       []opening.Cell
	openingNext int
	piece       *solver.Piece // of the cells at hand
	window      []uint32
	// corrections are those of the window at hand, by direction and lane.
	corrections [26][windowCells]wall.Correction
	// nearLinks, farLinks and reflected are those of the block at hand, by
	// direction.
	nearLinks, farLinks, reflected [26][]wall.Link
}

// local is the local number of a lane of the window at hand.
func (b *linkBuilder) local(lane int32) int32 { return int32(b.window[0]) + lane }

// neighbour returns that of a lane of the window at hand in a direction, or −1
// where it is not fluid.
func (b *linkBuilder) neighbour(lane int32, d int) int32 {
	if b.window[2+b.set.Q-1+d/2]>>(16*(d%2))>>lane&1 == 0 {
		return -1
	}
	return int32(b.window[0]+b.window[2+d]) + lane
}

// addWindow adds the links of the window at hand, given its number in the
// block and the block's first cell.
func (b *linkBuilder) addWindow(number int, first int32) {
	l := &b.grid.Links
	cell, count := int32(b.window[0]), int32(b.window[1])
	b.EachPiece(cell, cell+count, func(p *solver.Piece, from, to int32) {
		b.piece = p
		first := b.Domain.InGrid(p.Global + int64(from-p.Local))
		i, _ := l.Search(first)
		for ; i < l.Len() && l.Cell(i) < first+int64(to-from); i++ {
			b.addCell(from-cell+int32(l.Cell(i)-first), i)
		}
	})
	for d := range b.corrections {
		for lane, c := range b.corrections[d] {
			if c.Kind == wall.HalfWay {
				continue
			}
			b.corrections[d][lane] = wall.Correction{}
			links := b.linksOf(c.Kind)
			links[d] = append(links[d], wall.Link{CorrectedLink: kernel.NewCorrectedLink(int(cell-first)+lane, d^1, number, len(b.window)), Factor: c.Factor})
		}
	}
}

// linksOf are those of a kind of the block at hand, by direction.
func (b *linkBuilder) linksOf(kind wall.Kind) *[26][]wall.Link {
	switch kind {
	case wall.Near:
		return &b.nearLinks
	case wall.Far:
		return &b.farLinks
	}
	return &b.reflected
}

// appendLinks appends those of a block that begins at a cell.
func (b *linkBuilder) appendLinks(cell int32) {
	add := func(list wall.Links, links *[26][]wall.Link, group int) wall.Links {
		count := 1 + group
		for d := range links {
			count += len(links[d])
		}
		return wall.Links(b.room(list, 1+2*(count+group), cell)).Append(links, group)
	}
	b.near, b.far = add(b.near, &b.nearLinks, kernel.LinkGroup), add(b.far, &b.farLinks, kernel.LinkGroup)
	b.reflections = add(b.reflections, &b.reflected, kernel.ReflectionGroup)
}

// addCell adds the links of one lane, boundary cell number i of the grid.
func (b *linkBuilder) addCell(lane int32, i int) {
	l := &b.grid.Links
	var open []opening.Link
	walls := 0
	link := l.First(i)
	for mask := l.Mask[i]; mask != 0; mask &= mask - 1 {
		d := bits.TrailingZeros32(mask)
		number := link
		link++
		if d >= b.set.Q-1 {
			continue
		}
		if o := b.openingOf(number); o >= 0 {
			p := b.piece
			open = append(open, b.openings.Link(p.X0+int32(b.window[0])+lane-p.Local, p.Y, p.Z, d, o))
			continue
		}
		walls++
		if b.neighbour(lane, d^1) >= 0 {
			b.corrections[d][lane] = b.scheme.Correction(l.Fraction(number))
		}
	}
	if len(open) == 0 {
		return
	}
	if walls > 0 {
		for k := range open {
			b.openings.AtWall(&open[k])
		}
	}
	b.addEdge(lane, i, open)
	o := opening.NewCell(b.set, b.local(lane), b.piece.Global+int64(b.local(lane)-b.piece.Local), open)
	for d := range b.set.Q - 1 {
		o.Neighbour[d] = b.neighbour(lane, d)
	}
	b.cells = append(b.cells, o)
}

// addEdge adds the links of a lane to walls opposite to links to openings.
func (b *linkBuilder) addEdge(lane int32, i int, open []opening.Link) {
	l := &b.grid.Links
	cell := wall.EdgeCell{Local: int32(b.window[0]) + lane}
	for _, o := range open {
		d := lattice.Opposite(int(o.Population)) - 1 // towards the opening
		if l.Mask[i]>>(d^1)&1 == 0 {
			continue
		}
		number := l.Link(i, d^1)
		if b.openingOf(number) >= 0 {
			continue
		}
		if c := b.scheme.Correction(l.Fraction(number)); c.Kind != wall.HalfWay {
			cell.Links = append(cell.Links, wall.EdgeLink{Correction: c, Population: uint8(d + 1), Opposite: -1})
		}
	}
	if len(cell.Links) == 0 {
		return
	}
	for d := range b.corrections {
		if c := &b.corrections[d][lane]; c.Kind == wall.Reflected {
			cell.Links = append(cell.Links, wall.EdgeLink{Correction: *c, Population: uint8(d^1) + 1, Opposite: b.neighbour(lane, d^1)})
			*c = wall.Correction{}
		}
	}
	slices.SortFunc(cell.Links, func(a, b wall.EdgeLink) int { return int(a.Population) - int(b.Population) })
	b.edge = append(b.edge, cell)
}

// openingOf returns the index of the opening that a link ends at, or −1.
func (b *linkBuilder) openingOf(link int64) int {
	list := b.grid.Links.Openings
	// Links come nearly in order; search only after a jump.
	if b.openingNext > 0 && list[b.openingNext-1].Link >= link || b.openingNext < len(list) && list[b.openingNext].Link < link {
		b.openingNext = sort.Search(len(list), func(i int) bool { return list[i].Link >= link })
	}
	if b.openingNext < len(list) && list[b.openingNext].Link == link {
		b.openingNext++
		return int(list[b.openingNext-1].Number) - 1
	}
	return -1
}
