// Package generate writes the functions of updates: plain Go for any processor and
// assembly for those with AVX2 or AVX-512. All do the same operations in the same order.
// A physics has a command of its own that calls Write.
package generate
