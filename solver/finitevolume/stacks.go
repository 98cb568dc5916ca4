package finitevolume

import (
	"slices"

	"carina/solver"
)

// stack is so many cells beside each other, and those above: the first cell of each row.
type stack struct {
	count int32
	rows  []int32
}

// stacks cuts the cells of blocks, in stacks of so many rows at most, which are as wide as width
// says of cells from ≤ cell < to that lie side by side, or less.
func stacks(w *solver.Windows, blocks []solver.Block, rows int, width func(from, to int32) int32) (list []stack) {
	above := map[int32]int{} // the stack that goes on at a cell
	add := func(from, to int32) {
		for from < to {
			at, goesOn := above[from]
			if goesOn = goesOn && list[at].count <= to-from; !goesOn {
				at = len(list)
				list = append(list, stack{count: min(to-from, width(from, to))})
				for c := from + 1; c < from+list[at].count; c++ {
					if _, ok := above[c]; ok {
						list[at].count = c - from
					}
				}
			}
			delete(above, from)
			s := &list[at]
			if s.rows = append(s.rows, from); len(s.rows) < rows {
				if other, all := follow(w, beyond[North], from, s.count); all && other >= 0 {
					above[other] = at
				}
			}
			from += s.count
		}
	}
	var last solver.Block
	for _, b := range slices.Concat(blocks, []solver.Block{{}}) {
		if b.First == last.End && b.End > b.First {
			last.End = b.End
			continue
		}
		eachLine(w, last.First, last.End, add)
		last = b
	}
	return list
}

// eachLine calls add for cells from ≤ cell < to that lie side by side.
func eachLine(w *solver.Windows, from, to int32, add func(from, to int32)) {
	first := from
	w.Each(beyond[East], from, to, func(cell, n, other int32) {
		// All but the last of those whose neighbours follow each other have the next one.
		if other != cell+1 {
			for c := cell; c < cell+n; c++ {
				add(first, c+1)
				first = c + 1
			}
		}
	})
	if first < to {
		add(first, to)
	}
}

// follow is the neighbour of a cell at an offset, −1 if there is none, and tells whether those of
// so many cells from it on follow it, or are not there either.
func follow(w *solver.Windows, offset int, from, count int32) (first int32, all bool) {
	w.Each(offset, from, from+count, func(cell, n, other int32) {
		if cell == from {
			first, all = other, n == count
		}
	})
	return first, all
}
