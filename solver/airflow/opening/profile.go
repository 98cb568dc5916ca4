package opening

import (
	"math"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// newProfile returns the velocity over an opening with prescribed flow, up to a
// factor, given how far from its centre its links lie at most.
func newProfile(kind Profile, grid *geometry.Grid, o *geometry.Opening, reach float64) func(position r3.Vec) float64 {
	switch kind {
	case Parabolic:
		square := o.Area / math.Pi
		return func(p r3.Vec) float64 {
			d := r3.Sub(p, o.Center)
			d = r3.Sub(d, r3.Scale(r3.Dot(d, o.Normal), o.Normal))
			return max(0, 1-r3.Norm2(d)/square)
		}
	case Developed:
		return newCrossSection(grid, o, reach).solve().at
	}
	return func(r3.Vec) float64 { return 1 }
}

// crossSection is the lumen in a plane shortly inside an opening, divided into
// squares of the grid's spacing.
type crossSection struct {
	origin, across, up r3.Vec // of square (0, 0), and the steps between squares
	n                  int    // squares a side
	inside             []bool
	velocity           []float64
}

// depthInside is how far inside an opening of a normal a plane lies, in cells, all
// points of which are in cells whose centres are inside, too: those that lie farther
// out may not be fluid. The last digits keep rounding from mattering.
func depthInside(n r3.Vec) float64 {
	return (math.Abs(n.X)+math.Abs(n.Y)+math.Abs(n.Z))/2 + 1e-6
}

// axisAcross is the axis that is most across a vector.
func axisAcross(v r3.Vec) r3.Vec {
	axis, least := r3.Vec{X: 1}, math.Abs(v.X)
	if a := math.Abs(v.Y); a < least {
		axis, least = r3.Vec{Y: 1}, a
	}
	if math.Abs(v.Z) < least {
		axis = r3.Vec{Z: 1}
	}
	return axis
}

// newCrossSection finds the squares of the lumen that belong to the opening, whose
// links lie within reach of its centre.
func newCrossSection(grid *geometry.Grid, o *geometry.Opening, reach float64) *crossSection {
	dx := grid.Spacing
	across := r3.Unit(r3.Cross(o.Normal, axisAcross(o.Normal)))
	c := &crossSection{across: r3.Scale(dx, across), up: r3.Scale(dx, r3.Cross(o.Normal, across))}
	// Openings are not thin slits: twice the radius of the area's circle reaches over
	// one, but not over several that act as one.
	half := int(math.Ceil(max(2*math.Sqrt(o.Area/math.Pi), reach)/dx)) + 2
	c.n = 2*half + 1
	center := r3.Sub(o.Center, r3.Scale(depthInside(o.Normal)*dx, o.Normal))
	// In openings along the grid squares are cells: between two cells rounding would choose.
	x, y, z := cellAt(grid, center)
	aside := r3.Sub(grid.Center(x, y, z), center)
	center = r3.Add(center, r3.Sub(aside, r3.Scale(r3.Dot(aside, o.Normal), o.Normal)))
	c.origin = r3.Sub(center, r3.Scale(float64(half), r3.Add(c.across, c.up)))
	fluid := make([]bool, c.n*c.n)
	for j := range c.n {
		for i := range c.n {
			fluid[j*c.n+i] = grid.Contains(cellAt(grid, c.position(i, j)))
		}
	}
	if c.inside = connected(fluid, c.n, half, half); !fluid[half*c.n+half] {
		c.inside = inner(fluid, c.n) // of openings that act as one, around the centre
	}
	return c
}

// cellAt is the cell that holds a point.
func cellAt(grid *geometry.Grid, p r3.Vec) (x, y, z int32) {
	p = r3.Scale(1/grid.Spacing, r3.Sub(p, grid.Origin))
	return int32(math.Floor(p.X)), int32(math.Floor(p.Y)), int32(math.Floor(p.Z))
}

func (c *crossSection) position(i, j int) r3.Vec {
	return r3.Add(c.origin, r3.Add(r3.Scale(float64(i), c.across), r3.Scale(float64(j), c.up)))
}

// connected returns the squares of a set that hang together with one of them.
func connected(set []bool, n, i, j int) []bool {
	reached := make([]bool, len(set))
	list := []int{j*n + i}
	for len(list) > 0 {
		at := list[len(list)-1]
		list = list[:len(list)-1]
		if x, y := at%n, at/n; x == 0 || y == 0 || x == n-1 || y == n-1 || reached[at] || !set[at] {
			continue
		}
		reached[at] = true
		list = append(list, at-1, at+1, at-n, at+n)
	}
	return reached
}

// inner returns the squares of a set that are not at the edge of its square.
func inner(set []bool, n int) []bool {
	inside := make([]bool, len(set))
	for j := 1; j < n-1; j++ {
		copy(inside[j*n+1:(j+1)*n-1], set[j*n+1:])
	}
	return inside
}

// solve computes the developed flow: Δu = −1 with u = 0 at the wall, half-way
// between squares, by successive over-relaxation.
func (c *crossSection) solve() *crossSection {
	c.velocity = make([]float64, len(c.inside))
	omega := 2 / (1 + math.Sin(math.Pi/float64(c.n)))
	sweeps := 10 * c.n
	for range sweeps {
		for at, inside := range c.inside {
			if !inside {
				continue
			}
			sum, weight := 1.0, 0.0
			for _, to := range [4]int{at - 1, at + 1, at - c.n, at + c.n} {
				if c.inside[to] {
					sum += c.velocity[to]
					weight++
				} else {
					weight += 2
				}
			}
			c.velocity[at] += omega * (sum/weight - c.velocity[at])
		}
	}
	return c
}

// at is the velocity at a position, interpolated between squares.
func (c *crossSection) at(p r3.Vec) float64 {
	d := r3.Sub(p, c.origin)
	x := r3.Dot(d, c.across) / r3.Norm2(c.across)
	y := r3.Dot(d, c.up) / r3.Norm2(c.up)
	i, j := int(math.Floor(x)), int(math.Floor(y))
	if i < 0 || j < 0 || i+1 >= c.n || j+1 >= c.n {
		return 0
	}
	x -= float64(i)
	y -= float64(j)
	v := c.velocity[j*c.n+i:]
	return (1-y)*((1-x)*v[0]+x*v[1]) + y*((1-x)*v[c.n]+x*v[c.n+1])
}
