package finitevolume

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
	for _, s := range stacks(w, blocks, columnRows, func(from, _ int32) int32 {
		if (w.Neighbour(beyond[North], from)-from)%2 != 0 {
			return narrow
		}
		return columnWidth - from%2
	}) {
		list = append(list, cutStack(w, s, cells)...)
	}
	list = split(list)
	slices.SortStableFunc(list, func(a, b column) int { return boolean(a.Pitch != 0) - boolean(b.Pitch != 0) })
	for len(list)%warps > 0 {
		list = append(list, column{})
	}
	return device.BytesOf(list), len(list) / warps
}

// cutStack is a column with a pitch and, where it would have none for what lies beside it, strips of
// two cells without one around it; or a column without a pitch.
func cutStack(w *solver.Windows, s stack, cells int32) []column {
	all := s.column(w, cells)
	if all.Pitch != 0 {
		return []column{all}
	}
	west, east, last, rows := int32(0), int32(0), s.count-1, len(s.rows)
	for _, at := range s.rows {
		if w.Neighbour(0, at) != at-2 || w.Neighbour(1, at) != at-1 {
			west = beside
		}
		if w.Neighbour(2, at+last) != at+last+1 || w.Neighbour(3, at+last) != at+last+2 {
			east = beside
		}
	}
	for _, ends := range [...][2]int{{0, 0}, {beside, 0}, {0, beside}, {beside, beside}} {
		south, north := ends[0], rows-ends[1]
		if south >= north || west+east >= s.count {
			continue
		}
		inner := s.part(south, north, west, s.count-east).column(w, cells)
		if inner.Pitch == 0 {
			continue
		}
		list := []column{inner}
		for _, strip := range [...]stack{s.part(0, south, 0, s.count), s.part(north, rows, 0, s.count),
			s.part(south, north, 0, west), s.part(south, north, s.count-east, s.count)} {
			if len(strip.rows) > 0 && strip.count > 0 {
				list = append(list, strip.column(w, cells))
			}
		}
		return list
	}
	return []column{all}
}

// part are rows from ≤ row < to of a stack, and of each cells first ≤ cell < end.
func (s *stack) part(from, to int, first, end int32) stack {
	p := stack{count: end - first}
	for _, at := range s.rows[from:to] {
		p.rows = append(p.rows, at+first)
	}
	return p
}

// column is that of a stack.
func (s stack) column(w *solver.Windows, cells int32) column {
	c := column{First: s.rows[0], Count: s.count, Rows: int32(len(s.rows)), Clean: [3]int32{-1, -1, -1}}
	c.findPitch(w, s.rows, cells)
	return c
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

// findPitch lets a column with other own cells all around it have a pitch.
func (c *column) findPitch(w *solver.Windows, rows []int32, cells int32) {
	pitch, last := max(0, w.Neighbour(beyond[North], c.First)-c.First), c.Count-1
	top := c.First + (c.Rows-1)*pitch
	whole := pitch > 0 && c.First-2*pitch-2 >= 0 && top+2*pitch+c.Count+2 <= cells
	for row, at := range rows {
		whole = whole && at == c.First+int32(row)*pitch && w.Neighbour(0, at) == at-2 && w.Neighbour(1, at) == at-1 &&
			w.Neighbour(2, at+last) == at+last+1 && w.Neighbour(3, at+last) == at+last+2
	}
	for i, away := range [...]int32{-2, -1, 1, 2} {
		at := c.First
		if away > 0 {
			at = top
		}
		if whole {
			other, all := follow(w, 4+i, at, c.Count)
			whole = all && other == at+away*pitch
		}
	}
	if whole {
		c.Pitch = pitch
	}
}
