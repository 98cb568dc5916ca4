// Package tiles makes a GPU a device of the engine whose cells lie in tiles, for
// populations that stream in place in three dimensions: Device. A rank's tiles lie in its
// memory (Tiles); it updates interior and border on two queues. Among themselves GPUs
// exchange directly, by writing to each other's memory, or by messages of whole groups
// (connection.go, exchange.go); with ranks on processors value by value (values.go).
// Single values that tiles need of each other beyond what streams between them are asked
// for (asked.go).
//
// It knows no physics: what is computed on the tiles is a Launch of a physics, such as
// the flow of package airflow/gpu, whose kernels begin with TileSource.
//
// Cells are stored in tiles of 4×4×4, as many as hold fluid, and streaming is
// in place: one copy of the populations, 80 bytes per cell of a tile in single
// precision with 19 velocities, 40 with 16-bit storage and 160 in double precision, half
// as much again with 27. Within a tile the populations are grouped by who touches them
// in an odd step: the tile alone, one of its six face neighbours, one of its twelve edge
// neighbours, or of its eight corner neighbours, so that every access is a run of whole
// 32-byte sectors. NOTES.md derives the layout and records what was predicted and
// measured.
//
// Package tiling says where cells and values lie, package cuda how ranks reach each
// other. Begin reading with device.go, then tiles.go.
package tiles
