package generate

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// A frame is a right-handed orthonormal system: along points down the branch,
// side is the direction in which it bends, across is perpendicular to the
// plane of the bend.
type frame struct {
	origin, side, across, along r3.Vec
}

// world returns the place of the point with coordinates p in f.
func (f frame) world(p r3.Vec) r3.Vec {
	w := r3.Add(f.origin, r3.Scale(p.X, f.side))
	w = r3.Add(w, r3.Scale(p.Y, f.across))
	return r3.Add(w, r3.Scale(p.Z, f.along))
}

// turned returns f turned about along by angle.
func (f frame) turned(angle float64) frame {
	sin, cos := math.Sincos(angle)
	return frame{
		origin: f.origin,
		side:   r3.Add(r3.Scale(cos, f.side), r3.Scale(sin, f.across)),
		across: r3.Sub(r3.Scale(cos, f.across), r3.Scale(sin, f.side)),
		along:  f.along,
	}
}

// after returns the frame at station s of a centreline that starts at f.
func (f frame) after(c *centerline, s float64) frame {
	x, z, turned := c.at(s)
	sin, cos := math.Sincos(turned)
	return frame{
		origin: f.world(r3.Vec{X: x, Z: z}),
		side:   r3.Unit(r3.Sub(r3.Scale(cos, f.side), r3.Scale(sin, f.along))),
		across: f.across,
		along:  r3.Unit(r3.Add(r3.Scale(sin, f.side), r3.Scale(cos, f.along))),
	}
}
