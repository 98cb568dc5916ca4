// Package stencil is for physics whose update of a cell is written once: an Update says,
// as an expression over values of the cell and of cells around it, what becomes of them.
// Package generate makes of it plain Go for any processor and assembly for those with
// AVX2 or AVX-512; in CUDA, the statements are those that Program.C and ExactC write. All
// do the same operations in the same order. A long program may be cut into stages
// (Program.Cut): assembly takes many cells through one before the next one, and may write
// past the cache.
//
// Where values lie is not part of the code: a kernel is given a pointer for each value
// that it reads or writes, so that two copies in turn, streaming in place and the
// neighbours of a finite volume are read by the same kernel, as Access tells. A Stencil
// runs one on the blocks of a rank.
//
// Begin reading with update.go.
package stencil
