// Package cuboid holds boxes of cells: their arithmetic, decompositions of a
// grid into them, and what crosses between them.
package cuboid
