package carina

import (
	"math"
	"path/filepath"

	"carina/balance"
	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// findSurface finds the surface that the grid of a partition file was made from, to tell
// what its wall feels: beside the file or its folder, in this one, or where the case names
// it, by its hash; nil where it is not there.
func (o *origin) findSurface() *geometry.Prepared {
	source := o.partition.Source.Surface
	if source == nil || source.SHA256 == "" {
		return nil
	}
	unit, err := geometry.ParseUnit(source.Unit)
	if err != nil {
		return nil
	}
	name, folder := filepath.Base(source.File), filepath.Dir(o.partitionFile)
	for _, path := range []string{filepath.Join(folder, name), filepath.Join(folder, "..", name), name, o.c.Surface} {
		found, err := balance.SourceOf(path, "")
		if path == "" || err != nil || found.SHA256 != source.SHA256 {
			continue
		}
		surface, err := geometry.ReadSurface(path, unit)
		if err != nil {
			return nil
		}
		p, err := geometry.Prepare(surface, geometry.Options{Spacing: o.grid.Spacing})
		if err != nil || !liesOn(p.Surface, o.grid) {
			return nil
		}
		withOpenings(p, o.grid)
		return p
	}
	return nil
}

// liesOn tells whether a surface is of the size of a grid and lies there. Its coordinates
// may have been multiplied.
func liesOn(s *geometry.Surface, g *geometry.Grid) bool {
	low, high := s.Bounds()
	size := r3.Scale(g.Spacing, r3.Vec{X: float64(g.Size[0]), Y: float64(g.Size[1]), Z: float64(g.Size[2])})
	ratio := r3.Norm(r3.Sub(high, low)) / r3.Norm(size)
	middle := r3.Scale(0.5, r3.Add(low, high))
	far := r3.Norm(r3.Sub(middle, r3.Add(g.Origin, r3.Scale(0.5, size))))
	return ratio > 0.5 && ratio < 2 && far < r3.Norm(size)/2
}

// withOpenings tells which triangles of a surface close the openings of a grid.
func withOpenings(p *geometry.Prepared, g *geometry.Grid) {
	for t := range p.Surface.Triangles {
		a, b, c := p.Surface.Corners(t)
		at := r3.Scale(1./3, r3.Add(a, r3.Add(b, c)))
		p.Opening[t] = 0
		normal := r3.Unit(p.Surface.AreaVector(t))
		for i := range g.Openings {
			o := &g.Openings[i]
			d := r3.Sub(at, o.Center)
			along := r3.Dot(d, o.Normal)
			// Triangles in the plane of the opening that face outwards.
			if math.Abs(along) < g.Spacing && r3.Norm2(d)-along*along < 1.5*o.Area/math.Pi && r3.Dot(normal, o.Normal) > 0.8 {
				p.Opening[t] = uint16(i + 1)
			}
		}
	}
}
