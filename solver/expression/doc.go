// Package expression describes straight-line arithmetic once, so that code
// for several processors can be generated from it with the same operations
// in the same order, and therefore the same bits: Go for any processor and C for
// GPUs, where products may be fused with additions if that is chosen.
package expression
