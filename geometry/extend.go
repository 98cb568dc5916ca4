package geometry

import (
	"fmt"
	"math"

	"carina/geometry/mesh"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// maxExtension is the most diameters that openings are lengthened by; beyond
// it the number was meant for something else.
const maxExtension = 100

// extend lengthens the lumen at every opening by a straight piece of the
// opening's own outline and closes it with a flat end. The diameter of an
// opening is that of the disc of the same area.
func (p *Prepared) extend(options *Options) error {
	diameters, length := options.ExtendDiameters, options.ExtendLength
	if !(diameters >= 0 && diameters <= maxExtension && length >= 0) {
		return fmt.Errorf("openings can be lengthened by 0 to %d diameters, not %g (or %s)", maxExtension, diameters, quantity.FormatLength(length))
	}
	if diameters == 0 && length == 0 {
		return nil
	}
	patches := make([][]int32, len(p.Openings))
	for t, n := range p.Opening {
		if n > 0 {
			patches[n-1] = append(patches[n-1], int32(t))
		}
	}
	walls := len(p.Surface.Triangles)
	for i := range p.Openings {
		o := &p.Openings[i]
		p.extrude(o, patches[i], length+diameters*2*math.Sqrt(o.Area/math.Pi))
	}
	p.Volume, p.Area = p.Surface.Volume(), p.Surface.Area()
	p.warnOfCollisions(walls)
	return nil
}

// extrude moves the triangles of an opening outwards and puts a wall where
// they were bordered.
func (p *Prepared) extrude(o *Opening, patch []int32, length float64) {
	s := p.Surface
	own := make(map[int32]bool, len(patch))
	for _, t := range patch {
		own[t] = true
	}
	// Sides inside the patch come in both directions.
	border := map[[2]int32]bool{}
	for _, t := range patch {
		for k := int32(0); k < 3; k++ {
			a, b := s.Side(3*t + k)
			if border[[2]int32{b, a}] {
				delete(border, [2]int32{b, a})
			} else {
				border[[2]int32{a, b}] = true
			}
		}
	}
	moved := map[int32]int32{}
	end := r3.Add(o.Center, r3.Scale(length, o.Normal))
	move := func(v int32) int32 {
		if n, ok := moved[v]; ok {
			return n
		}
		at := s.Vertices[v]
		at = r3.Add(at, r3.Scale(r3.Dot(o.Normal, r3.Sub(end, at)), o.Normal))
		n := int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, at)
		moved[v] = n
		return n
	}
	for _, t := range patch {
		for k := int32(0); k < 3; k++ {
			a, b := s.Side(3*t + k)
			if border[[2]int32{a, b}] {
				c, d := move(a), move(b)
				s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{a, b, d}}, mesh.Triangle{V: [3]int32{a, d, c}})
				p.Opening = append(p.Opening, 0, 0)
			}
		}
	}
	var area r3.Vec
	for _, t := range patch {
		for k, v := range s.Triangles[t].V {
			s.Triangles[t].V[k] = move(v)
		}
		area = r3.Add(area, s.AreaVector(int(t)))
	}
	o.Center = end
	o.Area = r3.Dot(area, o.Normal)
}

// warnOfCollisions searches for new walls, from triangle number first on, that
// run into others.
func (p *Prepared) warnOfCollisions(first int) {
	p.tree = mesh.NewHierarchy(&p.Surface.Mesh)
	pierced := p.tree.Pierced()
	hit := 0
	for t := first; t < len(pierced); t++ {
		if pierced[t] {
			hit++
		}
	}
	if hit > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the lengthened openings run into other walls (%s): lengthen them less", quantity.Count(hit, "triangle")))
	}
}
