package geometry

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// Disc is an opening placed by hand: a plane through Center cuts the lumen,
// which there lies within Radius of it, and what is beyond is left out.
type Disc struct {
	// Center lies inside the lumen, in metres.
	Center r3.Vec
	// Radius reaches around the lumen's section, in metres.
	Radius float64
	// Normal points out of the lumen; zero lets the program choose the plane
	// of the smallest section, and the smaller side as the outside.
	Normal r3.Vec
	Name   string
}

func (d *Disc) String() string {
	return fmt.Sprintf("opening %q at (%.4g, %.4g, %.4g) mm with radius %.4g mm", d.Name, d.Center.X*1e3, d.Center.Y*1e3, d.Center.Z*1e3, d.Radius*1e3)
}

// place finds the plane of a disc on a closed surface, its normal pointing out
// of the lumen.
func (d *Disc) place(s *Surface, h *hierarchy, t *topology) (plane, error) {
	p := plane{at: d.Center}
	if !(d.Radius > 0) || math.IsInf(d.Radius, 0) {
		return p, fmt.Errorf("%v: the radius must be positive", d)
	}
	var cut *section
	if d.Normal != (r3.Vec{}) {
		p.normal = r3.Unit(d.Normal)
		cut = h.sectionWithin(p, d.Radius)
	} else {
		p, cut = h.smallestSection(d.Center, d.Radius)
	}
	if cut == nil {
		return p, fmt.Errorf("%v: no plane there cuts the lumen within that radius: move the center into the lumen or enlarge the radius", d)
	}
	upper, lower := cut.sides(s, t, &p)
	if upper == nil {
		return p, fmt.Errorf("%v: the plane does not divide the lumen, since its sides are connected elsewhere: choose another place", d)
	}
	if d.Normal == (r3.Vec{}) && area(s, upper) > area(s, lower) {
		p.normal = r3.Scale(-1, p.normal)
	}
	return p, nil
}

// cutDisc cuts a closed surface at the plane of a disc. It returns the surface
// without the part beyond, closed by a flat cap, the numbers of the cap's
// triangles, and for every old triangle its new number or -1.
func cutDisc(s *Surface, d Disc, p plane) (out *Surface, caps, kept []int32, err error) {
	cut := newHierarchy(s).sectionWithin(p, d.Radius)
	if cut == nil {
		return nil, nil, nil, fmt.Errorf("%v: another opening has cut off this place: leave one of them out", &d)
	}
	upper, _ := cut.sides(s, newTopology(s), &p)
	if upper == nil {
		return nil, nil, nil, fmt.Errorf("%v: the plane does not divide the lumen: move the center a little", &d)
	}
	out, caps, kept = cut.apply(s, &p, upper)
	return out, caps, kept, nil
}

func area(s *Surface, triangles []int32) float64 {
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
func (c *section) sides(s *Surface, t *topology, p *plane) (upper, lower []int32) {
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

// apply returns the surface without the triangles above the section, with the
// passed ones cut at the plane, and with a cap over the section.
func (c *section) apply(s *Surface, p *plane, upper []int32) (cut *Surface, caps, kept []int32) {
	out := *s
	out.Vertices = append(slices.Clone(s.Vertices), c.corners...)
	kept = make([]int32, len(s.Triangles))
	for _, t := range upper {
		kept[t] = -1
	}
	corner := map[edgeKey]int32{}
	loop := make([]int32, len(c.edges))
	for i, e := range c.edges {
		loop[i] = int32(len(s.Vertices) + i)
		corner[e] = loop[i]
	}
	for _, t := range c.triangles {
		kept[t] = -1
	}
	out.Triangles = make([]Triangle, 0, len(s.Triangles))
	for i := range s.Triangles {
		if kept[i] == 0 {
			kept[i] = int32(len(out.Triangles))
			out.Triangles = append(out.Triangles, s.Triangles[i])
		}
	}
	for _, t := range c.triangles {
		out.Triangles = append(out.Triangles, clipTriangle(s, p, s.Triangles[t], corner)...)
	}
	solid := int32(len(s.Solids))
	out.Solids = append(slices.Clone(s.Solids), "")
	// The rest of the passed triangles walks the section forwards, so the cap
	// walks it backwards.
	e1, e2 := perpendicular(p.normal)
	for _, t := range triangulate(planar(c.corners, p.at, e1, e2)) {
		caps = append(caps, int32(len(out.Triangles)))
		out.Triangles = append(out.Triangles, Triangle{V: [3]int32{loop[t[2]], loop[t[1]], loop[t[0]]}, Solid: solid})
	}
	return &out, caps, kept
}

// clipTriangle returns the part of a triangle below the plane.
func clipTriangle(s *Surface, p *plane, t Triangle, corner map[edgeKey]int32) []Triangle {
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
