package tiling

import (
	"sort"

	"carina/geometry"
)

// EachBoundaryCell calls f for all boundary cells with their tile, number in the tile
// and index in the grid's links.
func EachBoundaryCell(tiles *Set, grid *geometry.Grid, f func(tile int32, cell, index int)) {
	next, global := 0, int64(0)
	cells := grid.Links.Cells
	for _, r := range grid.Runs {
		n := int64(r.X1 - r.X0)
		if next < len(cells) && cells[next] < global+n {
			first := tiles.Find(r.X0/Side, r.Y/Side, r.Z/Side)
			for ; next < len(cells) && cells[next] < global+n; next++ {
				x := r.X0 + int32(cells[next]-global)
				f(first+x/Side-r.X0/Side, CellBit(x, r.Y, r.Z), next)
			}
		}
		global += n
	}
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
