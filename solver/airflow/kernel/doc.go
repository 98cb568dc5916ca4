// Package kernel is the arithmetic of the update of some cells: generated Go and
// assembly (AVX2, AVX-512) of what package collision describes, with the same
// operations in the same order, the corrections of walls in assembly, and how
// populations are stored in 16, 32 or 64 bits.
//
// What lives elsewhere: the generator (package generate), which cells are updated
// (package update).
//
// Begin reading with kernel.go, storage.go and vector.go.
package kernel
