// Package wallshear finds what the air does to the wall: the shear stress and the
// pressure on the triangles of a surface.
//
// Around the middle of each triangle the velocity is fitted by a polynomial of second
// order in all three directions, from the cells that lie near and from the places where
// links meet the wall, at which air rests (fit.go). Its derivatives there are the rate
// of strain at the wall itself; half a cell inside, where populations tell it, it is
// smaller by what a profile bends. Triangles that are larger than some cells are
// divided before (surface.go). What changes over time is summed sample by sample
// (series.go).
//
// Begin with NewWall in surface.go and Measure in fit.go.
package wallshear
