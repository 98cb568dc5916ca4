// Package partition divides the vertices of a weighted graph into parts of
// given weight while few edges are cut. It knows nothing of fluids.
package partition
