package opening

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// slanted returns a prism of n sides, 1 in radius and so long along z, whose ends
// rise by the given slopes towards x, and is moved and rounded as in a file.
func slanted(n, rings int, length, first, last float64, turn r3.Rotation) *mesh.Mesh {
	m := meshtest.Tube(r3.Vec{}, r3.Vec{Z: length}, 1, n, rings, false)
	for i, v := range m.Vertices {
		share := v.Z / length
		v.Z += v.X * ((1-share)*first + share*last)
		v = turn.Rotate(r3.Scale(10, v))
		m.Vertices[i] = r3.Vec{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}
	}
	return m
}

// A prism has two ends, however few sides it has and however they are cut.
func TestPrismsHaveTwoEnds(t *testing.T) {
	race.SkipArithmetic(t)
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		n, rings := rapid.IntRange(3, 40).Draw(t, "sides"), rapid.IntRange(1, 12).Draw(t, "rings")
		slope := func(name string) float64 {
			return math.Tan(rapid.Float64Range(-60, 60).Draw(t, name) * math.Pi / 180)
		}
		first, last := slope("first"), slope("last")
		axis := r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
		m := slanted(n, rings, 16, first, last, r3.NewRotation(6*rng.Float64(), axis))
		if rapid.Bool().Draw(t, "divided") {
			m = meshtest.Divided(m, false)
		}
		found := endsOf(m)
		base := 100 * float64(n) / 2 * math.Sin(2*math.Pi/float64(n))
		want := []float64{base * math.Hypot(1, first), base * math.Hypot(1, last)}
		if len(found) != 2 {
			t.Fatalf("%d ends, want 2", len(found))
		}
		if low, high := min(want[0], want[1]), max(want[0], want[1]); math.Abs(found[0].Area/high-1) > 1e-3 || math.Abs(found[1].Area/low-1) > 1e-3 {
			t.Fatalf("ends of %g and %g, want %v", found[0].Area, found[1].Area, want)
		}
	})
}

// Square ducts from two and a half times their width on have two ends; a cube
// and bricks have none.
func TestDuctsAndBricks(t *testing.T) {
	race.SkipArithmetic(t)
	for length, want := range map[float64]int{1: 0, 1.5: 0, 2: 0, 2.5: 2, 3: 2, 4: 2, 6: 2, 10: 2} {
		m := meshtest.Box(r3.Vec{}, r3.Vec{X: 1, Y: 1, Z: length})
		for range 3 {
			found := endsOf(m)
			if len(found) != want || want == 2 && math.Abs(found[0].Normal.Z) < 0.999 {
				t.Errorf("length %g, %d triangles: %+v, want %d ends", length, len(m.Triangles), found, want)
			}
			m = meshtest.Divided(m, false)
		}
	}
}

// The flat walls of a prism are long strips, and none of them is an end.
func TestWallsOfPrismsAreNoEnds(t *testing.T) {
	race.SkipArithmetic(t)
	for n := 3; n <= 24; n++ {
		m := meshtest.Tube(r3.Vec{}, r3.Vec{Z: 12}, 1, n, 1, false)
		found := endsOf(m)
		if len(found) != 2 || math.Abs(r3.Dot(found[0].Normal, found[1].Normal)+1) > 1e-6 {
			t.Errorf("%d sides: %d ends, want the two across", n, len(found))
		}
	}
}

// The sides of plates, square, oblong and of many sides, are no ends, and what a
// plate's faces are is left open: all of them may be.
func TestSidesOfPlatesAreNoEnds(t *testing.T) {
	race.SkipArithmetic(t)
	type plate struct {
		mesh  *mesh.Mesh
		faces int
	}
	plates := map[string]plate{
		"1 by 1 by 0.5": {meshtest.Box(r3.Vec{}, r3.Vec{X: 1, Y: 1, Z: 0.5}), 6},
		"1 by 1 by 0.3": {meshtest.Box(r3.Vec{}, r3.Vec{X: 1, Y: 1, Z: 0.3}), 6},
	}
	for n := 5; n <= 7; n++ {
		plates[fmt.Sprintf("%d sides", n)] = plate{meshtest.Tube(r3.Vec{}, r3.Vec{Z: 0.6}, 1, n, 1, false), n + 2}
	}
	for name, plate := range plates {
		m := plate.mesh
		for range 3 {
			f, caps := finderOf(m)
			found := f.Ends(caps)
			if len(found.Ends) != 0 || len(found.Faces) != plate.faces {
				t.Errorf("%s, %d triangles: %d ends and %d faces, want none and %d", name, len(m.Triangles), len(found.Ends), len(found.Faces), plate.faces)
			}
			m = meshtest.Divided(m, false)
		}
	}
}
