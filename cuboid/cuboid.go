package cuboid

import (
	"fmt"

	"carina/geometry"
)

// Cuboid is a box of cells, half open: Min ≤ (x, y, z) < Max.
type Cuboid struct{ Min, Max [3]int32 }

// Segment is the part of a run that lies in one cuboid.
type Segment struct {
	geometry.Run
	// Cuboid is an index into the decomposition's cuboids.
	Cuboid int32
}

// Counts says what the cells of a cuboid are. Boundary cells are fluid cells
// with at least one link that leaves the fluid and are counted in Fluid too;
// Opening cells are boundary cells with at least one link that meets an
// opening and are counted in Boundary too. Lanes is the number of places without
// fluid in the windows of cells that vector kernels compute at once, Passed the
// number of empty cells that they pass over, some of Empty; package balance, which
// knows these windows, counts both.
type Counts struct{ Fluid, Boundary, Opening, Empty, Lanes, Passed int64 }

// Box returns the cuboid that covers the whole grid.
func Box(g *geometry.Grid) Cuboid { return Cuboid{Max: g.Size} }

// Size returns the number of cells along x, y and z.
func (c Cuboid) Size() [3]int32 {
	return [3]int32{c.Max[0] - c.Min[0], c.Max[1] - c.Min[1], c.Max[2] - c.Min[2]}
}

// Cells returns the number of cells, 0 for a box that is empty or inside out.
func (c Cuboid) Cells() int64 {
	n := int64(1)
	for axis := range 3 {
		side := int64(c.Max[axis]) - int64(c.Min[axis])
		if side <= 0 {
			return 0
		}
		n *= side
	}
	return n
}

// Contains reports whether cell (x, y, z) lies in the cuboid.
func (c Cuboid) Contains(x, y, z int32) bool {
	return x >= c.Min[0] && x < c.Max[0] && y >= c.Min[1] && y < c.Max[1] && z >= c.Min[2] && z < c.Max[2]
}

// Intersect returns the common cells of two cuboids; its Cells is 0 where
// there are none.
func (c Cuboid) Intersect(d Cuboid) Cuboid {
	for axis := range 3 {
		c.Min[axis] = max(c.Min[axis], d.Min[axis])
		c.Max[axis] = min(c.Max[axis], d.Max[axis])
	}
	return c
}

// Union returns the smallest cuboid that covers both.
func (c Cuboid) Union(d Cuboid) Cuboid {
	for axis := range 3 {
		c.Min[axis] = min(c.Min[axis], d.Min[axis])
		c.Max[axis] = max(c.Max[axis], d.Max[axis])
	}
	return c
}

// Surface returns the number of cell faces on the cuboid's six sides.
func (c Cuboid) Surface() int64 {
	s := c.Size()
	x, y, z := int64(s[0]), int64(s[1]), int64(s[2])
	return 2 * (x*y + y*z + z*x)
}

// String writes the cuboid as half-open ranges, for messages.
func (c Cuboid) String() string {
	return fmt.Sprintf("[%d,%d)×[%d,%d)×[%d,%d)", c.Min[0], c.Max[0], c.Min[1], c.Max[1], c.Min[2], c.Max[2])
}
