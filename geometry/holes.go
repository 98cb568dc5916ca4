package geometry

import (
	"cmp"
	"fmt"
	"slices"

	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// countHoles counts caps that close holes; the smallest only balance
// triangles without area.
func (p *Prepared) countHoles(f *capFinder, holes []patch) {
	for i := range holes {
		c := &holes[i]
		if f.closesNothing(c) {
			p.Mended.DegenerateTriangles += len(c.triangles)
			continue
		}
		p.Mended.ClosedHoles++
		p.Mended.HoleTriangles += len(c.triangles)
		p.patched += c.area
		p.holes = append(p.holes, c.triangles...)
		if area := f.closedArea(c); area > p.largestHole.area {
			p.largestHole = *c
			p.largestHole.area = area
		}
	}
}

// warnOfLargeHole says so when a closed hole may have been an end of the lumen,
// and where, in the unit of the surface's file.
func (p *Prepared) warnOfLargeHole(unit Unit) {
	if len(p.Openings) == 0 || p.largestHole.area == 0 {
		return
	}
	least := slices.MinFunc(p.Openings, func(a, b Opening) int { return cmp.Compare(a.Area, b.Area) })
	hole := p.largestHole
	if hole.area < least.Area {
		return
	}
	if unit == UnknownUnit {
		unit = Metre
	}
	at := r3.Scale(1/float64(unit), hole.center)
	p.Warnings = append(p.Warnings, fmt.Sprintf("a hole of %s around %.5g,%.5g,%.5g, no smaller than opening %d (%s), was closed: "+
		"if the lumen ends there, cut it straight a little before that with --opening x,y,z,radius,name, else look at it with carina inspect --picture and mend the surface there",
		quantity.FormatArea(hole.area), at.X, at.Y, at.Z, least.Number, least.Name))
}
