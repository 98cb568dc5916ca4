// Package main generates the kernels of package kernel from the expressions of
// package collision: plain Go for any processor and assembly for those with
// AVX2 or AVX-512. All do the same operations in the same order.
//
// The assembly's bodies of arithmetic are macros, one a variant. Each is used for
// every kind of window and for single and double precision, with the loads and
// stores that are written by hand in window_amd64.h and the instruction sets'
// files. Avo writes what walls need.
package main
