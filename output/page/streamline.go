package page

import (
	"math"
	"slices"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// streamline is the way of a massless particle, in units of voxels.
type streamline []waypoint

type waypoint struct {
	at r3.Vec
	// speed is in m/s, time since the start in seconds.
	speed, time float64
}

// mostStreamlines is how many are drawn.
const mostStreamlines = 180

// streamlines follows the air from the inlets, or to them where it leaves.
func (v *voxels) streamlines(openings []geometry.Opening) []streamline {
	if v.velocity == nil {
		return nil
	}
	fastest := float64(slices.Max(v.speed()))
	if !(fastest > 0) {
		return nil
	}
	var lines []streamline
	for _, o := range openings {
		if o.Role != geometry.Inlet {
			continue
		}
		seeds := v.seeds(o)
		inward := 0.0
		for _, s := range seeds {
			inward -= r3.Dot(v.velocityAt(s), o.Normal)
		}
		for _, s := range seeds {
			line := v.follow(s, math.Copysign(1, inward), fastest)
			if len(line) < 2 {
				continue
			}
			if inward < 0 {
				line.reverse()
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// seeds returns points spread evenly over the voxels just inside an opening.
func (v *voxels) seeds(o geometry.Opening) []r3.Vec {
	center := r3.Scale(1/v.spacing, r3.Sub(o.Center, v.origin))
	radius := math.Sqrt(o.Area/math.Pi) / v.spacing
	var near []r3.Vec
	for _, r := range v.runs {
		for x := r.X0; x < r.X1; x++ {
			c := r3.Vec{X: float64(x) + 0.5, Y: float64(r.Y) + 0.5, Z: float64(r.Z) + 0.5}
			d := r3.Sub(c, center)
			depth := -r3.Dot(d, o.Normal)
			if depth >= 1 && depth < 2.5 && r3.Norm(d) < 1.2*radius+2.5 {
				near = append(near, c)
			}
		}
	}
	// Air that hardly moves would draw the wall.
	fastest := 0.0
	for _, c := range near {
		fastest = max(fastest, r3.Norm(v.velocityAt(c)))
	}
	near = slices.DeleteFunc(near, func(c r3.Vec) bool { return r3.Norm(v.velocityAt(c)) < 0.15*fastest })
	if len(near) == 0 {
		return nil
	}
	var seeds []r3.Vec
	for i := range mostStreamlines {
		c := near[i*len(near)/mostStreamlines]
		// The R₃ sequence (M. Roberts, 2018) spreads points within the voxels.
		frac := func(f float64) float64 { return f - math.Floor(f) - 0.5 }
		seeds = append(seeds, r3.Add(c, r3.Vec{
			X: frac(float64(i) * 0.8191725134), Y: frac(float64(i) * 0.6710436067), Z: frac(float64(i) * 0.5497004779),
		}))
	}
	return seeds
}

// follow integrates with the midpoint rule, half a voxel at a time, until the
// line leaves the fluid or comes to rest.
func (v *voxels) follow(at r3.Vec, direction, fastest float64) streamline {
	const step = 0.5
	most := 8 * int(v.size[0]+v.size[1]+v.size[2])
	var line streamline
	time := 0.0
	for i := range most {
		u := v.velocityAt(at)
		speed := r3.Norm(u)
		if !v.inside(at) || speed < 1e-3*fastest {
			break
		}
		if i%2 == 0 {
			line = append(line, waypoint{at, speed, time})
		}
		half := r3.Add(at, r3.Scale(direction*step/2/speed, u))
		w := v.velocityAt(half)
		n := r3.Norm(w)
		if n == 0 {
			break
		}
		at = r3.Add(at, r3.Scale(direction*step/n, w))
		time += step * v.spacing / n
	}
	return line
}

// reverse turns a line that was followed backwards.
func (l streamline) reverse() {
	slices.Reverse(l)
	end := l[0].time
	for i := range l {
		l[i].time = end - l[i].time
	}
}

func (v *voxels) inside(p r3.Vec) bool {
	return v.at(int32(math.Floor(p.X)), int32(math.Floor(p.Y)), int32(math.Floor(p.Z))) >= 0
}

// velocityAt interpolates between the centres of voxels; where there is no
// fluid the air rests.
func (v *voxels) velocityAt(p r3.Vec) r3.Vec {
	x, y, z := p.X-0.5, p.Y-0.5, p.Z-0.5
	x0, y0, z0 := math.Floor(x), math.Floor(y), math.Floor(z)
	var sum r3.Vec
	for corner := range 8 {
		dx, dy, dz := float64(corner&1), float64(corner>>1&1), float64(corner>>2)
		i := v.at(int32(x0+dx), int32(y0+dy), int32(z0+dz))
		if i < 0 {
			continue
		}
		weight := (1 - math.Abs(x-x0-dx)) * (1 - math.Abs(y-y0-dy)) * (1 - math.Abs(z-z0-dz))
		u := v.velocity[i]
		sum = r3.Add(sum, r3.Scale(weight, r3.Vec{X: float64(u[0]), Y: float64(u[1]), Z: float64(u[2])}))
	}
	return sum
}
