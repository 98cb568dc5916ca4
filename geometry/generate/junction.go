package generate

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// bendRatios are the radii of the daughters' arcs over the parent's radius,
// the preferred one first. The radius of the tube changes over the same
// length.
var bendRatios = [...]float64{3.5, 3, 2.5, 2}

const (
	// thinTaper is the length that the thinner daughter adds to its taper,
	// over the difference of the two radii: or it would, for a while, lie
	// inside the thicker one.
	thinTaper = 2.5
	// filletRatio is the range of the fillet over the thinner daughter's
	// radius.
	filletRatio = 0.5
	// filletRise is the height, over the radius of the bends, at which the
	// fillet has its full range.
	filletRise = 0.75
	// endMargin is the straight length that a branch keeps between the last
	// of its own bend, taper and carina and its end, in its radii.
	endMargin = 0.5
	// scanSteps and scanLength, in parent's radii, are those of the search
	// for the carina's tip.
	scanSteps  = 128
	scanLength = 8
	// bisections is the number of halvings of a bracket, to 10⁻¹² of it.
	bisections = 40
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
		rise:   filletRise * lines[0].bend,
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

// lengthen makes the daughters long enough for bend, taper and carina. It
// reports whether one of them was too short.
func (j *junction) lengthen() bool {
	lengthened := false
	for d := range j.lines {
		line := &j.lines[d]
		least := max(line.arc(), line.taper, j.tip[d]) + endMargin*line.to
		if line.length < least {
			line.length = least
			lengthened = true
		}
	}
	return lengthened
}

// findTip returns the station at which the inner side of daughter d leaves
// the other daughter's tube.
func (j *junction) findTip(d int) (float64, error) {
	outside := func(s float64) bool {
		p, k := j.inflated(d, s, math.Pi)
		return j.distance(1-d, p) >= k/4
	}
	length := scanLength * j.lines[d].from
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

// A ray runs from a point of a centreline to the wall, perpendicular to the
// centreline.
type ray struct{ from, direction r3.Vec }

// at returns the point of the ray at distance t from its start.
func (r ray) at(t float64) r3.Vec { return r3.Add(r.from, r3.Scale(t, r.direction)) }

// ray returns the ray from station s at angle psi, 0 on the outer side of the
// bend, in the centreline's own coordinates.
func (c *centerline) ray(s, psi float64) ray {
	x, z, turned := c.at(s)
	sin, cos := math.Sincos(turned)
	sinPsi, cosPsi := math.Sincos(psi)
	return ray{
		from:      r3.Vec{X: x, Z: z},
		direction: r3.Vec{X: cosPsi * cos, Y: sinPsi, Z: -cosPsi * sin},
	}
}

// ray returns the ray from station s of daughter d at angle psi, π towards
// the other daughter.
func (j *junction) ray(d int, s, psi float64) ray {
	r := j.lines[d].ray(s, psi)
	return ray{own(d, r.from), own(d, r.direction)}
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
	line := j.ray(d, s, psi)
	p := line.at(r)
	k := j.blend(p)
	// The range depends on the point and the point on the range, weakly.
	for range 4 {
		p = line.at(r + k/4)
		k = j.blend(p)
	}
	return p, k
}

// surface returns the distance from station s of daughter d, at angle psi, of
// the smooth union's surface. The point must be on the daughter's side of the
// crotch.
func (j *junction) surface(d int, s, psi float64) float64 {
	r := j.lines[d].radius(s)
	line := j.ray(d, s, psi)
	p := line.at(r)
	if k := j.blend(p); j.distance(1-d, p) >= k {
		return r
	}
	return bisect(r, r+j.fillet/4, func(t float64) bool {
		p := line.at(t)
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
