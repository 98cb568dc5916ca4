// Package branch finds where the branches of a lumen end that is filled with
// cells.
//
// The ends are maxima of the distance from the middle of the lumen, measured
// from cell to cell (distance.go). As the level sinks from the farthest of them,
// the parts of the lumen above it grow and join (tips.go): where two join that
// are long for their width, each is a branch. From its tip a branch is followed
// back, front by front, to the place where it can be cut (fronts.go).
//
// Begin with Ends in fronts.go. What is cut there, and how, is package
// geometry's.
package branch
