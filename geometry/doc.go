// Package geometry turns airway surfaces into voxel grids.
//
// ReadSurface reads STL of any kind. Prepare mends a surface, closes its holes
// and open ends and finds the openings through which air enters and leaves:
// open ends, flat ends, named solids, and discs placed by hand, for which
// SuggestOpenings finds places. Diagnose reports all that. VoxelizePrepared
// fills the lumen with cells stored as runs along x and measures how the links
// between neighbouring cells cross the wall and the openings; Voxelize does
// both steps at once.
//
// What is wall and what is fluid follows from where a closed body lies, not
// from how a file winds it: a body whose inside is the lumen is a wall; a closed
// body inside the lumen, with fluid around it, is an obstacle. Its inside is
// taken away and none of its flat sides is an end. A body in an obstacle stays
// part of it. Where a surface has two walls, the inner one is kept; where only
// a part has, the rest stays as it is and joins the pocket that the inner wall
// makes.
//
// Rows are filled from their crossings with the triangles under one half-open
// tie rule, so that nothing leaks wherever cell centres lie. The grid lies where the
// surface's shape says and not where its coordinates' origin is: centred, or aside where
// flat walls would lie in planes of cell centres (place.go); what still lies there but
// for rounding is settled (lattice.go). So a body has the same cells wherever it lies.
// Time and memory follow the surface, not its bounding box. Results are equal bit for bit
// whatever the number of workers.
//
// What a triangle mesh is asked for lives in package mesh below, STL files in
// stl, mending in mend, the finder of ends in opening and that of branches
// without flat ends in branch, and the tie rule in scan; here are the steps that
// use them, in the order of Prepare (prepare.go) and VoxelizePrepared
// (voxelize.go), and the grid that comes out (grid.go).
//
// All lengths are in metres. Cell (i, j, k) of a grid has its centre at
// Origin + (i+½, j+½, k+½)·Spacing.
package geometry
