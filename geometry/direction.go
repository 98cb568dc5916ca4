package geometry

// Offset is the step from a cell to one of its neighbours, in cells.
type Offset struct{ X, Y, Z int8 }

// Directions lists the 26 neighbours of a cell: the six faces, then the
// twelve edges, then the eight corners. Opposite directions are neighbours in
// the list, so that Directions[d^1] is the opposite of Directions[d]. The
// first 18 are the moving velocities of D3Q19, all 26 those of D3Q27.
var Directions = [26]Offset{
	{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1},
	{1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0},
	{1, 0, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1},
	{0, 1, 1}, {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
	{1, 1, 1}, {-1, -1, -1}, {1, 1, -1}, {-1, -1, 1},
	{1, -1, 1}, {-1, 1, -1}, {-1, 1, 1}, {1, -1, -1},
}
