package generate

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// Proportions of a junction, in radii of the parent or of the smaller
// daughter.
const (
	bendRatio   = 2.0 // radius of the daughters' arcs over the parent's radius
	taperRatio  = 2.0 // length over which the radius changes over the parent's radius
	thinTaper   = 2.5 // what the thinner daughter adds to that, over the difference of the two radii
	filletRatio = 0.5 // range of the fillet over the smaller daughter's radius
	filletRise  = 1.5 // parent radii after which the fillet is fully there
	scanSteps   = 400 // of the search for the carina's tip
	bisections  = 48  // halvings of a bracket: to the last bits of a float64
)

// errInseparable says that two daughters do not part along their length.
var errInseparable = errors.New("the two branches do not separate")

// A junction is the place where a branch divides into two. Its coordinates
// are those of the frame at the parent's end: daughter 0 bends towards +x,
// daughter 1 towards −x. Every daughter also has coordinates of its own,
// turned by 180° about z for daughter 1, in which it bends towards +x.
//
// The lumen is the smooth union of the two daughters' tubes, which both begin
// as the continuation of the parent. The crotch is the curve on its surface
// that is equally far from both tubes; each daughter's part of the surface is
// a graph over station and angle around its own centreline.
type junction struct {
	lines  [2]centerline
	fillet float64    // range of the smooth union's blend at the carina, m
	rise   float64    // z at which the fillet has its full range, m
	tip    [2]float64 // stations of the carina's tip on both centrelines
}

// newJunction finds where the two tubes part.
func newJunction(lines [2]centerline) (*junction, error) {
	j := &junction{
		lines:  lines,
		fillet: filletRatio * min(lines[0].to, lines[1].to),
		rise:   filletRise * lines[0].from,
	}
	for d := range j.lines {
		s, err := j.findTip(d)
		if err != nil {
			return nil, err
		}
		j.tip[d] = s
	}
	return j, nil
}

// findTip returns the station at which the inner side of daughter d leaves
// the other daughter's tube.
func (j *junction) findTip(d int) (float64, error) {
	outside := func(s float64) bool {
		p, k := j.inflated(d, s, math.Pi)
		return j.distance(1-d, p) >= k/4
	}
	length := 6 * j.lines[d].from
	low := length / scanSteps
	if outside(low) {
		return 0, errInseparable
	}
	for i := 2; i <= scanSteps; i++ {
		high := length * float64(i) / scanSteps
		if outside(high) {
			return bisect(low, high, outside), nil
		}
		low = high
	}
	return 0, errInseparable
}

// bisect returns the place between low, where found is false, and high, where
// it is true, at which it changes.
func bisect(low, high float64, found func(float64) bool) float64 {
	for range bisections {
		middle := (low + high) / 2
		if found(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return (low + high) / 2
}

// own turns coordinates of the junction into those of daughter d, and back.
func own(d int, p r3.Vec) r3.Vec {
	if d == 1 {
		p.X, p.Y = -p.X, -p.Y
	}
	return p
}

// point returns the place at distance t from station s of daughter d, at
// angle psi: 0 on the outer side of the bend, π towards the other daughter.
func (j *junction) point(d int, s, psi, t float64) r3.Vec {
	return own(d, j.lines[d].point(s, psi, t))
}

// point returns the place at distance t from station s at angle psi, in the
// centreline's own coordinates.
func (c *centerline) point(s, psi, t float64) r3.Vec {
	x, z, turned := c.at(s)
	sin, cos := math.Sincos(turned)
	sinPsi, cosPsi := math.Sincos(psi)
	return r3.Vec{X: x + t*cosPsi*cos, Y: t * sinPsi, Z: z - t*cosPsi*sin}
}

// distance returns how far p lies outside the tube of daughter d, measured in
// the cross-section through p.
func (j *junction) distance(d int, p r3.Vec) float64 {
	p = own(d, p)
	line := &j.lines[d]
	s, offset := line.project(p.X, p.Z)
	return math.Hypot(offset, p.Y) - line.radius(s)
}

// blend returns the range of the smooth union at p. It grows from zero at the
// parent's end, where the two tubes are one and need no fillet.
func (j *junction) blend(p r3.Vec) float64 {
	return j.fillet * smootherstep(p.Z/j.rise)
}

// inflated returns the point at station s and angle psi that is a quarter of
// the blend's range outside the tube of daughter d, and that range. Where two
// tubes are equally far, the smooth union's surface is there.
func (j *junction) inflated(d int, s, psi float64) (r3.Vec, float64) {
	r := j.lines[d].radius(s)
	p := j.point(d, s, psi, r)
	k := j.blend(p)
	// The range depends on the point and the point on the range, weakly.
	for range 4 {
		p = j.point(d, s, psi, r+k/4)
		k = j.blend(p)
	}
	return p, k
}

// surface returns the distance from station s of daughter d, at angle psi, of
// the smooth union's surface. The point must be on the daughter's side of the
// crotch.
func (j *junction) surface(d int, s, psi float64) float64 {
	r := j.lines[d].radius(s)
	p := j.point(d, s, psi, r)
	if k := j.blend(p); j.distance(1-d, p) >= k {
		return r
	}
	return bisect(r, r+j.fillet/4, func(t float64) bool {
		p := j.point(d, s, psi, t)
		return smoothMin(t-r, j.distance(1-d, p), j.blend(p)) >= 0
	})
}

// smoothMin is the minimum of a and b, rounded where they differ by less than
// k: the polynomial smooth minimum of degree two, k/4 below a where a = b.
func smoothMin(a, b, k float64) float64 {
	h := k - math.Abs(a-b)
	if h <= 0 {
		return min(a, b)
	}
	return min(a, b) - h*h/(4*k)
}
