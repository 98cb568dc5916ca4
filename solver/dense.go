package solver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"carina/cuboid"
)

// storedBox is a cuboid that the dense layout stores whole, x fastest, from a
// local number on.
type storedBox struct {
	cuboid.Cuboid
	number int32 // of the cuboid
	local  int32
}

// row is the local number of the first cell of row (y, z).
func (b *storedBox) row(y, z int32) int32 {
	size := b.Size()
	return b.local + ((z-b.Min[2])*size[1]+y-b.Min[1])*size[0]
}

// findBoxes numbers the own cells by the boxes of their cuboids.
func (b *Finder) findBoxes() error {
	boxOf := map[int32]int{}
	for i := range b.all {
		p := &b.all[i]
		if p.Owner != b.Rank {
			continue
		}
		around := cuboid.Cuboid{Min: [3]int32{p.X0, p.Y, p.Z}, Max: [3]int32{p.X1, p.Y + 1, p.Z + 1}}
		k, known := boxOf[p.Cuboid]
		if !known {
			k = len(b.boxes)
			boxOf[p.Cuboid] = k
			b.boxes = append(b.boxes, storedBox{around, p.Cuboid, 0})
		}
		b.boxes[k].Cuboid = b.boxes[k].Union(around)
	}
	slices.SortFunc(b.boxes, func(a, b storedBox) int { return cmp.Compare(a.number, b.number) })
	var cells int64
	for k := range b.boxes {
		box := &b.boxes[k]
		boxOf[box.number] = k
		if b.Domain.Boxes != nil {
			whole := b.Domain.Boxes[box.number]
			if whole.Union(box.Cuboid) != whole {
				return fmt.Errorf("cuboid %d, %v, does not hold its own cells; partition the geometry again", box.number, whole)
			}
			box.Cuboid = whole.Intersect(cuboid.Box(b.Domain.Grid))
		}
		box.local = int32(cells)
		if cells += box.Cells(); cells > mostCells {
			return errors.New("the boxes of one rank in the dense layout hold more than a billion cells; use smaller cuboids, more ranks or the sparse layout")
		}
	}
	b.Cells = int(cells)
	for i := range b.all {
		if p := &b.all[i]; p.Owner == b.Rank {
			box := &b.boxes[boxOf[p.Cuboid]]
			p.Local = box.row(p.Y, p.Z) + p.X0 - box.Min[0]
		}
	}
	return nil
}

// storedRow is a row of stored cells: a piece, or a row of a box that has any. What
// of it is fluid are the pieces of its cuboid among those given.
type storedRow struct {
	x0, x1, local int32
	cuboid        int32
	pieces        row
}

// eachRow calls f for the rank's stored rows in the order of storage.
func (b *Finder) eachRow(f func(s *storedRow)) {
	if b.boxes == nil {
		var s storedRow
		for i := range b.all {
			if p := &b.all[i]; p.Owner == b.Rank {
				s = storedRow{p.X0, p.X1, p.Local, p.Cuboid, row{p.Y, p.Z, int32(i), int32(i) + 1}}
				f(&s)
			}
		}
		return
	}
	for k := range b.boxes {
		box := &b.boxes[k]
		for z := box.Min[2]; z < box.Max[2]; z++ {
			for y := box.Min[1]; y < box.Max[1]; y++ {
				s := storedRow{box.Min[0], box.Max[0], box.row(y, z), box.number, b.findRow(y, z)}
				for s.pieces.first < s.pieces.end && b.all[s.pieces.first].Cuboid != box.number {
					s.pieces.first++
				}
				for s.pieces.first < s.pieces.end && b.all[s.pieces.end-1].Cuboid != box.number {
					s.pieces.end--
				}
				if s.pieces.first < s.pieces.end {
					f(&s)
				}
			}
		}
	}
}
