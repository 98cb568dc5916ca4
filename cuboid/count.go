package cuboid

import (
	"slices"

	"carina/geometry"
)

// Count says what the cells of every cuboid are. The segments must be those
// that Label made of the cuboids. A cell counts as boundary where one of its
// 18 neighbours (26 if the grid's links cover D3Q27) is not fluid; openings
// are taken from the grid's links.
func Count(g *geometry.Grid, cuboids []Cuboid, segments []Segment) []Counts {
	counts := make([]Counts, len(cuboids))
	for i := range segments {
		s := &segments[i]
		counts[s.Cuboid].Fluid += int64(s.X1 - s.X0)
	}
	for i := range counts {
		counts[i].Empty = cuboids[i].Cells() - counts[i].Fluid
	}
	inner := interior(g, segments)
	for i := range segments {
		s := &segments[i]
		counts[s.Cuboid].Boundary += int64(s.X1-s.X0) - int64(inner[i])
	}
	countOpenings(g, segments, counts)
	return counts
}

// countOpenings adds the cells whose links meet an opening.
func countOpenings(g *geometry.Grid, segments []Segment, counts []Counts) {
	links, segment := &g.Links, 0
	var start int64 // global number of the first cell of the segment
	last := int64(-1)
	for _, o := range links.Openings {
		cell := links.CellOf(o.Link)
		if cell < 0 {
			return
		}
		number := links.Cell(cell)
		if number == last {
			continue
		}
		last = number
		for segment < len(segments) && start+int64(segments[segment].X1-segments[segment].X0) <= number {
			start += int64(segments[segment].X1 - segments[segment].X0)
			segment++
		}
		if segment < len(segments) {
			counts[segments[segment].Cuboid].Opening++
		}
	}
}

// interval is a half-open range of x.
type interval struct{ x0, x1 int32 }

// interior returns, per segment, how many of its cells have only fluid
// neighbours. It intersects each row with the shortened runs of the eight rows
// around it.
func interior(g *geometry.Grid, segments []Segment) []int32 {
	runRows := rowsOf(len(g.Runs), func(i int) (int32, int32) { return g.Runs[i].Y, g.Runs[i].Z })
	inner := make([]int32, len(segments))
	_ = eachRange(len(runRows), ranges, func(_, from, to int) error {
		if from == to {
			return nil
		}
		first := runRows[from]
		reaches := rowReaches(g.Links.Directions)
		cursors := make([]cursor, 0, 8)
		erosion := make([]int32, 0, 8)
		for _, n := range reaches {
			for _, sign := range []int32{1, -1} {
				cursors = append(cursors, newCursor(runRows, first, sign*n.dy, sign*n.dz))
				erosion = append(erosion, n.reach)
			}
		}
		segment, _ := slices.BinarySearchFunc(segments, first, func(s Segment, r row) int { return row{y: s.Y, z: s.Z}.compare(r) })
		var a, b []interval
		for _, r := range runRows[from:to] {
			a = a[:0]
			for _, run := range g.Runs[r.from:r.to] {
				a = appendInterval(a, run.X0+1, run.X1-1)
			}
			for i := range cursors {
				n := cursors[i].seek(r)
				b = intersect(b[:0], a, g.Runs[n.from:n.to], erosion[i])
				a, b = b, a
			}
			segment = overlap(segments, inner, segment, r, a)
		}
		return nil
	})
	return inner
}

func appendInterval(list []interval, x0, x1 int32) []interval {
	if x1 <= x0 {
		return list
	}
	return append(list, interval{x0, x1})
}

// intersect appends the parts of list that lie in runs shortened by erosion at
// both ends.
func intersect(out, list []interval, runs []geometry.Run, erosion int32) []interval {
	for i, j := 0, 0; i < len(list) && j < len(runs); {
		x0, x1 := runs[j].X0+erosion, runs[j].X1-erosion
		out = appendInterval(out, max(list[i].x0, x0), min(list[i].x1, x1))
		if list[i].x1 < x1 {
			i++
		} else {
			j++
		}
	}
	return out
}

// overlap sets inner for the segments of row r, which begin at index segment,
// and returns the index of the first segment of the next row.
func overlap(segments []Segment, inner []int32, segment int, r row, list []interval) int {
	at := 0
	for segment < len(segments) && segments[segment].Y == r.y && segments[segment].Z == r.z {
		s := &segments[segment]
		for at < len(list) && list[at].x1 <= s.X0 {
			at++
		}
		for i := at; i < len(list) && list[i].x0 < s.X1; i++ {
			inner[segment] += min(s.X1, list[i].x1) - max(s.X0, list[i].x0)
		}
		segment++
	}
	return segment
}
