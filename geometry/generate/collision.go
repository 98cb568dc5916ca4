package generate

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// clearance is the least distance between the axes of two branches that do
// not touch, over the sum of their radii.
const clearance = 1.1

// A ball is a sample of a branch: the sphere around a point of its axis that
// touches its wall.
type ball struct {
	center  r3.Vec
	radius  float64
	station float64
	branch  *branch
}

// reserved reports whether the ball lies ahead of its branch's end.
func (item ball) reserved() bool { return item.station > item.branch.line.length }

// balls covers the branch, drawn out to the given multiple of its length,
// with spheres half a radius apart.
func (b *branch) balls(drawnOut float64) []ball {
	length := drawnOut * b.line.length
	n := int(math.Ceil(length/(b.line.to/2))) + 1
	balls := make([]ball, n)
	for i := range balls {
		s := length * float64(i) / float64(n-1)
		balls[i] = ball{b.axis(s), b.line.radius(s), s, b}
	}
	return balls
}

// collides reports whether two balls are too close. Branches that meet at a
// junction are not held apart there: a branch from its parent nowhere, from
// its parent's sibling and its grandparent not before it has left its own
// sibling. What a branch reserved ahead of its end is void once it has
// divided.
func (item ball) collides(other ball) bool {
	parent := item.branch.parent
	if other.branch == parent || other.reserved() && other.branch.junction != nil {
		return false
	}
	factor := clearance
	if other.branch.parent == parent.parent || other.branch == parent.parent {
		if item.station < item.branch.start() {
			return false
		}
		factor = 1
	}
	reach := factor * (item.radius + other.radius)
	return r3.Norm2(r3.Sub(item.center, other.center)) < reach*reach
}

// A space holds the branches that are already there, in a sparse grid of
// cubes. Every size class of balls (by powers of two) has a grid of its own,
// so that a query looks at few cubes whatever the sizes.
type space struct {
	cubes map[cube][]ball
	least int // smallest size class
	most  int // largest size class
}

// A cube is a cell of the grid for balls of one size class.
type cube struct {
	class   int
	x, y, z int
}

func newSpace() *space {
	return &space{cubes: make(map[cube][]ball), least: math.MaxInt, most: math.MinInt}
}

// classOf returns the exponent of the power of two not below radius.
func classOf(radius float64) int {
	return int(math.Ceil(math.Log2(radius)))
}

// cubeAt returns the cube of the size class that holds p. Its side is the
// largest diameter of the class.
func cubeAt(class int, p r3.Vec) cube {
	side := math.Ldexp(2, class)
	return cube{
		class: class,
		x:     int(math.Floor(p.X / side)),
		y:     int(math.Floor(p.Y / side)),
		z:     int(math.Floor(p.Z / side)),
	}
}

// insert adds a branch and reserves the room ahead of it, up to the given
// multiple of its length.
func (s *space) insert(b *branch, room float64) {
	for _, item := range b.balls(room) {
		class := classOf(item.radius)
		s.least, s.most = min(s.least, class), max(s.most, class)
		at := cubeAt(class, item.center)
		s.cubes[at] = append(s.cubes[at], item)
	}
}

// free reports whether b keeps clear of all branches in the space.
func (s *space) free(b *branch) bool {
	return !s.meets(b, 1, false)
}

// roomy reports whether b and the room ahead of it, up to the given multiple
// of its length, keep clear of all branches in the space and of what they
// reserved.
func (s *space) roomy(b *branch, room float64) bool {
	return !s.meets(b, room, true)
}

// meets reports whether b, drawn out, comes too close to another branch or,
// if asked, to reserved room.
func (s *space) meets(b *branch, drawnOut float64, reserved bool) bool {
	for _, item := range b.balls(drawnOut) {
		for class := s.least; class <= s.most; class++ {
			if s.near(item, class, reserved) {
				return true
			}
		}
	}
	return false
}

// near reports whether a ball of the class comes too close to item.
func (s *space) near(item ball, class int, reserved bool) bool {
	reach := clearance * (item.radius + math.Ldexp(1, class))
	low := cubeAt(class, r3.Sub(item.center, r3.Vec{X: reach, Y: reach, Z: reach}))
	high := cubeAt(class, r3.Add(item.center, r3.Vec{X: reach, Y: reach, Z: reach}))
	for z := low.z; z <= high.z; z++ {
		for y := low.y; y <= high.y; y++ {
			for x := low.x; x <= high.x; x++ {
				for _, other := range s.cubes[cube{class, x, y, z}] {
					if (reserved || !other.reserved()) && item.collides(other) {
						return true
					}
				}
			}
		}
	}
	return false
}
