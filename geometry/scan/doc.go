// Package scan finds where triangles cross parallel lines, under one half-open tie
// rule: along any line a closed surface is entered as often as it is left, however
// its corners lie and whatever was rounded. The rows of cells and the links of a
// grid are such lines.
package scan
