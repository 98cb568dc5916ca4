package mesh

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// Cut is a plane across a tube, with the normal pointing out of the lumen, the
// Section there and the triangles beyond.
type Cut struct {
	// Name says in errors whose cut it is.
	Name    string
	Plane   Plane
	Section *Section
	Upper   []int32
}

// AreaOf returns the area of some triangles.
func (s *Mesh) AreaOf(triangles []int32) float64 {
	var sum float64
	for _, t := range triangles {
		sum += r3.Norm(s.AreaVector(int(t)))
	}
	return sum
}

// SectionWithin returns the section around the plane's point if it lies
// within the radius.
func (h *Hierarchy) SectionWithin(p Plane, radius float64) *Section {
	s := h.SectionAround(p, 1.1*radius)
	if s == nil {
		return nil
	}
	for _, c := range s.Corners {
		if r3.Norm(r3.Sub(c, p.At)) > radius {
			return nil
		}
	}
	return s
}

// SmallestSection turns a plane about a point until its section is smallest:
// first over directions all around, then around the best of these in ever
// smaller steps.
func (h *Hierarchy) SmallestSection(at r3.Vec, radius float64) (Plane, *Section) {
	best, p := (*Section)(nil), Plane{At: at}
	try := func(normal r3.Vec) {
		q := Plane{at, normal}
		if s := h.SectionWithin(q, radius); s != nil && (best == nil || s.Area < best.Area) {
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
			e1, e2 := Perpendicular(p.Normal)
			n := p.Normal
			for _, d := range [4]r3.Vec{e1, r3.Scale(-1, e1), e2, r3.Scale(-1, e2)} {
				try(r3.Unit(r3.Add(n, r3.Scale(step, d))))
			}
			again = best != before
		}
	}
	return p, best
}

// Sides lists the triangles above and below a section, without those that it
// passes, or nil when the two hang together elsewhere.
func (c *Section) Sides(s *Mesh, t *Topology, p *Plane) (upper, lower []int32) {
	const passed, above, below = 1, 2, 3
	mark := make([]byte, len(s.Triangles))
	for _, i := range c.Triangles {
		mark[i] = passed
	}
	spread := func(up bool, as byte) ([]int32, bool) {
		var queue []int32
		clean := true
		visit := func(side int32) {
			m := t.Mate[side]
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
		for _, i := range c.Triangles {
			for side := 3 * i; side < 3*i+3; side++ {
				a, b := s.Side(side)
				if (p.Height(s.Vertices[a]) >= 0) == up && (p.Height(s.Vertices[b]) >= 0) == up {
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

// ApplyCuts returns the surface without what lies beyond the cuts, with the
// triangles that they pass cut at the planes, and with a cap over each
// Section; the numbers of the caps' triangles; and for every old triangle its
// new number or -1.
func ApplyCuts(s *Mesh, cuts []*Cut) (out *Mesh, caps [][]int32, kept []int32, err error) {
	kept = make([]int32, len(s.Triangles))
	by := make([]*Cut, len(s.Triangles))
	for _, c := range cuts {
		for _, t := range c.Upper {
			kept[t] = -1
		}
		for _, t := range c.Section.Triangles {
			if by[t] != nil {
				return nil, nil, nil, fmt.Errorf("%s and %s cut each other: leave one of them out", c.Name, by[t].Name)
			}
			by[t] = c
		}
	}
	for t, c := range by {
		if c != nil && kept[t] < 0 {
			return nil, nil, nil, fmt.Errorf("%s lies beyond another opening: leave one of them out", c.Name)
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
		caps = append(caps, c.Apply(s, out))
	}
	return out, caps, kept, nil
}

// Apply adds the lower parts of the passed triangles and a cap over the
// Section to out, and returns the numbers of the cap's triangles.
func (c *Cut) Apply(s, out *Mesh) (caps []int32) {
	corner := map[EdgeKey]int32{}
	loop := make([]int32, len(c.Section.edges))
	for i, e := range c.Section.edges {
		loop[i] = int32(len(out.Vertices) + i)
		corner[e] = loop[i]
	}
	out.Vertices = append(out.Vertices, c.Section.Corners...)
	for _, t := range c.Section.Triangles {
		out.Triangles = append(out.Triangles, clipTriangle(s, &c.Plane, s.Triangles[t], corner)...)
	}
	// The rest of the passed triangles walks the section forwards, so the cap
	// walks it backwards.
	e1, e2 := Perpendicular(c.Plane.Normal)
	for _, t := range triangulate(planar(c.Section.Corners, c.Plane.At, e1, e2)) {
		caps = append(caps, int32(len(out.Triangles)))
		out.Triangles = append(out.Triangles, Triangle{V: [3]int32{loop[t[2]], loop[t[1]], loop[t[0]]}, Solid: int32(len(out.Solids) - 1)})
	}
	return caps
}

// clipTriangle returns the part of a triangle below the plane.
func clipTriangle(s *Mesh, p *Plane, t Triangle, corner map[EdgeKey]int32) []Triangle {
	var polygon []int32
	for i, v := range t.V {
		next := t.V[(i+1)%3]
		up, nextUp := p.Height(s.Vertices[v]) >= 0, p.Height(s.Vertices[next]) >= 0
		if !up {
			polygon = append(polygon, v)
		}
		if up != nextUp {
			polygon = append(polygon, corner[NewEdgeKey(v, next)])
		}
	}
	var out []Triangle
	for i := 2; i < len(polygon); i++ {
		out = append(out, Triangle{V: [3]int32{polygon[0], polygon[i-1], polygon[i]}, Solid: t.Solid})
	}
	return out
}
