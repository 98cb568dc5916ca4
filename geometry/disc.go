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
