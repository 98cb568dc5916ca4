package shallow

import (
	"slices"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
)

// column is cells of one beside the other, and those above, which a warp computes: the
// first one, how many there are beside each other and rows of them. Pitch is how much
// further the cell above is where the column lies among own cells, else 0; what is behind it
// is the kernel's.
type column struct {
	First, Count, Rows, Pitch int32
	Clean                     [3]int32
	_                         int32
}

const (
	// columnWidth is how many cells there are beside each other at most, for which two on
	// either side are read, narrow how many where a lane has one of them, columnRows how
	// many rows.
	columnWidth, narrow, columnRows = 60, 28, 32
	warps                           = cuda.Threads / 32
)

// cutColumns cuts the cells of blocks into columns, first those without a pitch.
func cutColumns(w *solver.Windows, blocks []solver.Block, cells int32) ([]byte, int) {
	var list []column
	above := map[int32]int{} // the column that goes on at a cell
	add := func(from, to int32) {
		for from < to {
			at, goesOn := above[from]
			if goesOn = goesOn && list[at].Count <= to-from; !goesOn {
				at = len(list)
				width := columnWidth - from%2
				if (w.Neighbour(beyond[North], from)-from)%2 != 0 {
					width = narrow
				}
				list = append(list, column{First: from, Count: min(to-from, width), Clean: [3]int32{-1, -1, -1}})
				for c := from + 1; c < from+list[at].Count; c++ {
					if _, ok := above[c]; ok {
						list[at].Count = c - from
					}
				}
			}
			delete(above, from)
			c := &list[at]
			c.takeRow(w, from)
			if c.Rows < columnRows {
				w.Each(beyond[North], from, from+c.Count, func(_, n, other int32) {
					if n == c.Count && other >= 0 {
						above[other] = at
					}
				})
			}
			from += c.Count
		}
	}
	var last solver.Block
	for _, b := range append(blocks, solver.Block{}) {
		if b.First == last.End && b.End > b.First {
			last.End = b.End
			continue
		}
		eachLine(w, last.First, last.End, add)
		last = b
	}
	for i := range list {
		list[i].regular(w, cells)
	}
	list = split(list)
	slices.SortStableFunc(list, func(a, b column) int { return boolean(a.Pitch != 0) - boolean(b.Pitch != 0) })
	for len(list)%warps > 0 {
		list = append(list, column{})
	}
	return device.BytesOf(list), len(list) / warps
}

// split splits columns that are wider than these may be.
func split(columns []column) (list []column) {
	for _, c := range columns {
		for c.Count > narrow && (c.Pitch == 0 || c.odd()) {
			part := c
			part.Count = narrow
			list = append(list, part)
			c.First, c.Count = c.First+narrow, c.Count-narrow
		}
		list = append(list, c)
	}
	return list
}

// odd tells that pairs of cells of a column do not lie as pairs of numbers do.
func (c *column) odd() bool { return (c.First|c.Count|c.Pitch)%2 != 0 }

// takeRow lets a column have one more row, which begins at a cell.
func (c *column) takeRow(w *solver.Windows, from int32) {
	beside := [...]int32{-2, -1, 1, 2}
	regular := true
	for i, away := range beside {
		at := from
		if away > 0 {
			at += c.Count - 1
		}
		regular = regular && w.Neighbour(i, at) == at+away
	}
	if c.Rows == 0 {
		c.Pitch = max(0, w.Neighbour(beyond[North], from)-from)
	}
	if !regular || from != c.First+c.Rows*c.Pitch {
		c.Pitch = 0
	}
	c.Rows++
}

// regular lets a column without own cells all around it have no pitch.
func (c *column) regular(w *solver.Windows, cells int32) {
	top := c.First + (c.Rows-1)*c.Pitch
	whole := c.Pitch > 0 && c.First-2*c.Pitch-2 >= 0 && top+2*c.Pitch+c.Count+2 <= cells
	for i, away := range [...]int32{-2, -1, 1, 2} {
		at := c.First
		if away > 0 {
			at = top
		}
		whole = whole && follow(w, 4+i, at, c.Count, at+away*c.Pitch)
	}
	if !whole {
		c.Pitch = 0
	}
}

// follow tells whether the neighbours at an offset of so many cells, from one on, are others
// from another one on.
func follow(w *solver.Windows, offset int, from, count, other int32) (all bool) {
	w.Each(offset, from, from+count, func(_, n, first int32) { all = n == count && first == other })
	return all
}
