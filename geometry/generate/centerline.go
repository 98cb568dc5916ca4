package generate

import (
	"math"
)

// A centerline is the axis of a tube in the plane in which it bends: it
// leaves the origin along +z, follows a circular arc towards +x, and goes on
// straight. Before the origin it is continued along −z, where it is the axis
// of the parent. The station s is the length along it, 0 at the origin.
//
// The tube around it has a circular cross-section in every plane
// perpendicular to it. Its radius changes from that of the parent to its own
// without a jump in slope or curvature, so that the wall of a daughter
// continues the wall of its parent smoothly (as in the bifurcations of
// Heistracher and Hofmann, J. Aerosol Sci. 26 (1995) 497–509).
type centerline struct {
	bend   float64 // radius of the arc, m
	angle  float64 // by which the arc turns, rad
	from   float64 // radius of the tube at s ≤ 0, m
	to     float64 // radius of the tube at s ≥ taper, m
	taper  float64 // length over which the radius changes, m
	length float64 // station of the end, m
}

// arc returns the station at which the arc ends.
func (c *centerline) arc() float64 { return c.bend * c.angle }

// radius returns the radius of the tube at station s.
func (c *centerline) radius(s float64) float64 {
	if c.taper == 0 {
		return c.to
	}
	return c.from + (c.to-c.from)*smootherstep(s/c.taper)
}

// at returns the position of station s and the angle between the tangent
// there and the z axis.
func (c *centerline) at(s float64) (x, z, turned float64) {
	if s <= 0 {
		return 0, s, 0
	}
	arc := c.arc()
	turned = c.angle
	if s < arc {
		turned = s / c.bend
	}
	sin, cos := math.Sincos(turned)
	x, z = c.bend*(1-cos), c.bend*sin
	if s > arc {
		x += (s - arc) * sin
		z += (s - arc) * cos
	}
	return x, z, turned
}

// project returns the station whose cross-section contains (x, z), and the
// distance of (x, z) from the axis, positive on the side to which it bends.
func (c *centerline) project(x, z float64) (s, offset float64) {
	if z <= 0 {
		return z, x
	}
	if turned := math.Atan2(z, c.bend-x); turned < c.angle {
		return c.bend * turned, c.bend - math.Hypot(c.bend-x, z)
	}
	sin, cos := math.Sincos(c.angle)
	x -= c.bend * (1 - cos)
	z -= c.bend * sin
	return c.arc() + x*sin + z*cos, x*cos - z*sin
}

// smootherstep rises from 0 to 1 for t in [0, 1], with slope and curvature
// zero at both ends.
func smootherstep(t float64) float64 {
	t = min(max(t, 0), 1)
	return t * t * t * (10 + t*(6*t-15))
}
