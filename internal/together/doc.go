// Package together computes any physics on the ranks that share a grid: on processors and
// GPUs, in one process or several, with what goes with a computation from its first step to
// its results, which is the folder, checkpoints, and cells that change owner.
//
// Begin reading with together.go, the ranks; course.go has the rest.
package together
