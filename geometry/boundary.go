package geometry

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// directedEdge is an edge in the direction in which it was found.
type directedEdge struct{ from, to int32 }

// boundaryEdges returns the edges that triangles walk more often in one
// direction than in the other, as often as they do. At every vertex as many of
// them end as begin, so that they always make up closed loops, even where more
// than two triangles meet.
func boundaryEdges(s *Surface) []directedEdge {
	type entry struct {
		key     uint64
		forward bool
	}
	entries := make([]entry, 0, 3*len(s.Triangles))
	for i := range s.Triangles {
		for k := int32(0); k < 3; k++ {
			a, b := s.side(int32(3*i) + k)
			entries = append(entries, entry{uint64(min(a, b))<<32 | uint64(max(a, b)), a < b})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return 0
	})
	var out []directedEdge
	for i := 0; i < len(entries); {
		net, key := 0, entries[i].key
		for ; i < len(entries) && entries[i].key == key; i++ {
			if entries[i].forward {
				net++
			} else {
				net--
			}
		}
		low, high := int32(key>>32), int32(key&0xffffffff)
		for ; net > 0; net-- {
			out = append(out, directedEdge{low, high})
		}
		for ; net < 0; net++ {
			out = append(out, directedEdge{high, low})
		}
	}
	return out
}

// boundaryLoops joins the boundary edges into simple loops of vertices: where
// a walk comes back to a vertex it has passed, a loop is complete.
func boundaryLoops(s *Surface) [][]int32 {
	leaving := map[int32][]int32{}
	var starts []int32
	for _, e := range boundaryEdges(s) {
		if len(leaving[e.from]) == 0 {
			starts = append(starts, e.from)
		}
		leaving[e.from] = append(leaving[e.from], e.to)
	}
	var loops [][]int32
	for _, start := range starts {
		for len(leaving[start]) > 0 {
			loops = append(loops, walkLoops(start, leaving)...)
		}
	}
	return loops
}

// walkLoops follows unused edges from a vertex until it is back there.
func walkLoops(start int32, leaving map[int32][]int32) [][]int32 {
	var loops [][]int32
	path := []int32{start}
	place := map[int32]int{start: 0}
	for at := start; ; {
		next := leaving[at]
		if len(next) == 0 {
			return loops
		}
		to := next[len(next)-1]
		leaving[at] = next[:len(next)-1]
		if k, passed := place[to]; passed {
			loops = append(loops, slices.Clone(path[k:]))
			for _, v := range path[k+1:] {
				delete(place, v)
			}
			path = path[:k+1]
			if k == 0 && len(leaving[start]) == 0 {
				return loops
			}
		} else {
			place[to] = len(path)
			path = append(path, to)
		}
		at = to
	}
}

// earLimit is the longest loop that is triangulated by cutting ears, whose
// cost grows with the cube of the length; longer ones get a fan.
const earLimit = 600

// capLoop closes a loop with triangles and returns their numbers. They are
// wound so that the loop's edges are balanced.
func capLoop(s *Surface, loop []int32, solid int32) []int32 {
	first := int32(len(s.Triangles))
	if len(loop) <= earLimit {
		s.Triangles = append(s.Triangles, earCap(s, loop, solid)...)
	} else {
		center, _ := loopPlane(s.corners(loop))
		hub := int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, center)
		for i, v := range loop {
			s.Triangles = append(s.Triangles, Triangle{V: [3]int32{loop[(i+1)%len(loop)], v, hub}, Solid: solid})
		}
	}
	numbers := make([]int32, int32(len(s.Triangles))-first)
	for i := range numbers {
		numbers[i] = first + int32(i)
	}
	return numbers
}

// earCap returns two triangles less than a loop has corners, which close it.
func earCap(s *Surface, loop []int32, solid int32) []Triangle {
	points := s.corners(loop)
	center, normal := loopPlane(points)
	e1, e2 := perpendicular(normal)
	var out []Triangle
	for _, t := range triangulate(planar(points, center, e1, e2)) {
		out = append(out, Triangle{V: [3]int32{loop[t[2]], loop[t[1]], loop[t[0]]}, Solid: solid})
	}
	return out
}

func (s *Surface) corners(loop []int32) []r3.Vec {
	points := make([]r3.Vec, len(loop))
	for i, v := range loop {
		points[i] = s.Vertices[v]
	}
	return points
}

// loopPlane returns the centre of a closed line and the unit normal of its
// mean plane, by its vector area.
func loopPlane(points []r3.Vec) (center, normal r3.Vec) {
	var length float64
	for i, a := range points {
		b := points[(i+1)%len(points)]
		d := r3.Norm(r3.Sub(b, a))
		center = r3.Add(center, r3.Scale(d/2, r3.Add(a, b)))
		length += d
	}
	if length > 0 {
		center = r3.Scale(1/length, center)
	}
	for i, a := range points {
		normal = r3.Add(normal, r3.Cross(r3.Sub(a, center), r3.Sub(points[(i+1)%len(points)], center)))
	}
	if n := r3.Norm(normal); n > 0 {
		return center, r3.Scale(1/n, normal)
	}
	return center, r3.Vec{Z: 1}
}

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
	whole  patch
	before []Triangle
	parts  []patch
}

// partNotches closes the notches beside an open end apart from its rim, where
// triangles of the wall are lost there. A cap of both folds and looks like no
// end. All other caps stay as they are.
func partNotches(s *Surface, caps []patch) []patch {
	var kept []patch
	var tried []parted
	var f *capFinder
	for _, c := range caps {
		loops := splitNotches(s, c.loop)
		if loops != nil && f == nil {
			f = newCapFinder(newHierarchy(s), newTopology(s))
		}
		if loops == nil || f.looksOpen(c) {
			kept = append(kept, c)
		} else {
			tried = append(tried, parted{whole: c, parts: make([]patch, len(loops))})
			for i, loop := range loops {
				tried[len(tried)-1].parts[i].loop = loop
			}
		}
	}
	if len(tried) == 0 {
		return caps
	}
	for i := range tried {
		tried[i].recap(s)
	}
	f = newCapFinder(newHierarchy(s), newTopology(s))
	for _, c := range tried {
		if f.looksOpen(c.parts[len(c.parts)-1]) {
			kept = append(kept, c.parts...)
			continue
		}
		for i, t := range c.whole.triangles {
			s.Triangles[t] = c.before[i]
		}
		kept = append(kept, c.whole)
	}
	return kept
}

// recap puts the parts in the place of the whole: together they have as many
// triangles.
func (c *parted) recap(s *Surface) {
	free := c.whole.triangles
	for _, t := range free {
		c.before = append(c.before, s.Triangles[t])
	}
	for i := range c.parts {
		part := &c.parts[i]
		closed := earCap(s, part.loop, c.before[0].Solid)
		part.triangles, free = free[:len(closed):len(closed)], free[len(closed):]
		for k, t := range part.triangles {
			s.Triangles[t] = closed[k]
		}
	}
}

// looksOpen reports whether a cap is that of an open end.
func (f *capFinder) looksOpen(c patch) bool {
	f.fit(&c)
	return f.isOpenEnd(&c)
}

// splitNotches parts a boundary into the notches beside a flat rim and, last,
// the rim; nil where there is none.
func splitNotches(s *Surface, loop []int32) [][]int32 {
	if len(loop) <= rimCorners || len(loop) > earLimit {
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
func flatCorners(s *Surface, loop []int32) []bool {
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
		p := plane{}
		p.at, p.normal = loopPlane(points)
		farthest, height := -1, rimFlat*perimeter(points)/float64(left)
		for i, v := range loop {
			if h := math.Abs(p.height(s.Vertices[v])); onRim[i] && h > height {
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

func perimeter(points []r3.Vec) float64 {
	var sum float64
	for i, a := range points {
		sum += r3.Norm(r3.Sub(points[(i+1)%len(points)], a))
	}
	return sum
}
