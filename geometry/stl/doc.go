// Package stl reads and writes STL files, binary or ASCII, plain or gzipped, in
// the dialects that programs write, and names files of other formats. Parsing
// itself is github.com/hschendel/stl's.
//
// Coordinates are those of the file: units are package geometry's.
//
// Begin with Read in read.go.
package stl
