package cuboid

import (
	"fmt"
	"math"

	"carina/geometry"
)

// Bricks returns the boxes of the given side, counted from cell (0, 0, 0) and
// clipped to the grid, that hold fluid cells, x fastest. Small bricks (4×4×4,
// 8×8×8) follow the lumen closely; the sparse solver does not mind how many
// there are.
func Bricks(g *geometry.Grid, side [3]int32) ([]Cuboid, error) {
	if side[0] < 1 || side[1] < 1 || side[2] < 1 {
		return nil, fmt.Errorf("bricks of %d×%d×%d cells asked for: every side must be at least 1", side[0], side[1], side[2])
	}
	nx, ny := (g.Size[0]+side[0]-1)/side[0], (g.Size[1]+side[1]-1)/side[1]
	if int64(nx)*int64(ny) > math.MaxInt32 {
		return nil, fmt.Errorf("%d×%d bricks in a layer cannot be numbered: use larger ones", nx, ny)
	}
	slabs := slabsOf(g.Runs, side[2])
	parts := make([][]Cuboid, len(slabs))
	err := eachRange(len(slabs), len(slabs), func(piece, from, to int) error {
		for i := from; i < to; i++ {
			used := make([]bool, int(nx)*int(ny))
			for _, r := range slabs[i] {
				line := int(r.Y/side[1]) * int(nx)
				for x := r.X0 / side[0]; x <= (r.X1-1)/side[0]; x++ {
					used[line+int(x)] = true
				}
			}
			parts[i] = usedBricks(used, nx, slabs[i][0].Z/side[2], side, g.Size)
		}
		return nil
	})
	return join(parts), err
}

// usedBricks lists the marked bricks of layer z of bricks.
func usedBricks(used []bool, nx, z int32, side, size [3]int32) []Cuboid {
	var bricks []Cuboid
	for i, u := range used {
		if !u {
			continue
		}
		at := [3]int32{int32(i) % nx, int32(i) / nx, z}
		var c Cuboid
		for axis := range 3 {
			c.Min[axis] = at[axis] * side[axis]
			c.Max[axis] = min(c.Min[axis]+side[axis], size[axis])
		}
		bricks = append(bricks, c)
	}
	return bricks
}

// slabsOf cuts runs, ordered by z, into those of layers of the given
// thickness; layers without runs are left out.
func slabsOf(runs []geometry.Run, thickness int32) [][]geometry.Run {
	var slabs [][]geometry.Run
	for from := 0; from < len(runs); {
		to := from
		for to < len(runs) && runs[to].Z/thickness == runs[from].Z/thickness {
			to++
		}
		slabs = append(slabs, runs[from:to])
		from = to
	}
	return slabs
}
