package cuboid

import "carina/geometry"

// Cuboid is a box of cells, half open: Min ≤ (x, y, z) < Max.
type Cuboid struct{ Min, Max [3]int32 }

// Segment is the part of a run that lies in one cuboid.
type Segment struct {
	geometry.Run
	// Cuboid is an index into the decomposition's cuboids.
	Cuboid int32
}

// Counts says what the cells of a cuboid are. Boundary cells are fluid cells
// with at least one link that leaves the fluid and are counted in Fluid too.
type Counts struct{ Fluid, Boundary, Empty int64 }
