// Package tree finds the branches of an airway that is filled with cells: which
// divides into which, their centre lines, lengths, diameters and angles, and the
// branch that every cell belongs to.
//
// Fronts run from the inlet through the lumen (package branch). As the level sinks
// from the farthest of them, the parts above it that hold openings grow and join:
// where two join lies the ridge between two branches, and below it their parent
// goes on (topology.go). So every opening has one path, whatever its tube looks
// like. Cells of a branch are then cut into slices across its centre line, which
// give the line, areas and directions (slices.go).
//
// A branch ends where the centre lines of its daughters leave its own, which is
// well before the ridge between them (division.go).
//
// Begin with Find in tree.go.
package tree
