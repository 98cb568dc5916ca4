// Package twocopies computes a physics that reads one of two fields and writes the other one,
// in turn: on processors and on GPUs, by updates of package stencil. It sums what cells give
// over their rows or columns, with the same bits on any device.
//
// Begin reading with twocopies.go; processor.go and gpu.go are its kernels, lines.go sums.
package twocopies
