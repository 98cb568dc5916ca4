// Package main generates the kernels of package kernel from the expressions of
// package collision: plain Go for any processor and assembly for those with
// AVX2 or AVX-512. All do the same operations in the same order.
package main
