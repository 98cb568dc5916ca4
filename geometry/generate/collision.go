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

// balls covers the branch with spheres, half a radius apart.
func (b *branch) balls() []ball {
	n := int(math.Ceil(b.line.length/(b.line.to/2))) + 1
	balls := make([]ball, n)
	for i := range balls {
		s := b.line.length * float64(i) / float64(n-1)
		balls[i] = ball{b.axis(s), b.line.radius(s), s, b}
	}
	return balls
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

// side returns the side of the cubes for a size class: the largest diameter.
func (c cube) side() float64 { return math.Ldexp(2, c.class) }

func cubeAt(class int, p r3.Vec) cube {
	side := cube{class: class}.side()
	return cube{
		class: class,
		x:     int(math.Floor(p.X / side)),
		y:     int(math.Floor(p.Y / side)),
		z:     int(math.Floor(p.Z / side)),
	}
}

// insert adds a branch.
func (s *space) insert(b *branch) {
	for _, item := range b.balls() {
		class := classOf(item.radius)
		s.least, s.most = min(s.least, class), max(s.most, class)
		at := cubeAt(class, item.center)
		s.cubes[at] = append(s.cubes[at], item)
	}
}

// free reports whether b keeps clear of all branches in the space.
func (s *space) free(b *branch) bool {
	for _, item := range b.balls() {
		for class := s.least; class <= s.most; class++ {
			if s.near(item, class) {
				return false
			}
		}
	}
	return true
}

// near reports whether a ball of the class comes too close to item.
func (s *space) near(item ball, class int) bool {
	reach := clearance * (item.radius + math.Ldexp(1, class))
	low := cubeAt(class, r3.Sub(item.center, r3.Vec{X: reach, Y: reach, Z: reach}))
	high := cubeAt(class, r3.Add(item.center, r3.Vec{X: reach, Y: reach, Z: reach}))
	for z := low.z; z <= high.z; z++ {
		for y := low.y; y <= high.y; y++ {
			for x := low.x; x <= high.x; x++ {
				for _, other := range s.cubes[cube{class, x, y, z}] {
					if item.collides(other) {
						return true
					}
				}
			}
		}
	}
	return false
}

// collides reports whether two balls are too close. Branches that meet at a
// junction are not held apart there: a branch from its parent nowhere, from
// its parent's sibling and its grandparent not before it has left its own
// sibling.
func (item ball) collides(other ball) bool {
	parent := item.branch.parent
	if other.branch == parent {
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
