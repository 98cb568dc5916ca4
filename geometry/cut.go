package geometry

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// cut is a plane across a tube, with the normal pointing out of the lumen, the
// section there and the triangles beyond.
type cut struct {
	// name says in errors whose cut it is.
	name    string
	plane   plane
	section *section
	upper   []int32
}

// areaOf returns the area of some triangles.
func (s *Mesh) areaOf(triangles []int32) float64 {
	var sum float64
	for _, t := range triangles {
		sum += r3.Norm(s.areaVector(int(t)))
	}
	return sum
}

// sectionWithin returns the section around the plane's point if it lies
// within the radius.
func (h *hierarchy) sectionWithin(p plane, radius float64) *section {
	s := h.sectionAround(p, 1.1*radius)
	if s == nil {
		return nil
	}
	for _, c := range s.corners {
		if r3.Norm(r3.Sub(c, p.at)) > radius {
			return nil
		}
	}
	return s
}

// smallestSection turns a plane about a point until its section is smallest:
// first over directions all around, then around the best of these in ever
// smaller steps.
func (h *hierarchy) smallestSection(at r3.Vec, radius float64) (plane, *section) {
	best, p := (*section)(nil), plane{at: at}
	try := func(normal r3.Vec) {
		q := plane{at, normal}
		if s := h.sectionWithin(q, radius); s != nil && (best == nil || s.area < best.area) {
			best, p = s, q
		}
	}
	// A Fibonacci lattice on the half sphere.
	const directions = 200
	golden := math.Pi * (3 - math.Sqrt(5))
	for i := 0; i < directions; i++ {
		z := (float64(i) + 0.5) / directions
		sin, cos := math.Sincos(golden * float64(i))
		r := math.Sqrt(1 - z*z)
		try(r3.Vec{X: r * cos, Y: r * sin, Z: z})
	}
	if best == nil {
		return p, nil
	}
	for step := 0.1; step > 0.002; step /= 2 {
		for again := true; again; {
			before := best
			e1, e2 := perpendicular(p.normal)
			n := p.normal
			for _, d := range [4]r3.Vec{e1, r3.Scale(-1, e1), e2, r3.Scale(-1, e2)} {
				try(r3.Unit(r3.Add(n, r3.Scale(step, d))))
			}
			again = best != before
		}
	}
	return p, best
}

// sides lists the triangles above and below a section, without those that it
// passes, or nil when the two hang together elsewhere.
func (c *section) sides(s *Mesh, t *topology, p *plane) (upper, lower []int32) {
	const passed, above, below = 1, 2, 3
	mark := make([]byte, len(s.Triangles))
	for _, i := range c.triangles {
		mark[i] = passed
	}
	spread := func(up bool, as byte) ([]int32, bool) {
		var queue []int32
		clean := true
		visit := func(side int32) {
			m := t.mate[side]
			if m < 0 {
				return
			}
			switch mark[m/3] {
			case 0:
				mark[m/3] = as
				queue = append(queue, m/3)
			case above, below:
				clean = clean && mark[m/3] == as
			}
		}
		for _, i := range c.triangles {
			for side := 3 * i; side < 3*i+3; side++ {
				a, b := s.side(side)
				if (p.height(s.Vertices[a]) >= 0) == up && (p.height(s.Vertices[b]) >= 0) == up {
					visit(side)
				}
			}
		}
		for k := 0; k < len(queue); k++ {
			for side := 3 * queue[k]; side < 3*queue[k]+3; side++ {
				visit(side)
			}
		}
		return queue, clean
	}
	lower, _ = spread(false, below)
	upper, clean := spread(true, above)
	if !clean {
		return nil, nil
	}
	if upper == nil {
		upper = []int32{}
	}
	return upper, lower
}

// applyCuts returns the surface without what lies beyond the cuts, with the
// triangles that they pass cut at the planes, and with a cap over each
// section; the numbers of the caps' triangles; and for every old triangle its
// new number or -1.
func applyCuts(s *Mesh, cuts []*cut) (out *Mesh, caps [][]int32, kept []int32, err error) {
	kept = make([]int32, len(s.Triangles))
	by := make([]*cut, len(s.Triangles))
	for _, c := range cuts {
		for _, t := range c.upper {
			kept[t] = -1
		}
		for _, t := range c.section.triangles {
			if by[t] != nil {
				return nil, nil, nil, fmt.Errorf("%s and %s cut each other: leave one of them out", c.name, by[t].name)
			}
			by[t] = c
		}
	}
	for t, c := range by {
		if c != nil && kept[t] < 0 {
			return nil, nil, nil, fmt.Errorf("%s lies beyond another opening: leave one of them out", c.name)
		}
		if c != nil {
			kept[t] = -1
		}
	}
	copied := *s
	out = &copied
	out.Vertices = slices.Clone(s.Vertices)
	out.Triangles = make([]Triangle, 0, len(s.Triangles))
	for i := range s.Triangles {
		if kept[i] == 0 {
			kept[i] = int32(len(out.Triangles))
			out.Triangles = append(out.Triangles, s.Triangles[i])
		}
	}
	out.Solids = append(slices.Clone(s.Solids), "")
	for _, c := range cuts {
		caps = append(caps, c.apply(s, out))
	}
	return out, caps, kept, nil
}

// apply adds the lower parts of the passed triangles and a cap over the
// section to out, and returns the numbers of the cap's triangles.
func (c *cut) apply(s, out *Mesh) (caps []int32) {
	corner := map[edgeKey]int32{}
	loop := make([]int32, len(c.section.edges))
	for i, e := range c.section.edges {
		loop[i] = int32(len(out.Vertices) + i)
		corner[e] = loop[i]
	}
	out.Vertices = append(out.Vertices, c.section.corners...)
	for _, t := range c.section.triangles {
		out.Triangles = append(out.Triangles, clipTriangle(s, &c.plane, s.Triangles[t], corner)...)
	}
	// The rest of the passed triangles walks the section forwards, so the cap
	// walks it backwards.
	e1, e2 := perpendicular(c.plane.normal)
	for _, t := range triangulate(planar(c.section.corners, c.plane.at, e1, e2)) {
		caps = append(caps, int32(len(out.Triangles)))
		out.Triangles = append(out.Triangles, Triangle{V: [3]int32{loop[t[2]], loop[t[1]], loop[t[0]]}, Solid: int32(len(out.Solids) - 1)})
	}
	return caps
}

// clipTriangle returns the part of a triangle below the plane.
func clipTriangle(s *Mesh, p *plane, t Triangle, corner map[edgeKey]int32) []Triangle {
	var polygon []int32
	for i, v := range t.V {
		next := t.V[(i+1)%3]
		up, nextUp := p.height(s.Vertices[v]) >= 0, p.height(s.Vertices[next]) >= 0
		if !up {
			polygon = append(polygon, v)
		}
		if up != nextUp {
			polygon = append(polygon, corner[newEdgeKey(v, next)])
		}
	}
	var out []Triangle
	for i := 2; i < len(polygon); i++ {
		out = append(out, Triangle{V: [3]int32{polygon[0], polygon[i-1], polygon[i]}, Solid: t.Solid})
	}
	return out
}
