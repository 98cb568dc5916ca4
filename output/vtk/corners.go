package vtk

import (
	"cmp"
	"slices"
	"sort"

	"carina/geometry"
)

// cornerRun is a row of corner points that share y: x0 ≤ x ≤ x1. first is the
// number of the point at x0.
type cornerRun struct {
	x0, x1, y int32
	first     int64
}

// cornerPlane is the corner points of all cells that touch the plane z,
// ordered by y, then x.
type cornerPlane struct {
	z    int32
	rows []cornerRun
}

// reset fills the plane with the corners of the cells below (z−1) and above
// (z) it, numbered from first, and returns the number after the last.
func (p *cornerPlane) reset(z int32, below, above []geometry.Run, first int64) int64 {
	p.z = z
	rows := p.rows[:0]
	for _, slab := range [][]geometry.Run{below, above} {
		for _, r := range slab {
			rows = append(rows, cornerRun{x0: r.X0, x1: r.X1, y: r.Y}, cornerRun{x0: r.X0, x1: r.X1, y: r.Y + 1})
		}
	}
	slices.SortFunc(rows, func(a, b cornerRun) int {
		return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x0, b.x0))
	})
	merged := rows[:0]
	for _, r := range rows {
		if n := len(merged); n > 0 && merged[n-1].y == r.y && merged[n-1].x1 >= r.x0 {
			merged[n-1].x1 = max(merged[n-1].x1, r.x1)
			continue
		}
		merged = append(merged, r)
	}
	for i := range merged {
		merged[i].first = first
		first += int64(merged[i].x1-merged[i].x0) + 1
	}
	p.rows = merged
	return first
}

// number returns the number of the corner (x, y) of the plane.
func (p *cornerPlane) number(x, y int32) int64 {
	i := sort.Search(len(p.rows), func(i int) bool {
		r := &p.rows[i]
		return r.y > y || r.y == y && r.x1 >= x
	})
	return p.rows[i].first + int64(x-p.rows[i].x0)
}

// sweep walks the planes of corners from low z to high z. For every plane it
// calls points with the plane; for every slab of cells it calls cells with the
// slab's runs and the planes below and above. Either may be nil. It returns
// the number of corners. Memory follows the runs of two slabs.
func sweep(runs []geometry.Run, points func(plane *cornerPlane), cells func(slab []geometry.Run, low, high *cornerPlane)) int64 {
	var low, high cornerPlane
	var next int64
	plane := func(z int32, below, above []geometry.Run) {
		low, high = high, low
		next = high.reset(z, below, above, next)
		if points != nil {
			points(&high)
		}
	}
	slab, rest := firstSlab(runs)
	for joined := false; len(slab) > 0; {
		z := slab[0].Z
		if !joined {
			plane(z, nil, slab)
		}
		following, after := firstSlab(rest)
		joined = len(following) > 0 && following[0].Z == z+1
		if joined {
			plane(z+1, slab, following)
		} else {
			plane(z+1, slab, nil)
		}
		if cells != nil {
			cells(slab, &low, &high)
		}
		slab, rest = following, after
	}
	return next
}

// firstSlab splits off the runs that share the z of the first.
func firstSlab(runs []geometry.Run) (slab, rest []geometry.Run) {
	n := 0
	for n < len(runs) && runs[n].Z == runs[0].Z {
		n++
	}
	return runs[:n], runs[n:]
}
