package contour

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// imageOf is the surface of what lies within an implicit body, given in lengths, in an
// image with voxels of the given sides.
func imageOf(t *testing.T, n [3]int, sides r3.Vec, within func(at r3.Vec) bool) *Surface {
	t.Helper()
	z := 0
	s, err := Of(n[0], n[1], n[2], func(inside []bool) error {
		for i := range inside {
			inside[i] = within(r3.Vec{X: float64(i%n[0]) * sides.X, Y: float64(i/n[0]) * sides.Y, Z: float64(z) * sides.Z})
		}
		z++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tubesRadius is the mean distance of vertices from the axis, and how far it scatters,
// between two planes along it.
func tubesRadius(s *Surface, sides, at, along r3.Vec, half float64) (mean, scatter float64) {
	var n, sum, squares float64
	for _, v := range s.Vertices {
		d := r3.Sub(scaled(v, sides), at)
		if x := r3.Dot(d, along); math.Abs(x) < half {
			r := r3.Norm(r3.Sub(d, r3.Scale(x, along)))
			n, sum, squares = n+1, sum+r, squares+r*r
		}
	}
	return sum / n, math.Sqrt(max(0, squares/n-sum*sum/n/n))
}

// Tubes of three voxels across and more have their radius, at any angle, and become
// smoother.
func TestTubes(t *testing.T) {
	n := [3]int{50, 50, 50}
	for _, radius := range []float64{1.5, 2, 3, 5, 10} {
		for _, sides := range []r3.Vec{{X: 1, Y: 1, Z: 1}, {X: 0.8, Y: 0.8, Z: 1.25}} {
			for _, along := range []r3.Vec{{Z: 1}, r3.Unit(r3.Vec{X: 0.3, Y: 0.5, Z: 1}), r3.Unit(r3.Vec{X: 1, Y: 0.1, Z: 0.05})} {
				at := r3.Vec{X: 24.3 * sides.X, Y: 25.4 * sides.Y, Z: 25.2 * sides.Z}
				s := imageOf(t, n, sides, func(p r3.Vec) bool {
					d := r3.Sub(p, at)
					x := r3.Dot(d, along)
					return math.Abs(x) < 17 && r3.Norm(r3.Sub(d, r3.Scale(x, along))) < radius
				})
				_, before := tubesRadius(s, sides, at, along, 10)
				s.Smooth(sides, n[0], n[1], n[2])
				mean, scatter := tubesRadius(s, sides, at, along, 10)
				if math.Abs(mean-radius) > 0.09 || scatter > 0.9*before {
					t.Errorf("radius %g, sides %v, along %.2f: %.3f ± %.3f, before ± %.3f", radius, sides, along, mean, scatter, before)
				}
			}
		}
	}
}

// Whatever the image, the surface is closed and touches itself nowhere, encloses what is
// inside and stays within half a voxel of where it was found.
func TestAnyImage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := [3]int{rapid.IntRange(3, 6).Draw(t, "x"), rapid.IntRange(3, 6).Draw(t, "y"), rapid.IntRange(3, 6).Draw(t, "z")}
		full := rapid.IntRange(1, 9).Draw(t, "full")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		z, count := 0, 0
		s, err := Of(n[0], n[1], n[2], func(inside []bool) error {
			for i := range inside {
				x, y := i%n[0], i/n[0]
				inner := x > 0 && y > 0 && z > 0 && x < n[0]-1 && y < n[1]-1 && z < n[2]-1
				inside[i] = inner && random.IntN(10) < full
				if inside[i] {
					count++
				}
			}
			z++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		edges := map[[2]int32]int{}
		for _, triangle := range s.Triangles {
			for k, a := range triangle {
				edges[[2]int32{a, triangle[(k+1)%3]}]++
			}
		}
		for edge, times := range edges {
			if times != 1 || edges[[2]int32{edge[1], edge[0]}] != 1 {
				t.Fatalf("edge %v is there %d times and %d the other way", edge, times, edges[[2]int32{edge[1], edge[0]}])
			}
		}
		// Marching cubes take up to five sixths from a voxel that stands alone and
		// give as much to a hole.
		if v := volume(s); s.Border != 0 || count > 0 && !(v > 0.15*float64(count)) || v > 8*float64(count) {
			t.Fatalf("%d voxels, volume %g", count, v)
		}
		start := slices.Clone(s.Vertices)
		s.Smooth(r3.Vec{X: 1, Y: 2, Z: 0.5}, n[0], n[1], n[2])
		for i, v := range s.Vertices {
			if d := r3.Sub(v, start[i]); max(math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z)) > reach+1e-12 {
				t.Fatalf("vertex %d moved by %v", i, d)
			}
		}
	})
}

// volume is what a surface encloses, in voxels.
func volume(s *Surface) (sum float64) {
	for _, t := range s.Triangles {
		sum += r3.Dot(s.Vertices[t[0]], r3.Cross(s.Vertices[t[1]], s.Vertices[t[2]])) / 6
	}
	return sum
}
