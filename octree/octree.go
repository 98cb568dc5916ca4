package octree

import (
	"context"
	"fmt"

	"carina/cuboid"
	"carina/geometry"
)

// Options limit the leaves.
type Options struct {
	// MinSide is the smallest side a leaf may be split to, in cells: a power
	// of two. Leaves clipped at the bounding box may be smaller.
	MinSide int32
	// MaxSide is the largest side of a leaf, in cells: a power of two, at
	// least MinSide. 0 means no limit.
	MaxSide int32
}

// Decompose embeds the grid in a mother cube of 2^k cells a side that shares
// three faces with the bounding box, at cell (0, 0, 0), and halves it in all
// directions: a cube that holds fluid and empty cells while it is larger than
// MinSide, one that holds only fluid while it is larger than MaxSide (Fietz
// 2011, section 4.3). Leaves are clipped to the bounding box; those without
// fluid are left out. They come in Morton order, x fastest.
func Decompose(ctx context.Context, g *geometry.Grid, opt Options) ([]cuboid.Cuboid, error) {
	if opt.MaxSide == 0 {
		opt.MaxSide = 1 << 30
	}
	if !power(opt.MinSide) || !power(opt.MaxSide) || opt.MaxSide < opt.MinSide {
		return nil, fmt.Errorf("sides from %d to %d asked for: both must be powers of two, the smaller first", opt.MinSide, opt.MaxSide)
	}
	side := int32(1)
	for side < max(g.Size[0], g.Size[1], g.Size[2]) {
		if side == 1<<30 {
			return nil, fmt.Errorf("a grid of %d×%d×%d cells is too long for a cube of 2^30: use a coarser spacing", g.Size[0], g.Size[1], g.Size[2])
		}
		side *= 2
	}
	t := tree{ctx: ctx, opt: opt, box: cuboid.Box(g)}
	err := t.split([3]int32{}, side, g.Runs)
	return t.leaves, err
}

func power(n int32) bool { return n > 0 && n&(n-1) == 0 }

type tree struct {
	ctx    context.Context
	opt    Options
	box    cuboid.Cuboid
	leaves []cuboid.Cuboid
}

// split appends the leaves of the cube at corner, whose fluid cells are runs.
func (t *tree) split(corner [3]int32, side int32, runs []geometry.Run) error {
	if len(runs) == 0 {
		return nil
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	leaf := cuboid.Cuboid{Min: corner, Max: [3]int32{corner[0] + side, corner[1] + side, corner[2] + side}}.Intersect(t.box)
	var fluid int64
	for i := range runs {
		fluid += int64(runs[i].X1 - runs[i].X0)
	}
	limit := t.opt.MaxSide
	if fluid < leaf.Cells() {
		limit = t.opt.MinSide
	}
	if side <= limit {
		t.leaves = append(t.leaves, leaf)
		return nil
	}
	half := side / 2
	for octant, part := range octants(corner, half, runs) {
		at := corner
		for axis := range at {
			if octant>>axis&1 == 1 {
				at[axis] += half
			}
		}
		if err := t.split(at, half, part); err != nil {
			return err
		}
	}
	return nil
}

// octants divides runs among the eight halves-in-all-directions of a cube;
// bit a of an octant's number says that it is the upper half along axis a.
func octants(corner [3]int32, half int32, runs []geometry.Run) [8][]geometry.Run {
	var parts [8][]geometry.Run
	middle := corner[0] + half
	for _, r := range runs {
		octant := 0
		if r.Y >= corner[1]+half {
			octant |= 2
		}
		if r.Z >= corner[2]+half {
			octant |= 4
		}
		low, high := r, r
		low.X1, high.X0 = min(r.X1, middle), max(r.X0, middle)
		if low.X0 < low.X1 {
			parts[octant] = append(parts[octant], low)
		}
		if high.X0 < high.X1 {
			parts[octant|1] = append(parts[octant|1], high)
		}
	}
	return parts
}
