package opening

import (
	"slices"

	"carina/geometry/mesh"
)

// sortCaps divides the caps of loops and cuts into those of open ends and
// those that close holes, and reserves their triangles.
func (f *Finder) sortCaps(caps []Patch) (open, holes []Patch) {
	for i := range caps {
		c := &caps[i]
		f.fit(c)
		c.core = mesh.Plane{At: c.Center, Normal: c.Normal}
		if c.ByHand || f.isOpenEnd(c) {
			open = append(open, *c)
		} else {
			holes = append(holes, *c)
		}
		for _, t := range c.Triangles {
			f.taken[t] = true
		}
	}
	return open, holes
}

// flatBeside returns the flat ends of a surface with open ends or ends placed
// by hand. Beside those only plain ends count, and no splinters that a cut has
// left. A loop beside a larger flat end is a hole at its rim.
func (f *Finder) flatBeside(open, holes []Patch) flatEnds {
	f.open, f.strict = open, len(open) > 0
	e := flatEnds{flat: f.find(), holes: slices.Clone(holes)}
	for _, c := range open {
		if !c.ByHand && slices.ContainsFunc(e.flat, func(end Patch) bool { return end.Area > c.Area && f.touch(&end, &c) }) {
			e.holes = append(e.holes, c)
		} else {
			e.open = append(e.open, c)
		}
	}
	if f.strict && len(e.open) == 0 {
		f.open, f.strict = nil, false
		e.flat = f.find()
	}
	e.flat, e.perhaps = f.apartFrom(e.open, e.flat), f.apartFrom(e.open, f.perhaps)
	return e
}

// touch reports whether two patches share a vertex.
func (f *Finder) touch(a, b *Patch) bool {
	return len(f.apartFrom([]Patch{*a}, []Patch{*b})) == 0
}

// apartFrom returns the patches that touch none of the others.
func (f *Finder) apartFrom(others, patches []Patch) []Patch {
	taken := map[int32]bool{}
	for _, p := range others {
		for _, t := range p.Triangles {
			for _, v := range f.mesh.Triangles[t].V {
				taken[v] = true
			}
		}
	}
	return slices.DeleteFunc(patches, func(p Patch) bool {
		return slices.ContainsFunc(p.Triangles, func(t int32) bool {
			v := f.mesh.Triangles[t].V
			return taken[v[0]] || taken[v[1]] || taken[v[2]]
		})
	})
}

// isOpenEnd tells the open end of a tube from a hole in its wall.
func (f *Finder) isOpenEnd(p *Patch) bool {
	if p.Area == 0 {
		return false
	}
	good := f.wallSectors(p)
	slender := f.slenderness(p, p.Normal)
	for _, rule := range openEndRules {
		if len(p.Loop) >= rule.corners && good >= rule.sectors && slender >= rule.slender {
			return true
		}
	}
	// Cut aslant it is told as capped ends are.
	return len(p.Loop) >= fewCorners && f.sureOf(p, f.profileOf(p)) >= Sure
}

// fewCorners are those of the smallest loop that may be cut aslant.
const fewCorners = 6

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
func (f *Finder) distinct(ends []Patch) []Patch {
	owned := map[int32]bool{}
	kept := ends[:0]
	for _, end := range ends {
		before, size := end.Area, len(end.Triangles)
		own := slices.DeleteFunc(slices.Clone(end.Triangles), func(t int32) bool { return owned[t] })
		if len(own) < size {
			if len(own) == 0 {
				continue
			}
			end.Triangles = own
			f.fit(&end)
			if !(end.Area > before/2) {
				continue
			}
		}
		for _, t := range end.Triangles {
			owned[t] = true
		}
		kept = append(kept, end)
	}
	return kept
}
