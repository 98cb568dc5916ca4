package validate

import (
	"math"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// shape is a lumen given by a function; lengths are in metres and the lowest
// corner of the box is the origin.
type shape struct {
	size     [3]int32
	spacing  float64
	periodic [3]bool
	// inside is positive in the lumen and negative outside.
	inside func(p r3.Vec) float64
	// openings are planes through Center that end the lumen.
	openings []geometry.Opening
}

// center is that of cell (x, y, z).
func (s *shape) center(x, y, z int32) r3.Vec {
	return r3.Scale(s.spacing, r3.Vec{X: float64(x) + 0.5, Y: float64(y) + 0.5, Z: float64(z) + 0.5})
}

// beyond returns the opening whose plane the point lies beyond, or −1.
func (s *shape) beyond(p r3.Vec) int {
	for i, o := range s.openings {
		if r3.Dot(r3.Sub(p, o.Center), o.Normal) > 0 {
			return i
		}
	}
	return -1
}

// fluid tells whether a cell, wrapped where periodic, is in the lumen.
func (s *shape) fluid(c [3]int32) bool {
	for a := range 3 {
		if s.periodic[a] {
			c[a] = (c[a] + s.size[a]) % s.size[a]
		} else if c[a] < 0 || c[a] >= s.size[a] {
			return false
		}
	}
	p := s.center(c[0], c[1], c[2])
	return s.inside(p) > 0 && s.beyond(p) < 0
}

// grid divides the shape into cells, with exact wall distances.
func (s *shape) grid() *geometry.Grid {
	g := &geometry.Grid{Spacing: s.spacing, Size: s.size, Openings: s.openings}
	l := &g.Links
	l.Directions = len(geometry.Directions)
	var number int64
	for z := range s.size[2] {
		for y := range s.size[1] {
			for x := range s.size[0] {
				if !s.fluid([3]int32{x, y, z}) {
					continue
				}
				if n := len(g.Runs); n > 0 && g.Runs[n-1] == (geometry.Run{X0: g.Runs[n-1].X0, X1: x, Y: y, Z: z}) {
					g.Runs[n-1].X1++
				} else {
					g.Runs = append(g.Runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
				}
				s.addLinks(l, number, x, y, z)
				number++
			}
		}
	}
	return g
}

// addLinks adds the links of one cell that leave the fluid.
func (s *shape) addLinks(l *geometry.Links, number int64, x, y, z int32) {
	var mask uint32
	from := s.center(x, y, z)
	for d, c := range geometry.Directions {
		if s.fluid([3]int32{x + int32(c.X), y + int32(c.Y), z + int32(c.Z)}) {
			continue
		}
		mask |= 1 << d
		fraction, opening := s.intersect(from, r3.Scale(s.spacing, r3.Vec{X: float64(c.X), Y: float64(c.Y), Z: float64(c.Z)}))
		if opening >= 0 {
			l.Openings = append(l.Openings, geometry.OpeningLink{Link: int64(len(l.Distance)), Number: uint16(opening + 1)})
		}
		l.Distance = append(l.Distance, uint16(math.Round(min(1, max(fraction, 1./65536))*65536-1)))
	}
	if mask != 0 {
		l.Append(number, mask)
	}
}

// intersect returns the fraction of a link at which it leaves the lumen, and the
// opening through which it does, or −1 for the wall.
func (s *shape) intersect(from, link r3.Vec) (fraction float64, opening int) {
	to := r3.Add(from, link)
	fraction, opening = 2, -1
	if s.inside(to) <= 0 {
		low, high := 0.0, 1.0
		for range 40 {
			if mid := (low + high) / 2; s.inside(r3.Add(from, r3.Scale(mid, link))) > 0 {
				low = mid
			} else {
				high = mid
			}
		}
		fraction = high
	}
	for i, o := range s.openings {
		along := r3.Dot(link, o.Normal)
		if along <= 0 {
			continue
		}
		if q := r3.Dot(r3.Sub(o.Center, from), o.Normal) / along; q <= 1 && q < fraction {
			fraction, opening = q, i
		}
	}
	return fraction, opening
}
