package opening

import (
	"strings"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// Found is what was found of the ends of a surface.
type Found struct {
	// Ends are the ends of the lumen, largest first: loops that were the open
	// ends of tubes, and the flat solids that the file names, or else the flat
	// ends found by shape.
	Ends []Patch
	// Opened is how many of them were open.
	Opened int
	// Holes are the caps that are no ends.
	Holes []Patch
	// Faces are flat faces with an edge all around, where no ends are told: any of
	// them may be one, the largest first.
	Faces []Patch
	// Perhaps are flat places that nearly look like ends, the surest first, where
	// any ends are told by shape.
	Perhaps []Patch
	// Loops are the boundaries of all caps but the smallest, which only balance
	// triangles without area.
	Loops [][]int32
}

// Ends finds the ends of a surface whose boundary loops and cuts are closed by
// caps.
func (f *Finder) Ends(caps []Patch) Found {
	var out Found
	named := f.namedSolids()
	open, holes := f.sortCaps(caps)
	flat := named
	if len(named) == 0 {
		e := f.findFlat(open, holes)
		flat, open, holes, out.Perhaps = e.flat, e.open, e.holes, e.perhaps
	}
	for i := range open {
		if !open[i].ByHand {
			out.Opened++
		}
	}
	for i := range caps {
		if c := &caps[i]; !c.ByHand && !f.ClosesNothing(c) {
			out.Loops = append(out.Loops, c.Loop)
		}
	}
	out.Ends = append(open, flat...)
	sortPatches(out.Ends)
	out.Ends = f.distinct(out.Ends)
	sortPatches(out.Ends)
	out.Holes = holes
	if len(out.Ends) == 0 {
		out.Faces, out.Perhaps = f.faces(), nil
	}
	return out
}

// ClosesNothing reports whether a cap only balances triangles without area.
func (f *Finder) ClosesNothing(p *Patch) bool {
	return p.Area < noArea*f.typical*f.typical
}

// ClosedArea returns the area that a patch closes, however it is folded.
func (f *Finder) ClosedArea(p *Patch) float64 {
	var sum r3.Vec
	for _, t := range p.Triangles {
		sum = r3.Add(sum, f.area[t])
	}
	return r3.Norm(sum)
}

// Reserve keeps the finder away from the triangles marked.
func (f *Finder) Reserve(marked []bool) {
	for t, m := range marked {
		f.taken[t] = f.taken[t] || m
	}
}

// namedSolids returns the flat solids of a file that names its wall apart
// from its ends.
func (f *Finder) namedSolids() []Patch {
	if len(f.mesh.Solids) < 2 {
		return nil
	}
	by := make([]Patch, len(f.mesh.Solids))
	for t := range f.mesh.Triangles {
		i := f.mesh.Triangles[t].Solid
		by[i].Triangles = append(by[i].Triangles, int32(t))
	}
	var named []Patch
	for i := range by {
		p := &by[i]
		p.Name = f.mesh.Solids[i]
		if len(p.Triangles) == 0 || p.Name == "" || strings.Contains(strings.ToLower(p.Name), "wall") {
			continue
		}
		f.fit(p)
		p.core = mesh.Plane{At: p.Center, Normal: p.Normal}
		// A flat solid's vector area is as long as its area; a wall's is not.
		if f.ClosedArea(p) > flatSolid*p.Area {
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
