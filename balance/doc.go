// Package balance distributes cuboids over ranks: what work and messages
// cost, the balancers, the partition file and the quality of a partition.
//
// Make does everything: it decomposes a grid into cuboids, builds the weighted
// graph, runs a balancer and returns a Partition, which WriteFile stores and
// ReadFile reads back. Decompositions and balancers are chosen by name, or are a
// caller's own: a [Decomposer] and a [Balancer]; [Cuboids] and [Owners] judge what
// was made elsewhere.
//
// # The partition file
//
// A partition file is one JSON object, gzipped if its name ends in .gz. Any
// JSON library can read it. Its keys, in order:
//
//	format          "carina partition"
//	version         1; a reader refuses versions it does not know
//	source          the grid file: file, sha256; and the surface it was made of
//	grid            origin_m, spacing_m, size, fluid_cells, fingerprint
//	cost            the cost model, in seconds per cell and message
//	ranks           one object per rank: speed (relative), host (number)
//	method          decompose, balance and all their options, seed
//	quality         what the partition is worth, in all and for each rank
//	cuboid_columns  the meaning of the columns of cuboids
//	cuboids         one row of whole numbers per cuboid: min_x, min_y, min_z,
//	                max_x, max_y, max_z (half open, in cells), owner (a rank),
//	                fluid, boundary, opening (numbers of cells: fluid ones,
//	                those with a link to the wall or an opening, those with a
//	                link to an opening)
//
// Cell (i, j, k) has its centre at origin_m + (i+½, j+½, k+½)·spacing_m. The
// fingerprint is that of geometry.Grid.Fingerprint.
//
// A reader must refuse a file whose cuboids overlap or leave the grid, whose
// owners are no ranks, whose ranks own nothing or whose counts do not add up;
// see ReadFile.
package balance
