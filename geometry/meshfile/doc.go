// Package meshfile reads triangles from files in the formats OBJ, PLY and VTP, as
// modelling, scanning and visualisation programs write them. Formats are told by what
// a file holds, never by its name. Coordinates are those of the file, as these formats
// know no units; STL is package stl's.
//
// All is read strictly: what does not add up is refused in a sentence. No count that a
// file declares makes memory be taken that its own bytes do not account for.
//
// Begin with Read in read.go.
package meshfile
