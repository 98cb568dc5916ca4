// Package mend makes a mesh whole: it welds vertices, drops triangles without
// area and duplicates, and winds what is left outwards. It tells obstacles from
// walls and the inner of two walls from the outer.
//
// Holes and open ends stay open: package geometry closes them with mesh.CapLoop,
// and package opening tells the one from the other.
//
// Begin with Mend in mend.go; obstacles.go has the rule for closed bodies,
// double_wall.go that for two walls and pocket.go that for a wall which is double
// in a part only.
package mend
