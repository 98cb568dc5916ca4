// Package geometry turns airway surfaces into voxel grids.
//
// It reads and mends triangle surfaces, finds the openings through which air
// enters and leaves, fills the lumen with cells stored as runs along x, and
// measures how the links between neighbouring cells meet the wall.
//
// All lengths are in metres. Cell (i, j, k) of a grid has its centre at
// Origin + (i+½, j+½, k+½)·Spacing.
package geometry
