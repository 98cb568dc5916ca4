package geometry

import (
	"slices"
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
