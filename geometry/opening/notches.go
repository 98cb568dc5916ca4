package opening

import (
	"math"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// A rim has so many corners at least and as a notch this share of the
	// boundary's at most.
	rimCorners, notchShare = 8, 1.0 / 3
	// The corners of a rim lie within this share of its mean edge of one plane.
	rimFlat = 0.05
)

// parted is a cap and those that may take its place: of the notches and, last,
// of the rim.
type parted struct {
	whole  Patch
	before []mesh.Triangle
	parts  []Patch
}

// PartNotches closes the notches beside an open end apart from its rim, where
// triangles of the wall are lost there. A cap of both folds and looks like no
// end. All other caps stay as they are.
func PartNotches(s *mesh.Mesh, caps []Patch) []Patch {
	var kept []Patch
	var tried []parted
	var f *Finder
	for _, c := range caps {
		loops := splitNotches(s, c.Loop)
		if loops != nil && f == nil {
			f = NewFinder(mesh.NewHierarchy(s), mesh.NewTopology(s))
		}
		if loops == nil || f.isOpen(c) {
			kept = append(kept, c)
		} else {
			tried = append(tried, parted{whole: c, parts: make([]Patch, len(loops))})
			for i, loop := range loops {
				tried[len(tried)-1].parts[i].Loop = loop
			}
		}
	}
	if len(tried) == 0 {
		return caps
	}
	for i := range tried {
		tried[i].recap(s)
	}
	f = NewFinder(mesh.NewHierarchy(s), mesh.NewTopology(s))
	for _, c := range tried {
		if f.isOpen(c.parts[len(c.parts)-1]) {
			kept = append(kept, c.parts...)
			continue
		}
		for i, t := range c.whole.Triangles {
			s.Triangles[t] = c.before[i]
		}
		kept = append(kept, c.whole)
	}
	return kept
}

// recap puts the parts in the place of the whole: together they have as many
// triangles.
func (c *parted) recap(s *mesh.Mesh) {
	free := c.whole.Triangles
	for _, t := range free {
		c.before = append(c.before, s.Triangles[t])
	}
	for i := range c.parts {
		part := &c.parts[i]
		closed := mesh.EarCap(s, part.Loop, c.before[0].Solid)
		part.Triangles, free = free[:len(closed):len(closed)], free[len(closed):]
		for k, t := range part.Triangles {
			s.Triangles[t] = closed[k]
		}
	}
}

// isOpen reports whether a cap is that of an open end.
func (f *Finder) isOpen(c Patch) bool {
	f.fit(&c)
	return f.isOpenEnd(&c)
}

// splitNotches parts a boundary into the notches beside a flat rim and, last,
// the rim; nil where there is none.
func splitNotches(s *mesh.Mesh, loop []int32) [][]int32 {
	if len(loop) <= rimCorners || len(loop) > mesh.EarLimit {
		return nil
	}
	onRim := flatCorners(s, loop)
	if onRim == nil {
		return nil
	}
	// The walk begins on the rim, so that no notch runs over its end.
	first := slices.Index(onRim, true)
	var rim []int32
	var parts [][]int32
	for i := range loop {
		at := (first + i) % len(loop)
		if !onRim[at] {
			continue
		}
		rim = append(rim, loop[at])
		notch := []int32{loop[at]}
		for k := 1; k < len(loop); k++ {
			next := (at + k) % len(loop)
			notch = append(notch, loop[next])
			if onRim[next] {
				break
			}
		}
		if len(notch) > 2 {
			parts = append(parts, notch)
		}
	}
	return append(parts, rim)
}

// flatCorners tells which corners of a boundary lie in the plane of most of
// them; nil where all do or too few.
func flatCorners(s *mesh.Mesh, loop []int32) []bool {
	onRim := make([]bool, len(loop))
	for i := range onRim {
		onRim[i] = true
	}
	for left := len(loop); left >= rimCorners && float64(len(loop)-left) <= notchShare*float64(len(loop)); left-- {
		var points []r3.Vec
		for i, v := range loop {
			if onRim[i] {
				points = append(points, s.Vertices[v])
			}
		}
		p := mesh.Plane{}
		p.At, p.Normal = mesh.LoopPlane(points)
		farthest, height := -1, rimFlat*mesh.Perimeter(points)/float64(left)
		for i, v := range loop {
			if h := math.Abs(p.Height(s.Vertices[v])); onRim[i] && h > height {
				farthest, height = i, h
			}
		}
		switch {
		case farthest >= 0:
			onRim[farthest] = false
		case left < len(loop):
			return onRim
		default:
			return nil
		}
	}
	return nil
}
