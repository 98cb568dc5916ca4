package solver

import (
	"math"

	"carina/geometry"
	"carina/solver/lattice"

	"gonum.org/v1/gonum/spatial/r3"
)

// profile is a velocity over an opening, up to a factor.
type profile func(position r3.Vec) float64

// newProfile returns the profile of an opening with prescribed flow.
func newProfile(kind Profile, grid *geometry.Grid, o *geometry.Opening) profile {
	switch kind {
	case Parabolic:
		square := o.Area / math.Pi
		return func(p r3.Vec) float64 {
			d := r3.Sub(p, o.Center)
			d = r3.Sub(d, r3.Scale(r3.Dot(d, o.Normal), o.Normal))
			return max(0, 1-r3.Norm2(d)/square)
		}
	case Developed:
		return newCrossSection(grid, o).solve().at
	}
	return func(r3.Vec) float64 { return 1 }
}

// openingProfile is what is imposed at an opening with prescribed flow.
//
// Ladd's moving wall, f_ī = f*_i − 6w c·u, knows a link's velocity u = −u_n n and
// what its gradient along the link makes of it, but not that of the pressure of
// the equilibrium, w(9/2 (c·u)² − 3/2 u²). What relaxes of that with the odd part
// of the populations would leave the wall with a velocity of its own across the
// normal, toward the axis, and the flow would need lengths of the pipe to become
// the developed one. By Chapman and Enskog's expansion, as at pressure openings
// (openingState.arriving), what comes back in parallel flow has besides
//
//	(2τ₋−1) w (9/2 c_n² − 3/2) c_t·∇u_n²
type openingProfile struct {
	// at has a mean of one over the links.
	at profile
	// excess is the mean of what squared returns, which is only about zero where
	// the opening ends: it is taken off, so that as much enters as shall.
	excess float64
}

// openingProfiles returns for every opening the profile of its flow.
func openingProfiles(grid *geometry.Grid, set *lattice.Set, list []openingState) ([]openingProfile, error) {
	profiles := make([]openingProfile, len(list))
	for i := range list {
		if profiles[i].at = list[i].condition.Shape; profiles[i].at == nil {
			profiles[i].at = newProfile(list[i].condition.Profile, grid, &grid.Openings[i])
		}
	}
	sums := make([]float64, len(list))
	if err := openingLinks(grid, set, func(o, i int, at r3.Vec) {
		sums[o] += linkArea(set, i, &grid.Openings[o]) * profiles[o].at(at)
	}); err != nil {
		return nil, err
	}
	for i, p := range profiles {
		if sums[i] <= 0 {
			profiles[i].at = func(r3.Vec) float64 { return 1 }
			continue
		}
		scale := list[i].area / sums[i]
		profiles[i].at = func(at r3.Vec) float64 { return scale * p.at(at) }
	}
	err := openingLinks(grid, set, func(o, i int, at r3.Vec) {
		if a := list[o].area; a > 0 {
			profiles[o].excess += profiles[o].squared(grid, set, i, &list[o], at) / a
		}
	})
	return profiles, err
}

// squared is what comes back besides along a link in direction of population i,
// given its middle, for a flow of one cell volume per cell face and step; it
// grows with the flow's square.
func (p *openingProfile) squared(grid *geometry.Grid, set *lattice.Set, i int, state *openingState, middle r3.Vec) float64 {
	v := set.Velocities[i]
	c := r3.Vec{X: float64(v[0]), Y: float64(v[1]), Z: float64(v[2])}
	n := r3.Vec{X: state.normal[0], Y: state.normal[1], Z: state.normal[2]}
	along := r3.Dot(c, n)
	// The middles of this link and of its mirror image across the normal.
	here := p.at(middle)
	there := p.at(r3.Sub(middle, r3.Scale(grid.Spacing, r3.Sub(c, r3.Scale(along, n)))))
	if here == 0 || there == 0 { // beyond the wall there is no gradient
		return 0
	}
	return (2*state.oddTime - 1) * set.Weights[i] * (4.5*along*along - 1.5) * (here*here - there*there)
}

// crossSection is the lumen in the plane half a cell inside an opening,
// divided into squares of the grid's spacing.
type crossSection struct {
	origin, across, up r3.Vec // of square (0, 0), and the steps between squares
	n                  int    // squares a side
	inside             []bool
	velocity           []float64
}

// newCrossSection finds the squares of the lumen that belong to the opening.
func newCrossSection(grid *geometry.Grid, o *geometry.Opening) *crossSection {
	dx := grid.Spacing
	aside := r3.Vec{X: 1}
	if math.Abs(o.Normal.X) > 0.7 {
		aside = r3.Vec{Y: 1}
	}
	across := r3.Unit(r3.Cross(o.Normal, aside))
	c := &crossSection{across: r3.Scale(dx, across), up: r3.Scale(dx, r3.Cross(o.Normal, across))}
	// Openings are not thin slits: twice the radius of the area's circle reaches over them.
	half := int(math.Ceil(2*math.Sqrt(o.Area/math.Pi)/dx)) + 2
	c.n = 2*half + 1
	center := r3.Sub(o.Center, r3.Scale(dx/2, o.Normal))
	c.origin = r3.Sub(center, r3.Scale(float64(half), r3.Add(c.across, c.up)))
	fluid := make([]bool, c.n*c.n)
	for j := range c.n {
		for i := range c.n {
			p := r3.Scale(1/dx, r3.Sub(c.position(i, j), grid.Origin))
			fluid[j*c.n+i] = grid.Contains(int32(math.Floor(p.X)), int32(math.Floor(p.Y)), int32(math.Floor(p.Z)))
		}
	}
	c.inside = connected(fluid, c.n, half, half)
	return c
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
