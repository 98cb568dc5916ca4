package branch

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// lumenWhere fills a box of cells where a place, in units of cells, is inside.
func lumenWhere(size [3]int32, inside func(at r3.Vec) bool) *Lumen {
	l := &Lumen{}
	number := make([]int32, size[0]*size[1]*size[2])
	at := func(c [3]int32) *int32 { return &number[(c[2]*size[1]+c[1])*size[0]+c[0]] }
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				cell := [3]int32{x, y, z}
				if inside(r3.Vec{X: float64(x) + 0.5, Y: float64(y) + 0.5, Z: float64(z) + 0.5}) {
					l.Cells = append(l.Cells, cell)
					*at(cell) = int32(len(l.Cells))
				}
			}
		}
	}
	for _, c := range l.Cells {
		next := [6]int32{}
		for face, o := range Faces {
			next[face] = -1
			n := [3]int32{c[0] + o[0], c[1] + o[1], c[2] + o[2]}
			if min(n[0], n[1], n[2]) >= 0 && n[0] < size[0] && n[1] < size[1] && n[2] < size[2] {
				next[face] = *at(n) - 1
			}
		}
		l.Next = append(l.Next, next)
	}
	return l
}

// capsule tells what lies within a radius of a segment.
func capsule(from, to r3.Vec, radius float64) func(r3.Vec) bool {
	axis := r3.Sub(to, from)
	return func(at r3.Vec) bool {
		share := min(max(r3.Dot(r3.Sub(at, from), axis)/r3.Norm2(axis), 0), 1)
		return r3.Norm(r3.Sub(at, r3.Add(from, r3.Scale(share, axis)))) < radius
	}
}

// either tells what lies in any of some bodies.
func either(bodies ...func(r3.Vec) bool) func(r3.Vec) bool {
	return func(at r3.Vec) bool {
		for _, in := range bodies {
			if in(at) {
				return true
			}
		}
		return false
	}
}

// In an open box distances are those of a ruler, but for 11 %.
func TestDistancesAreEuclids(t *testing.T) {
	size := [3]int32{17, 23, 19}
	l := lumenWhere(size, func(r3.Vec) bool { return true })
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.Int32Range(0, int32(len(l.Cells)-1)).Draw(t, "source")
		d := l.distancesFrom(source)
		if len(d.order) != len(l.Cells) {
			t.Fatalf("%d cells of %d are reached", len(d.order), len(l.Cells))
		}
		for k, cell := range d.order {
			ruler := r3.Norm(r3.Sub(l.center(cell), l.center(source)))
			if got := float64(d.of[cell]) / Step; math.Abs(got-ruler) > 0.11*ruler {
				t.Fatalf("%v is %g from %v, want %g", l.Cells[cell], got, l.Cells[source], ruler)
			}
			if k > 0 && d.of[d.order[k-1]] > d.of[cell] {
				t.Fatal("cells are out of order")
			}
		}
	})
}

// A ball, a cube and a tube with a half ball on its wall do not fork; the tube
// has its two ends.
func TestBodiesWithoutBranches(t *testing.T) {
	tube := capsule(r3.Vec{X: 15, Y: 20, Z: 20}, r3.Vec{X: 85, Y: 22, Z: 18}, 8)
	for name, test := range map[string]struct {
		inside func(r3.Vec) bool
		ends   int
	}{
		"ball":               {capsule(r3.Vec{X: 20, Y: 20, Z: 20}, r3.Vec{X: 20, Y: 20, Z: 20.01}, 15), 0},
		"cube":               {func(at r3.Vec) bool { return max(at.X, at.Y, at.Z) < 30 }, 0},
		"tube":               {tube, 2},
		"tube with a bulge":  {either(tube, capsule(r3.Vec{X: 50, Y: 29, Z: 20}, r3.Vec{X: 50, Y: 29.01, Z: 20}, 7)), 2},
		"tube with a branch": {either(tube, capsule(r3.Vec{X: 50, Y: 22, Z: 20}, r3.Vec{X: 50, Y: 45, Z: 20}, 7)), 3},
	} {
		l := lumenWhere([3]int32{100, 60, 40}, test.inside)
		if ends := l.Ends(); len(ends) != test.ends {
			t.Errorf("%s: ends %v, want %d", name, ends, test.ends)
		}
	}
}

// star is three straight branches of a radius, turned by an angle about an axis.
type star struct {
	radius, angle float64
	axis          r3.Vec
}

// check looks for the ends of the star on its branches' axes, three radii before
// their tips, with their widths.
func (s star) check(t interface{ Errorf(string, ...any) }) {
	const size, length = 60, 24
	middle := r3.Vec{X: size / 2, Y: size / 2, Z: size / 2}
	turn := r3.NewRotation(s.angle, s.axis)
	var directions []r3.Vec
	var bodies []func(r3.Vec) bool
	for _, angle := range [3]float64{0, 2, 4} {
		direction := r3.Unit(turn.Rotate(r3.Vec{X: math.Cos(angle), Y: math.Sin(angle), Z: 0.3}))
		directions = append(directions, direction)
		bodies = append(bodies, capsule(middle, r3.Add(middle, r3.Scale(length, direction)), s.radius))
	}
	ends := lumenWhere([3]int32{size, size, size}, either(bodies...)).Ends()
	if len(ends) != len(directions) {
		t.Errorf("ends %v, want one for each of %v", ends, directions)
	}
	for _, e := range ends {
		found := 0
		for _, direction := range directions {
			along := r3.Dot(r3.Sub(e.Center, middle), direction)
			off := r3.Norm(r3.Sub(r3.Sub(e.Center, middle), r3.Scale(along, direction)))
			if off > 0.6 || along < 0 {
				continue
			}
			found++
			if tip := length + s.radius; along > tip-2*s.radius || along < tip-4.5*s.radius {
				t.Errorf("the end is %g before the tip, want about three radii of %g", tip-along, s.radius)
			}
			if r3.Dot(e.Axis, direction) < 0.9 || math.Abs(e.Radius-s.radius) > 0.15*s.radius {
				t.Errorf("axis %v and radius %g, want %v and %g", e.Axis, e.Radius, direction, s.radius)
			}
		}
		if found != 1 {
			t.Errorf("%v lies on %d axes of %v", e, found, directions)
		}
	}
}

// The ends of straight branches of any direction lie on their axes, three radii
// before their tips, and have their widths.
func TestEndsLieInTheirBranches(t *testing.T) {
	// The front behind a tip of this one has a fifth more than the branch's radius.
	star{2.5, 3, r3.Vec{X: 0.58203125, Y: -0.1005859375, Z: 0.00048828125}}.check(t)
	rapid.Check(t, func(t *rapid.T) {
		star{rapid.Float64Range(2.5, 4).Draw(t, "radius"), rapid.Float64Range(0, 2*math.Pi).Draw(t, "angle"), r3.Vec{
			X: rapid.Float64Range(0.1, 1).Draw(t, "x"), Y: rapid.Float64Range(-1, 1).Draw(t, "y"), Z: rapid.Float64Range(-1, 1).Draw(t, "z"),
		}}.check(t)
	})
}
