package branch

import "gonum.org/v1/gonum/spatial/r3"

// Lumen is cells that are connected through faces.
type Lumen struct {
	Cells [][3]int32
	// Next are the numbers of the neighbours of each cell in Faces, -1 for none.
	Next [][6]int32
}

// Faces are the steps to the neighbours that share a face.
var Faces = [6][3]int32{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}

// center returns the middle of a cell in units of cells.
func (l *Lumen) center(cell int32) r3.Vec {
	c := l.Cells[cell]
	return r3.Vec{X: float64(c[0]) + 0.5, Y: float64(c[1]) + 0.5, Z: float64(c[2]) + 0.5}
}

// Center returns the middle of a cell in units of cells.
func (l *Lumen) Center(cell int32) r3.Vec { return l.center(cell) }
