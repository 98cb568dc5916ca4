// Package finitevolume runs finite volume schemes for systems of conservation laws on cells of
// one layer, any of which may be missing, on processors and GPUs, with the same bits. A physics
// says what becomes of a cell, of its sides, of a face and of all faces of a cell, each written
// once as an update of package stencil; slopes reach two cells far. The rest is here:
//
//   - Processors go through tiles of rows that stay in the first-level cache, warps of a GPU
//     through columns: so each face is computed once, but for those between tiles.
//   - Where there is no cell lies an image of those within, mirrored at walls. Through edges
//     something comes in.
//   - Cells in which nothing happens are left out, which changes no bit.
//   - The fastest wave of all faces is kept, of which a Clock makes time steps that all ranks
//     can take.
//
// Begin reading with scheme.go.
package finitevolume
