package tiling

import (
	"sort"
	"sync"

	"carina/geometry"
	"carina/internal/crash"
)

// EachBoundaryCell calls f for all boundary cells with their tile, number in the tile
// and index in the grid's links.
func EachBoundaryCell(tiles *Set, grid *geometry.Grid, f func(tile int32, cell, index int)) {
	eachBoundaryCell(tiles, grid, part{end: len(grid.Runs)}, f)
}

// part is the runs first ≤ i < end of a grid, before which lie so many cells.
type part struct {
	first, end int
	cells      int64
}

// eachBoundaryCell calls f for those of a part.
func eachBoundaryCell(tiles *Set, grid *geometry.Grid, p part, f func(tile int32, cell, index int)) {
	links, global := &grid.Links, p.cells
	next, _ := links.Search(global)
	for _, r := range grid.Runs[p.first:p.end] {
		n := int64(r.X1 - r.X0)
		if next < links.Len() && links.Cell(next) < global+n {
			first := tiles.Find(r.X0/Side, r.Y/Side, r.Z/Side)
			for ; next < links.Len() && links.Cell(next) < global+n; next++ {
				x := r.X0 + int32(links.Cell(next)-global)
				f(first+x/Side-r.X0/Side, CellBit(x, r.Y, r.Z), next)
			}
		}
		global += n
	}
}

// Layers are parts of a grid of whole layers of tiles: no tile lies in two of them.
type Layers struct {
	tiles *Set
	grid  *geometry.Grid
	parts []part
}

// NewLayers cuts a grid into parts of about equally many runs, so many at most.
func NewLayers(tiles *Set, grid *geometry.Grid, parts int) *Layers {
	l := &Layers{tiles: tiles, grid: grid}
	runs := len(grid.Runs)
	least := (runs + parts - 1) / parts
	p := part{}
	cells := int64(0)
	for i, r := range grid.Runs {
		if i-p.first >= least && r.Z/Side != grid.Runs[i-1].Z/Side {
			p.end = i
			l.parts = append(l.parts, p)
			p = part{first: i, cells: cells}
		}
		cells += int64(r.X1 - r.X0)
	}
	p.end = runs
	l.parts = append(l.parts, p)
	return l
}

// Parts is how many there are.
func (l *Layers) Parts() int { return len(l.parts) }

// EachBoundaryCell calls f for all boundary cells as the function of this name does,
// with the number of the part: several parts at a time, each in order.
func (l *Layers) EachBoundaryCell(f func(part int, tile int32, cell, index int)) {
	var all sync.WaitGroup
	for i, p := range l.parts {
		all.Go(func() {
			defer crash.Guard()
			eachBoundaryCell(l.tiles, l.grid, p, func(tile int32, cell, index int) { f(i, tile, cell, index) })
		})
	}
	all.Wait()
}

// OpeningFinder finds the openings of links, which come nearly in order.
type OpeningFinder struct {
	list []geometry.OpeningLink
	next int
}

// NewOpeningFinder finds them in a grid's list.
func NewOpeningFinder(list []geometry.OpeningLink) *OpeningFinder { return &OpeningFinder{list: list} }

// Find returns the index of the opening that a link meets, or −1.
func (f *OpeningFinder) Find(link int64) int {
	if f.next > 0 && f.list[f.next-1].Link >= link || f.next < len(f.list) && f.list[f.next].Link < link {
		f.next = sort.Search(len(f.list), func(i int) bool { return f.list[i].Link >= link })
	}
	if f.next < len(f.list) && f.list[f.next].Link == link {
		f.next++
		return int(f.list[f.next-1].Number) - 1
	}
	return -1
}
