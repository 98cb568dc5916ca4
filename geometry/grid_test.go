package geometry

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The lists of links, and those of a part, which hold less, find every cell and link as
// looking through all of them does.
func TestLinksAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Links{Directions: 26, Part: rapid.Bool().Draw(t, "part")}
		masks := rapid.SliceOfN(rapid.Uint32Range(1, 1<<26-1), 0, 100).Draw(t, "masks")
		cell, link := int64(0), int64(0)
		var cells []int64
		for _, mask := range masks {
			cell += rapid.Int64Range(1, MostOfPart/100).Draw(t, "gap")
			l.Append(cell, mask)
			cells = append(cells, cell)
		}
		if l.Len() != len(cells) {
			t.Fatalf("%d boundary cells, want %d", l.Len(), len(cells))
		}
		for i, cell := range cells {
			if first, end := l.Range(i); l.Cell(i) != cell || first != link || end != link+int64(bits.OnesCount32(masks[i])) || l.First(i) != first {
				t.Fatalf("cell %d of %d has number %d and links %d to %d, want %d from %d on", i, len(cells), l.Cell(i), first, end, cell, link)
			}
			for d := range 26 {
				if masks[i]>>d&1 == 0 {
					continue
				}
				if l.Link(i, d) != link || l.Direction(i, link) != d || l.CellOf(link) != i {
					t.Fatalf("link %d in direction %d of cell %d is number %d in direction %d of cell %d", link, d, i, l.Link(i, d), l.Direction(i, link), l.CellOf(link))
				}
				link++
			}
		}
		for _, near := range append(cells, -1, 0, 1<<40) {
			for cell := near - 1; cell <= near+1; cell++ {
				i, found := slices.BinarySearch(cells, cell)
				if at, is := l.Search(cell); at != i || is != found {
					t.Fatalf("cell %d is at %d: %v, want %d: %v", cell, at, is, i, found)
				}
			}
		}
	})
}
