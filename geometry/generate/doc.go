// Package generate makes closed test surfaces: a cavity, a pipe, idealised
// bifurcations of the trachea, and whole airway trees.
//
// Airways are trees of tubes with circular cross-sections. At a division the
// daughters leave their parent along circular arcs while their radii change
// smoothly, and the carina between them is rounded by a smooth union, as in
// the physiologically realistic bifurcations of Heistracher and Hofmann
// (J. Aerosol Sci. 26 (1995) 497–509). The mesh is built row by row along the
// tubes, so that every edge belongs to exactly two triangles, thin branches
// get finer triangles than thick ones, and memory follows the surface.
//
// Every end is a flat polygon perpendicular to its branch, whose area is that
// of the branch's circle. Next to the surface all generators return the
// openings as they are by construction, as truth for tests.
//
// The same options give the same surface, bit for bit. All lengths are in
// metres.
//
// [Grid] and the functions named after it make voxel grids without a surface, for
// those who need cells only.
package generate
