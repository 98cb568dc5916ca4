package geometry

import (
	"strings"

	"gonum.org/v1/gonum/spatial/r3"
)

// finding is what was found of the ends of a surface.
type finding struct {
	// ends are the ends of the lumen, largest first: loops that were the open
	// ends of tubes, and the flat solids that the file names, or else the flat
	// ends found by shape.
	ends []patch
	// opened is how many of them were open.
	opened int
	// holes are the caps that are no ends.
	holes []patch
	// loops are the boundaries of all caps but the smallest, which only balance
	// triangles without area.
	loops [][]int32
}

// ends finds the ends of a surface whose boundary loops and cuts are closed by
// caps.
func (f *capFinder) ends(caps []patch) finding {
	var out finding
	named := f.namedSolids()
	open, holes := f.sortCaps(caps)
	flat := named
	if len(named) == 0 {
		flat, open, holes = f.flatBeside(open, holes)
	}
	for i := range open {
		if !open[i].byHand {
			out.opened++
		}
	}
	for i := range caps {
		if c := &caps[i]; !c.byHand && !f.closesNothing(c) {
			out.loops = append(out.loops, c.loop)
		}
	}
	out.ends = append(open, flat...)
	sortPatches(out.ends)
	out.ends = f.distinct(out.ends)
	sortPatches(out.ends)
	out.holes = holes
	return out
}

// closesNothing reports whether a cap only balances triangles without area.
func (f *capFinder) closesNothing(p *patch) bool {
	return p.area < noArea*f.typical*f.typical
}

// closedArea returns the area that a patch closes, however it is folded.
func (f *capFinder) closedArea(p *patch) float64 {
	var sum r3.Vec
	for _, t := range p.triangles {
		sum = r3.Add(sum, f.area[t])
	}
	return r3.Norm(sum)
}

// reserve keeps the finder away from the triangles marked.
func (f *capFinder) reserve(marked []bool) {
	for t, m := range marked {
		f.taken[t] = f.taken[t] || m
	}
}

// namedSolids returns the flat solids of a file that names its wall apart
// from its ends.
func (f *capFinder) namedSolids() []patch {
	if len(f.surface.Solids) < 2 {
		return nil
	}
	by := make([]patch, len(f.surface.Solids))
	for t := range f.surface.Triangles {
		i := f.surface.Triangles[t].Solid
		by[i].triangles = append(by[i].triangles, int32(t))
	}
	var named []patch
	for i := range by {
		p := &by[i]
		p.name = f.surface.Solids[i]
		if len(p.triangles) == 0 || p.name == "" || strings.Contains(strings.ToLower(p.name), "wall") {
			continue
		}
		f.fit(p)
		p.core = plane{p.center, p.normal}
		// A flat solid's vector area is as long as its area; a wall's is not.
		if f.closedArea(p) > flatSolid*p.area {
			named = append(named, *p)
		}
	}
	return named
}

const (
	// flatSolid is how long the vector area of a solid must be, as a share of
	// its area, to take it for a flat end.
	flatSolid = 0.9
	// A cap of less than so many squared edge lengths closes nothing.
	noArea = 1e-3
)
