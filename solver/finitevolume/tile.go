package finitevolume

import (
	"slices"

	"carina/solver"
)

// tile is a stack that a worker computes, with the cells that it reads: two more on either side of
// each row, and two rows more below and above.
type tile struct {
	stack
	pieces []piece // by row
	images []image // by row, in order
	inlets []inlet
	// firstPiece and firstImage are the numbers of the first ones of rows, from −2 on, and behind
	// the last ones.
	firstPiece, firstImage []int32
	outer                  bool // some cells are ghosts, of which is not known what is zero
}

// piece is n cells that follow each other, from a place of a row on: 0 is that of the first own one.
type piece struct{ place, n, cell int32 }

// image is a place of a row where there is no cell: it has the image of another one, at a side of
// a cell.
type image struct {
	place, ofRow, ofPlace, cell int32
	side                        Side
}

// inlet is a side of an own cell, in a row, through which something may come in.
type inlet struct {
	row, place, cell int32
	side             Side
}

const (
	// tileRows are the most rows of a tile, tileWidth the most cells of one: all that is kept of
	// a few rows stays in the first-level cache.
	tileRows, tileWidth = 32, 124
	// beside is how many cells more are read on each side.
	beside = 2
)

// tileWidthOf is how wide tiles of cells from ≤ cell < to are: about equally, and so that registers
// hold them and the cells beside.
func tileWidthOf(from, to int32) int32 {
	const lanes = 8
	parts := (to - from + tileWidth - 1) / tileWidth
	width := (to - from + parts - 1) / parts
	return (width+2*beside+lanes-1)/lanes*lanes - 2*beside
}

// cutTiles cuts blocks into tiles. Something comes in at the sides that enters tells.
func cutTiles(w *solver.Windows, blocks []solver.Block, cells int32, enters func(cell int32, side Side) bool) (list []tile) {
	for _, s := range stacks(w, blocks, tileRows, tileWidthOf) {
		t := tile{stack: s}
		for row := int32(-beside); row < int32(len(s.rows))+beside; row++ {
			t.firstPiece, t.firstImage = append(t.firstPiece, int32(len(t.pieces))), append(t.firstImage, int32(len(t.images)))
			switch last := int32(len(s.rows)) - 1; {
			case row < 0:
				t.findRow(w, row, s.rows[0], South, -1-row)
			case row > last:
				t.findRow(w, row, s.rows[last], North, row-last-1)
			default:
				t.findLine(w, row, s.rows[row])
				t.outer = t.outer || s.rows[row]+s.count > cells
			}
		}
		t.firstPiece, t.firstImage = append(t.firstPiece, int32(len(t.pieces))), append(t.firstImage, int32(len(t.images)))
		t.findInlets(w, enters)
		t.pieces, t.images = slices.Clip(t.pieces), slices.Clip(t.images)
		list = append(list, t)
	}
	return list
}

// findLine finds the cells of a row, which begins at a cell, and those beside.
func (t *tile) findLine(w *solver.Windows, row, first int32) {
	last, end := first+t.count-1, t.count
	cells := piece{0, t.count, first}
	sides := [...]struct {
		side          Side
		cell          int32 // the outermost one
		near, far     int32 // cells beside it
		place, inward int32
	}{
		{West, first, w.Neighbour(1, first), w.Neighbour(0, first), -1, 1},
		{East, last, w.Neighbour(2, last), w.Neighbour(3, last), end, -1},
	}
	add := func(cell, place int32) { t.pieces = append(t.pieces, piece{place, 1, cell}) }
	for _, s := range sides {
		switch {
		case s.near == s.cell-s.inward && s.far == s.cell-2*s.inward:
			cells.n += 2
			if s.side == West {
				cells.place, cells.cell = -2, s.far
			}
			continue
		case s.near >= 0:
			add(s.near, s.place)
		default:
			t.images = append(t.images, image{s.place, row, s.place + s.inward, s.cell, s.side})
		}
		if s.near >= 0 && s.far >= 0 {
			add(s.far, s.place-s.inward)
		}
	}
	for _, s := range sides {
		switch {
		case s.near < 0:
			t.images = append(t.images, image{s.place - s.inward, row, s.place + 2*s.inward, s.cell, s.side})
		case s.far < 0:
			t.images = append(t.images, image{s.place - s.inward, row, s.place, s.near, s.side})
		}
	}
	t.pieces = append(t.pieces, cells)
}

// findRow finds the cells of a row next to an outermost one, which begins at a cell, on a side of
// it, or, with so many between, of the row behind it.
func (t *tile) findRow(w *solver.Windows, row, first int32, side Side, between int32) {
	away := 2*int32(side-South) - 1
	offset := rowOffsets[beside+away*(1+between)]
	w.Each(offset, first, first+t.count, func(cell, n, other int32) {
		if other >= 0 {
			t.pieces = append(t.pieces, piece{cell - first, n, other})
		}
		for c := cell; c < cell+n; c++ {
			next, place := w.Neighbour(beyond[side], c), c-first
			switch {
			case next < 0:
				t.images = append(t.images, image{place, row - away*(1+2*between), place, c, side})
			case other < 0:
				t.images = append(t.images, image{place, row - away, place, next, side})
			}
		}
	})
}

// findInlets finds the sides of own cells where something comes in.
func (t *tile) findInlets(w *solver.Windows, enters func(cell int32, side Side) bool) {
	for row, first := range t.rows {
		for side, o := range beyond {
			w.Each(o, first, first+t.count, func(cell, n, other int32) {
				for c := cell; c < cell+n && other < 0; c++ {
					if enters(c, Side(side)) {
						t.inlets = append(t.inlets, inlet{int32(row), c - first, c, Side(side)})
					}
				}
			})
		}
	}
}

// piecesOf are those of a row, from −2 on.
func (t *tile) piecesOf(row int32) []piece {
	return t.pieces[t.firstPiece[row+beside]:t.firstPiece[row+beside+1]]
}

// imagesOf are those of a row.
func (t *tile) imagesOf(row int32) []image {
	return t.images[t.firstImage[row+beside]:t.firstImage[row+beside+1]]
}

// further is by how much the cells above a row come behind its own, as far as that is known.
func (t *tile) further(row int32) int32 {
	if last := int32(len(t.rows)) - 1; last > 0 {
		row = min(max(row, 0), last-1)
		return t.rows[row+1] - t.rows[row]
	}
	return 0
}
