package geometry

import (
	"context"
	"math"
	"slices"

	"carina/geometry/scan"
)

// rule says from the crossings of a row which of its cells are inside.
type rule int

const (
	// nonzero takes what the surface winds around: overlapping branches unite.
	nonzero rule = iota
	// parity takes what lies behind an odd number of crossings, however the
	// triangles are wound.
	parity
)

// rowCrossing packs a crossing so that sorting orders by row, then by position:
// row of the slab (36 bits), the first cell behind it (26 bits), sign (2 bits).
type rowCrossing uint64

const (
	cellBits = 26
	signBits = 2
	maxCells = 1<<cellBits - 2
)

func packCrossing(row, cell int, sign int8) rowCrossing {
	return rowCrossing(uint64(row)<<(cellBits+signBits) | uint64(cell)<<signBits | uint64(sign+1))
}

func (c rowCrossing) row() int      { return int(c >> (cellBits + signBits)) }
func (c rowCrossing) cell() int     { return int(c>>signBits) & (1<<cellBits - 1) }
func (c rowCrossing) sign() int     { return int(c&(1<<signBits-1)) - 1 }
func (c rowCrossing) position() int { return int(c >> signBits) }

// fillRows returns the runs of cells inside the surface, and the number of
// rows that are still inside at their end: 0 for a closed surface.
func (l *lattice) fillRows(ctx context.Context, r rule, workers int, progress func(float64)) ([]Run, int64, error) {
	perSlab := make([][]Run, l.slabCount())
	leaks, repeated := make([]int64, l.slabCount()), make([]int64, l.slabCount())
	err := l.eachSlab(ctx, workers, progress, func(slab int) error {
		crossings := l.rowCrossings(slab)
		slices.Sort(crossings)
		z0, _ := l.layers(slab)
		perSlab[slab], leaks[slab], repeated[slab] = sweep(crossings, r, l.size, z0)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	total, leaking := 0, int64(0)
	for i, runs := range perSlab {
		total += len(runs)
		leaking += leaks[i]
		l.repeated += repeated[i]
	}
	all := make([]Run, 0, total)
	for i, runs := range perSlab {
		all = append(all, runs...)
		perSlab[i] = nil
	}
	return all, leaking, nil
}

// rowCrossings lists where the surface crosses the rows of a slab.
func (l *lattice) rowCrossings(slab int) []rowCrossing {
	z0, z1 := l.layers(slab)
	ny := int(l.size[1])
	var out []rowCrossing
	for _, t := range l.inSlab(slab) {
		var p scan.Triangle
		for i, v := range l.triangles[t].V {
			q := &l.points[v]
			p[i] = scan.Point{U: q[1], W: q[2], T: q[0]}.Settle(l.within)
		}
		from, to := p.Planes(int(z0), int(z1))
		for z := from; z < to; z++ {
			s, ok := p.Cut(float64(z), l.within)
			if !ok {
				continue
			}
			row := (z - int(z0)) * ny
			for y := max(s.First, 0); y < min(s.End, ny); y++ {
				cell := min(max(math.Ceil(s.At(y)), 0), float64(l.size[0]))
				out = append(out, packCrossing(row+y, int(cell), s.Sign))
			}
		}
	}
	return out
}

// sweep walks along sorted crossings and returns the runs inside, the number of rows
// that leak, and how many cells more the surface winds around than there are.
func sweep(crossings []rowCrossing, r rule, size [3]int32, z0 int32) (runs []Run, leaks, repeated int64) {
	runs = make([]Run, 0, len(crossings)/2)
	for i := 0; i < len(crossings); {
		row := crossings[i].row()
		y, z := int32(row%int(size[1])), z0+int32(row/int(size[1]))
		winding, inside, start, last := 0, false, int32(0), int32(0)
		for i < len(crossings) && crossings[i].row() == row {
			position := crossings[i].position()
			x := int32(crossings[i].cell())
			repeated += int64(winding-min(max(winding, 0), 1)) * int64(x-last)
			last = x
			for ; i < len(crossings) && crossings[i].position() == position; i++ {
				if r == parity {
					winding ^= 1
				} else {
					winding -= crossings[i].sign()
				}
			}
			now := winding > 0
			switch {
			case now && !inside:
				start = x
			case !now && inside && x > start:
				runs = appendRun(runs, Run{X0: start, X1: x, Y: y, Z: z})
			}
			inside = now
		}
		if winding != 0 {
			leaks++
		}
	}
	return runs, leaks, repeated
}

// appendRun appends a run, or lengthens the last one when they touch.
func appendRun(runs []Run, r Run) []Run {
	if n := len(runs); n > 0 {
		last := &runs[n-1]
		if last.Y == r.Y && last.Z == r.Z && last.X1 >= r.X0 {
			last.X1 = max(last.X1, r.X1)
			return runs
		}
	}
	return append(runs, r)
}
