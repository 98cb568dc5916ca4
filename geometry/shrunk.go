package geometry

import (
	"fmt"

	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// shrunkSide is the share of its length that a side of the bounding box keeps
// when nothing but an outer wall was dropped.
const shrunkSide = 0.9

// warnIfShrunk says so when mending has made the surface that was read much
// smaller.
func (p *Prepared) warnIfShrunk(read *Surface) {
	before, after := usedBox(&read.Mesh), usedBox(&p.Surface.Mesh)
	if after.X >= shrunkSide*before.X && after.Y >= shrunkSide*before.Y && after.Z >= shrunkSide*before.Z {
		return
	}
	p.Warnings = append(p.Warnings, fmt.Sprintf("mending made the surface smaller, from %s to %s (%s): "+
		"look at it with carina inspect --picture, and if a branch is missing, export the inner wall alone",
		quantity.FormatLengths(before.X, before.Y, before.Z), quantity.FormatLengths(after.X, after.Y, after.Z), p.Mended))
}

// usedBox is the extent of the vertices that triangles use.
func usedBox(s *Mesh) r3.Vec {
	used := &Mesh{Vertices: make([]r3.Vec, 0, 3*len(s.Triangles))}
	for _, t := range s.Triangles {
		used.Vertices = append(used.Vertices, s.Vertices[t.V[0]], s.Vertices[t.V[1]], s.Vertices[t.V[2]])
	}
	low, high := used.Bounds()
	return r3.Sub(high, low)
}

// obstacleWords says that bodies stand in the lumen, empty where none do.
func (p *Prepared) obstacleWords() string {
	switch p.Obstacles {
	case 0:
		return ""
	case 1:
		return "a closed body stands in the lumen and is taken for an obstacle: its inside is no fluid"
	}
	return fmt.Sprintf("%d closed bodies stand in the lumen and are taken for obstacles: their inside is no fluid", p.Obstacles)
}

// Remarks are sentences about the surface and what is assumed of it, beside
// the warnings.
func (p *Prepared) Remarks() []string {
	var remarks []string
	for _, words := range []string{p.obstacleWords(), p.InletGuess} {
		if words != "" {
			remarks = append(remarks, words)
		}
	}
	return remarks
}
