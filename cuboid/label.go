package cuboid

import (
	"fmt"

	"carina/geometry"
)

// Label cuts every run of the grid at the faces of the cuboids and says which
// cuboid each piece lies in. The segments keep the order of the runs, so the
// global numbers of cells follow them too. The cuboids may be many (a million
// bricks) and of any size; they need not cover empty cells. A fluid cell in no
// cuboid or in two is an error.
func Label(g *geometry.Grid, cuboids []Cuboid) ([]Segment, error) {
	x, err := newIndex(cuboids, g.Size)
	if err != nil {
		return nil, err
	}
	rows := rowsOf(len(g.Runs), func(i int) (int32, int32) { return g.Runs[i].Y, g.Runs[i].Z })
	parts := make([][]Segment, ranges)
	err = eachRange(len(rows), ranges, func(piece, from, to int) error {
		var list []int32
		var segments []Segment
		for _, r := range rows[from:to] {
			if r.y < 0 || r.y >= g.Size[1] || r.z < 0 || r.z >= g.Size[2] {
				return fmt.Errorf("row y = %d, z = %d lies outside the grid of %d×%d×%d cells: voxelize the surface again", r.y, r.z, g.Size[0], g.Size[1], g.Size[2])
			}
			list = x.row(list[:0], r.y, r.z)
			var err error
			if segments, err = labelRow(segments, g.Runs[r.from:r.to], list, cuboids); err != nil {
				return err
			}
		}
		parts[piece] = segments
		return nil
	})
	if err != nil {
		return nil, err
	}
	return join(parts), nil
}

// labelRow cuts the runs of one row at the cuboids that meet the row, both by
// ascending x.
func labelRow(segments []Segment, runs []geometry.Run, list []int32, cuboids []Cuboid) ([]Segment, error) {
	at := 0
	for _, run := range runs {
		x := run.X0
		for x < run.X1 {
			for at < len(list) && cuboids[list[at]].Max[0] <= x {
				at++
			}
			if at == len(list) || cuboids[list[at]].Min[0] > x {
				return nil, fmt.Errorf("fluid cell (%d, %d, %d) lies in no cuboid: the decomposition belongs to another grid", x, run.Y, run.Z)
			}
			c := list[at]
			end := min(run.X1, cuboids[c].Max[0])
			if at+1 < len(list) && cuboids[list[at+1]].Min[0] < end {
				return nil, fmt.Errorf("fluid cell (%d, %d, %d) lies in cuboids %d and %d: every cell may belong to one only", max(x, cuboids[list[at+1]].Min[0]), run.Y, run.Z, min(c, list[at+1]), max(c, list[at+1]))
			}
			segments = append(segments, Segment{geometry.Run{X0: x, X1: end, Y: run.Y, Z: run.Z}, c})
			x = end
		}
	}
	return segments, nil
}

// join concatenates the parts that eachRange left.
func join[T any](parts [][]T) []T {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	all := make([]T, 0, n)
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
