package solver

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"carina/geometry"
	"carina/solver/lattice"
)

// wallLinks are the links that meet a wall anywhere but half-way. With
// population i leaving cell x towards the wall at the fraction q of the link,
// what comes back is (Bouzidi, Firdaouss and Lallemand 2001, eq. 5, linear)
//
//	2q·f*_i(x) + (1−2q)·f*_i(x−c_i)            for q < ½
//	f*_i(x)/(2q) + (1−1/(2q))·f*_ī(x)          for q ≥ ½
//
// Both are bounced + share·(companion − bounced). Bounced is what plain
// bounce-back leaves in slot ī of x. What this adds is taken from the
// population at rest, so that walls neither leak nor produce mass; in a pipe
// that is also four times more accurate than without (TestPoiseuille).
//
// In the first case the companion is what
// arrives at x along i, so the correction happens before x is updated; in the
// second it is what x has sent along ī, after the update. Either way it lies
// in slot i of x around an even step, and around an odd one in slot ī of the
// neighbour of x away from the wall.
type wallLinks struct {
	near, far []wallLink
}

type wallLink struct {
	cell, away int32 // the cell and its neighbour away from the wall
	share      float32
	p          uint8 // ī, the population that comes back
}

// openingCell is a cell with links that meet openings.
type openingCell struct {
	cell      int32
	neighbour [26]int32 // by direction, −1 where it is not fluid
	links     []openingLink
}

// openingLink is a link that meets an opening.
type openingLink struct {
	opening int   // index
	p       uint8 // ī, the population that comes back
	// area is the part of the opening's area that the link stands for, in
	// cell faces: 6 w_i c_i·n, which adds up to one over the links of a face.
	area float64
}

// linkArea is the area that a link along population i stands for where it
// meets a plane with the given outward normal, in cell faces.
func linkArea(set *lattice.Set, i int, o *geometry.Opening) float64 {
	c := set.Velocities[i]
	along := float64(c[0])*o.Normal.X + float64(c[1])*o.Normal.Y + float64(c[2])*o.Normal.Z
	return max(0, 6*set.Weights[i]*along)
}

// openingAreas sums the link areas of every opening over the whole grid. A
// spacing too coarse for a small opening leaves it none: only an inlet needs
// some.
func openingAreas(grid *geometry.Grid, set *lattice.Set) ([]float64, error) {
	areas := make([]float64, len(grid.Openings))
	l := &grid.Links
	cell := 0
	for _, o := range l.Openings {
		if o.Number < 1 || int(o.Number) > len(grid.Openings) {
			return nil, fmt.Errorf("a link meets opening %d of %d; voxelize the surface again", o.Number, len(grid.Openings))
		}
		for l.First[cell+1] <= o.Link {
			cell++
		}
		if i := linkPopulation(l, cell, o.Link); i < set.Q {
			areas[o.Number-1] += linkArea(set, i, &grid.Openings[o.Number-1])
		}
	}
	for i, a := range areas {
		if o := &grid.Openings[i]; a == 0 && o.Role == geometry.Inlet {
			return nil, fmt.Errorf("the inlet, opening %d (%s), meets no cell; choose a finer spacing or another inlet", o.Number, o.Name)
		}
	}
	return areas, nil
}

// linkPopulation is the population that moves along a link of boundary cell
// number cell.
func linkPopulation(l *geometry.Links, cell int, link int64) int {
	mask := l.Mask[cell]
	for range link - l.First[cell] {
		mask &= mask - 1
	}
	return bits.TrailingZeros32(mask) + 1
}

// findLinks makes the lists of wall and opening links of every chunk.
func (l *layout) findLinks(grid *geometry.Grid, wall Wall) error {
	links := &grid.Links
	if len(links.Cells) > 0 && links.Directions < l.set.Q-1 {
		return fmt.Errorf("the grid's links cover %d directions and %s needs %d; voxelize the surface again",
			links.Directions, l.set.Name, l.set.Q-1)
	}
	inOrder := make([]*chunk, len(l.chunks))
	for i := range l.chunks {
		inOrder[i] = &l.chunks[i]
	}
	slices.SortFunc(inOrder, func(a, b *chunk) int { return int(a.cell - b.cell) })
	b := linkBuilder{layout: l, grid: grid, wall: wall, openingNext: 0}
	piece := 0
	for _, c := range inOrder {
		c.near, c.far, c.opening = int32(len(l.links.near)), int32(len(l.links.far)), int32(len(l.openings))
		for cell := c.cell; cell < c.cellEnd; {
			for p := &l.pieces[piece]; p.local+p.cells() <= cell; p = &l.pieces[piece] {
				piece++
			}
			p := &l.pieces[piece]
			end := min(c.cellEnd, p.local+p.cells())
			b.addCells(c, cell, end, p.global+int64(cell-p.local))
			cell = end
		}
		c.nearEnd, c.farEnd, c.openingEnd = int32(len(l.links.near)), int32(len(l.links.far)), int32(len(l.openings))
	}
	return nil
}

type linkBuilder struct {
	*layout
	grid        *geometry.Grid
	wall        Wall
	openingNext int
}

// addCells adds the links of own cells cell ≤ c < end, whose first has the
// given global number.
func (b *linkBuilder) addCells(c *chunk, cell, end int32, global int64) {
	l := &b.grid.Links
	i, _ := slices.BinarySearch(l.Cells, global)
	for ; i < len(l.Cells) && l.Cells[i] < global+int64(end-cell); i++ {
		b.addCell(c, cell+int32(l.Cells[i]-global), i)
	}
}

// addCell adds the links of one cell, number i of the boundary cells.
func (b *linkBuilder) addCell(c *chunk, cell int32, i int) {
	l := &b.grid.Links
	var neighbour [26]int32
	b.neighbours(c, cell, &neighbour)
	var open []openingLink
	link := l.First[i]
	for mask := l.Mask[i]; mask != 0; mask &= mask - 1 {
		d := bits.TrailingZeros32(mask)
		number := link
		link++
		if d >= b.set.Q-1 {
			continue
		}
		population := d + 1
		back := uint8(lattice.Opposite(population))
		if o := b.openingOf(number); o >= 0 {
			open = append(open, openingLink{o, back, linkArea(b.set, population, &b.grid.Openings[o])})
			continue
		}
		away := neighbour[back-1]
		q := l.Fraction(number)
		if b.wall == BounceBack || away < 0 || q == 0.5 {
			continue
		}
		if q < 0.5 {
			b.links.near = append(b.links.near, wallLink{cell, away, float32(1 - 2*q), back})
		} else {
			b.links.far = append(b.links.far, wallLink{cell, away, float32(1 - 1/(2*q)), back})
		}
	}
	if len(open) > 0 {
		b.openings = append(b.openings, openingCell{cell, neighbour, open})
	}
}

// openingOf returns the index of the opening that a link meets, or −1.
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

// neighbours finds the neighbours of an own cell of chunk c, −1 where they
// are not fluid.
func (l *layout) neighbours(c *chunk, cell int32, neighbour *[26]int32) {
	w := &l.windows
	q := l.set.Q
	n := int(c.windowEnd - c.window)
	i := sort.Search(n, func(i int) bool { return int32(w.words[(int(c.window)+i)*w.width]) > cell }) - 1
	if i >= 0 {
		words := w.words[(int(c.window)+i)*w.width:][:w.width]
		if lane := cell - int32(words[0]); lane < int32(words[1]) {
			for d := range q - 1 {
				neighbour[d] = -1
				if words[2+q-1+d/2]>>(16*(d%2)+int(lane))&1 != 0 {
					neighbour[d] = cell + int32(words[2+d])
				}
			}
			return
		}
	}
	irregular := w.irregular[c.irregular:c.irregularEnd]
	i = sort.Search(len(irregular), func(i int) bool { return irregular[i].cell > cell }) - 1
	lane := int(cell - irregular[i].cell)
	index := w.index[(int(c.irregular)+i)*(q-1)*windowCells:]
	for d := range q - 1 {
		neighbour[d] = index[d*windowCells+lane]
	}
}
