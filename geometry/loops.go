package geometry

import (
	"cmp"
	"fmt"
	"slices"

	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// sortCaps divides the caps of loops and cuts into those of open ends and
// those that close holes, and reserves their triangles.
func (f *capFinder) sortCaps(caps []patch) (open, holes []patch) {
	for i := range caps {
		c := &caps[i]
		f.fit(c)
		c.core = plane{c.center, c.normal}
		if c.byHand || f.isOpenEnd(c) {
			open = append(open, *c)
		} else {
			holes = append(holes, *c)
		}
		for _, t := range c.triangles {
			f.taken[t] = true
		}
	}
	return open, holes
}

// flatBeside returns the flat ends of a surface with open ends or ends placed
// by hand. Beside those only plain ends count, and no splinters that a cut has
// left. A loop beside a larger flat end is a hole at its rim.
func (f *capFinder) flatBeside(open, holes []patch) (flat, stillOpen, stillHoles []patch) {
	f.open, f.strict = open, len(open) > 0
	flat = f.find()
	for _, c := range open {
		if !c.byHand && slices.ContainsFunc(flat, func(end patch) bool { return end.area > c.area && f.touch(&end, &c) }) {
			holes = append(holes, c)
		} else {
			stillOpen = append(stillOpen, c)
		}
	}
	if f.strict && len(stillOpen) == 0 {
		f.open, f.strict = nil, false
		flat = f.find()
	}
	return f.apartFrom(stillOpen, flat), stillOpen, holes
}

// touch reports whether two patches share a vertex.
func (f *capFinder) touch(a, b *patch) bool {
	return len(f.apartFrom([]patch{*a}, []patch{*b})) == 0
}

// countHoles counts caps that close holes; the smallest only balance
// triangles without area.
func (p *Prepared) countHoles(f *capFinder, holes []patch) {
	for i := range holes {
		c := &holes[i]
		if c.area < noArea*f.typical*f.typical {
			p.Mended.DegenerateTriangles += len(c.triangles)
			continue
		}
		p.Mended.ClosedHoles++
		p.Mended.HoleTriangles += len(c.triangles)
		p.patched += c.area
		p.holes = append(p.holes, c.triangles...)
		// The vector area of a folded cap is that of what it closes.
		var area r3.Vec
		for _, t := range c.triangles {
			area = r3.Add(area, f.area[t])
		}
		if r3.Norm(area) > p.largestHole.area {
			p.largestHole = *c
			p.largestHole.area = r3.Norm(area)
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

// apartFrom returns the patches that touch none of the others.
func (f *capFinder) apartFrom(others, patches []patch) []patch {
	taken := map[int32]bool{}
	for _, p := range others {
		for _, t := range p.triangles {
			for _, v := range f.surface.Triangles[t].V {
				taken[v] = true
			}
		}
	}
	return slices.DeleteFunc(patches, func(p patch) bool {
		return slices.ContainsFunc(p.triangles, func(t int32) bool {
			v := f.surface.Triangles[t].V
			return taken[v[0]] || taken[v[1]] || taken[v[2]]
		})
	})
}

// isOpenEnd tells the open end of a tube from a hole in its wall.
func (f *capFinder) isOpenEnd(p *patch) bool {
	if p.area == 0 {
		return false
	}
	good := f.wallSectors(p)
	slender := f.slenderness(p, p.normal)
	for _, rule := range openEndRules {
		if len(p.loop) >= rule.corners && good >= rule.sectors && slender >= rule.slender {
			return true
		}
	}
	return false
}

// openEndRules are the signs that make a loop of at least so many corners the
// end of a tube and not a hole in its wall, as in endRules.
var openEndRules = []struct {
	corners, sectors int
	slender          float64
}{
	{3, sectors, 3},
	{6, 8, 1.2},
	{16, 5, 2},
}

// distinct gives triangles that several ends have taken, the largest first, to
// the first of them, and drops ends that lose most of their area so.
func (f *capFinder) distinct(ends []patch) []patch {
	owned := map[int32]bool{}
	kept := ends[:0]
	for _, end := range ends {
		before, size := end.area, len(end.triangles)
		own := slices.DeleteFunc(slices.Clone(end.triangles), func(t int32) bool { return owned[t] })
		if len(own) < size {
			if len(own) == 0 {
				continue
			}
			end.triangles = own
			f.fit(&end)
			if !(end.area > before/2) {
				continue
			}
		}
		for _, t := range end.triangles {
			owned[t] = true
		}
		kept = append(kept, end)
	}
	return kept
}
