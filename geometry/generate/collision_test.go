package generate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// TestSpaceAgainstBruteForce compares the grid's answer with that of all
// pairs of balls, for unrelated tubes of very different radii.
func TestSpaceAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Float64Range(-1, 1)
		draw := func(label string) *branch {
			f := frame{
				origin: r3.Vec{X: coordinate.Draw(t, label), Y: coordinate.Draw(t, label), Z: coordinate.Draw(t, label)},
				side:   r3.Vec{X: 1},
				across: r3.Vec{Y: 1},
				along:  r3.Vec{Z: 1},
			}
			radius := math.Pow(10, rapid.Float64Range(-1.7, -0.5).Draw(t, "radius"))
			b := newTrunk(f, radius, 4*radius, resolution{16, radius})
			b.parent = &branch{parent: &branch{}} // no relative of the others
			return b
		}
		taken := newSpace()
		var there []*branch
		for range rapid.IntRange(1, 20).Draw(t, "branches") {
			b := draw("there")
			taken.insert(b, 1)
			there = append(there, b)
		}
		b := draw("new")
		free := true
		for _, other := range there {
			for _, item := range b.balls(1) {
				for _, ob := range other.balls(1) {
					if r3.Norm(r3.Sub(item.center, ob.center)) < clearance*(item.radius+ob.radius) {
						free = false
					}
				}
			}
		}
		if taken.free(b) != free {
			t.Fatalf("the grid says free = %v, all pairs say %v", !free, free)
		}
	})
}

// TestReservedRoom checks that room ahead of a branch keeps others out only
// when asked, and only until the branch has divided.
func TestReservedRoom(t *testing.T) {
	res := resolution{16, 1}
	f := frame{side: r3.Vec{X: 1}, across: r3.Vec{Y: 1}, along: r3.Vec{Z: 1}}
	b := newTrunk(f, 1, 10, res)
	b.parent = &branch{}
	taken := newSpace()
	taken.insert(b, 2)
	f.origin = r3.Vec{X: -5, Z: 18}
	f.side, f.along = r3.Vec{Z: -1}, r3.Vec{X: 1}
	crossing := newTrunk(f, 1, 10, res)
	crossing.parent = &branch{parent: &branch{}}
	if !taken.free(crossing) {
		t.Error("a branch ahead of another's end is not free")
	}
	if taken.roomy(crossing, 1) {
		t.Error("a branch in another's reserved room is called roomy")
	}
	b.junction = &junction{}
	if !taken.roomy(crossing, 1) {
		t.Error("the room ahead of a divided branch is still reserved")
	}
}
