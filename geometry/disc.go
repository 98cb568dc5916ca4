package geometry

import (
	"fmt"
	"math"

	"carina/geometry/mesh"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// Disc is an opening placed by hand: a plane through Center cuts the lumen,
// which there lies within Radius of it, and what is beyond is left out.
type Disc struct {
	// Center lies inside the lumen, in metres, or on a flat face, which is the
	// opening then and not cut.
	Center r3.Vec
	// Radius reaches around the lumen's section, in metres.
	Radius float64
	// Normal points out of the lumen; zero lets the program choose the plane
	// of the smallest section, and the smaller side as the outside.
	Normal r3.Vec
	Name   string
}

func (d *Disc) String() string {
	return fmt.Sprintf("opening %q at (%.4g, %.4g, %.4g) mm with radius %s", d.Name, d.Center.X*1e3, d.Center.Y*1e3, d.Center.Z*1e3, quantity.FormatLength(d.Radius))
}

// place finds the plane of a disc on a closed surface and what it cuts off.
func (d *Disc) place(s *mesh.Mesh, h *mesh.Hierarchy, t *mesh.Topology) (*mesh.Cut, error) {
	if !(d.Radius > 0) || math.IsInf(d.Radius, 0) {
		return nil, fmt.Errorf("%v: the radius must be positive", d)
	}
	c := &mesh.Cut{Name: d.String(), Plane: mesh.Plane{At: d.Center}}
	if d.Normal != (r3.Vec{}) {
		c.Plane.Normal = r3.Unit(d.Normal)
		c.Section = h.SectionWithin(c.Plane, d.Radius)
	} else {
		c.Plane, c.Section = h.SmallestSection(d.Center, d.Radius)
	}
	if c.Section == nil {
		return nil, fmt.Errorf("%v: no plane there cuts the lumen within that radius: move the center into the lumen or enlarge the radius", d)
	}
	var lower []int32
	if c.Upper, lower = c.Section.Sides(s, t, &c.Plane); d.Normal == (r3.Vec{}) && s.AreaOf(c.Upper) > s.AreaOf(lower) {
		c.Plane.Normal = r3.Scale(-1, c.Plane.Normal)
		if c.Section = h.SectionWithin(c.Plane, d.Radius); c.Section == nil {
			return nil, fmt.Errorf("%v: the section there is not clean: move the center a little", d)
		}
		c.Upper, _ = c.Section.Sides(s, t, &c.Plane)
	}
	if c.Upper == nil {
		return nil, fmt.Errorf("%v: the plane does not divide the lumen, since its sides are connected elsewhere: choose another place", d)
	}
	return c, nil
}

// A disc lies on a face within so many of its radii; the face's triangles lie so
// near to its plane, too, and have normals of this cosine to its own.
const faceReach, faceCos = 0.01, 0.99

// face returns the triangles of the flat face on which the disc's centre lies.
func (d *Disc) face(s *mesh.Mesh, topology *mesh.Topology) []int32 {
	if d.Normal != (r3.Vec{}) {
		return nil
	}
	for t := range s.Triangles {
		n, ok := d.liesOn(s, t)
		if !ok {
			continue
		}
		face, seen := []int32{int32(t)}, map[int32]bool{int32(t): true}
		for i := 0; i < len(face); i++ {
			for side := 3 * face[i]; side < 3*face[i]+3; side++ {
				m := topology.Mate[side] / 3
				if topology.Mate[side] < 0 || seen[m] || !d.inPlane(s, int(m), n) {
					continue
				}
				seen[m] = true
				face = append(face, m)
			}
		}
		return face
	}
	return nil
}

// inPlane reports whether a triangle lies in the plane through the disc's centre.
func (d *Disc) inPlane(s *mesh.Mesh, t int, normal r3.Vec) bool {
	p := mesh.Plane{At: d.Center, Normal: normal}
	for _, v := range s.Triangles[t].V {
		if math.Abs(p.Height(s.Vertices[v])) > faceReach*d.Radius {
			return false
		}
	}
	area := s.AreaVector(t)
	return r3.Dot(area, normal) >= faceCos*r3.Norm(area)
}

// liesOn returns the normal of a triangle on which the disc's centre lies.
func (d *Disc) liesOn(s *mesh.Mesh, t int) (normal r3.Vec, ok bool) {
	area := s.AreaVector(t)
	if area == (r3.Vec{}) {
		return normal, false
	}
	normal = r3.Unit(area)
	a, b, c := s.Corners(t)
	for _, side := range [3][2]r3.Vec{{a, b}, {b, c}, {c, a}} {
		if r3.Dot(normal, r3.Cross(r3.Unit(r3.Sub(side[1], side[0])), r3.Sub(d.Center, side[0]))) < -faceReach*d.Radius {
			return normal, false
		}
	}
	p := mesh.Plane{At: a, Normal: normal}
	return normal, math.Abs(p.Height(d.Center)) <= faceReach*d.Radius
}
