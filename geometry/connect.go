package geometry

import (
	"carina/internal/disjoint"
)

// rowIndex finds the runs of a row: those of row (y, z) are
// runs[start[z·ny+y]:start[z·ny+y+1]].
type rowIndex struct {
	start  []int32
	ny, nz int32
}

func newRowIndex(runs []Run, size [3]int32) *rowIndex {
	x := &rowIndex{ny: size[1], nz: size[2]}
	x.start = make([]int32, int64(x.ny)*int64(x.nz)+1)
	next := 0
	for i := range runs {
		row := int(runs[i].Z)*int(x.ny) + int(runs[i].Y)
		for ; next <= row; next++ {
			x.start[next] = int32(i)
		}
	}
	for ; next < len(x.start); next++ {
		x.start[next] = int32(len(runs))
	}
	return x
}

// row returns the half-open range of the runs of row (y, z), empty outside
// the grid.
func (x *rowIndex) row(y, z int32) (from, to int32) {
	if uint32(y) >= uint32(x.ny) || uint32(z) >= uint32(x.nz) {
		return 0, 0
	}
	i := int(z)*int(x.ny) + int(y)
	return x.start[i], x.start[i+1]
}

// find returns the run that holds cell (x, y, z), or -1.
func (x *rowIndex) find(runs []Run, cx, cy, cz int32) int32 {
	from, to := x.row(cy, cz)
	for from < to {
		middle := (from + to) / 2
		if runs[middle].X1 <= cx {
			from = middle + 1
		} else {
			to = middle
		}
	}
	if end := x.start[len(x.start)-1]; from < end {
		if r := &runs[from]; r.Z == cz && r.Y == cy && r.X0 <= cx && cx < r.X1 {
			return from
		}
	}
	return -1
}

// connect joins runs whose cells share faces; find on the result gives the
// same for all runs of one lumen.
func connect(runs []Run, index *rowIndex) disjoint.Sets {
	d := disjoint.New(len(runs))
	join := func(i int, from, to int32) {
		r := &runs[i]
		for from < to && runs[from].X1 <= r.X0 {
			from++
		}
		for ; from < to && runs[from].X0 < r.X1; from++ {
			d.Union(int32(i), from)
		}
	}
	for i := range runs {
		from, to := index.row(runs[i].Y-1, runs[i].Z)
		join(i, from, to)
		from, to = index.row(runs[i].Y, runs[i].Z-1)
		join(i, from, to)
	}
	return d
}

// lumens lists the connected parts of the fluid in the order of their first
// runs: part[i] is the number of run i's, cells[n] how many cells part n has.
func lumens(runs []Run, index *rowIndex) (part []int32, cells []int64) {
	d := connect(runs, index)
	part = make([]int32, len(runs))
	for i := range runs {
		root := d.Find(int32(i))
		// The root is the part's first run, so it has its number already.
		if root == int32(i) {
			part[i] = int32(len(cells))
			cells = append(cells, 0)
		} else {
			part[i] = part[root]
		}
		cells[part[i]] += int64(runs[i].X1 - runs[i].X0)
	}
	return part, cells
}

// keepPart returns the runs of one part, in place.
func keepPart(runs []Run, part []int32, keep int32) []Run {
	kept := runs[:0]
	for i, r := range runs {
		if part[i] == keep {
			kept = append(kept, r)
		}
	}
	return kept
}
