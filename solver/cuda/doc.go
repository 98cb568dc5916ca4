// Package cuda computes the flow on GPUs (build tag cuda): Backend is what
// airflow.NewRankOn and its like take. A GPU is a device of the engine (Device), and
// the flow on it a kernel of the same program as the processor's (bound). Among
// themselves GPUs exchange directly or by messages of whole groups (connection,
// exchange), with processors value by value (values). Begin reading with bound.go,
// then part.go.
//
// Cells are stored in tiles of 4×4×4, as many as hold fluid, and streaming is
// in place: one copy of the populations, 80 bytes per cell of a tile in single
// precision on D3Q19, 40 with 16-bit storage and 160 in double precision, half as
// much again on D3Q27. Within a tile
// the populations are grouped by who touches them in an odd step: the tile
// alone, one of its six face neighbours, one of its twelve edge neighbours, or
// on D3Q27 one of its eight corner neighbours, so that every access is a run of
// whole 32-byte sectors. NOTES.md derives the layout and records what was
// predicted and measured.
//
// The kernels are CUDA C, compiled at run time for the device at hand and
// specialised for collision operator, precision, storage, parity, walls and
// force. Operators other than TRT and BGK are generated from package collision.
// The same source runs on a processor in the package's tests, by emulating a
// warp.
package cuda
