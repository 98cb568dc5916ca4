// Package wall holds how populations come back from walls: where the surface cuts
// the links of a cell, what plain bounce-back returns is corrected, linearly or as
// the collision's stress wants it within the update of a window, quadratically in
// a phase of its own after it, and at the edges of openings around what these do.
//
// What lives elsewhere: which treatment suits an operator and the forces on walls
// (package airflow), which links a window has (package update), the same in assembly
// (package kernel) and on GPUs (package gpu).
//
// Begin reading with scheme.go and links.go, then edge.go.
package wall
