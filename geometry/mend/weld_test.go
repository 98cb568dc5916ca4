package mend

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// weldedByCells is what every vertex becomes by the rule: the nearest one kept before in
// its cell or a neighbour, closer than the tolerance, and of several the first, cell by cell.
func weldedByCells(vertices []r3.Vec, low r3.Vec, tolerance float64) []int32 {
	cells := map[[3]int][]int32{}
	target := make([]int32, len(vertices))
	for i, v := range vertices {
		at := [3]int{int(math.Floor((v.X - low.X) / tolerance)), int(math.Floor((v.Y - low.Y) / tolerance)), int(math.Floor((v.Z - low.Z) / tolerance))}
		target[i] = int32(i)
		best := tolerance
		for n := range 27 {
			for _, k := range cells[[3]int{at[0] + n%3 - 1, at[1] + n/3%3 - 1, at[2] + n/9 - 1}] {
				if d := r3.Norm(r3.Sub(vertices[k], v)); d < best {
					best, target[i] = d, k
				}
			}
		}
		if target[i] == int32(i) {
			cells[at] = append(cells[at], int32(i))
		}
	}
	return target
}

// Vertices are welded as their cells say, also where several are equally near.
func TestVerticesAreWeldedCellByCell(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 53))
	welded := 0
	for round := range 60 {
		const tolerance = 0.25
		s := &mesh.Mesh{}
		for i := range int32(300) {
			v := r3.Vec{X: 4 * rng.Float64(), Y: 4 * rng.Float64(), Z: 4 * rng.Float64()}
			if round%2 == 0 { // in eighths, so that distances are alike
				v = r3.Vec{X: math.Round(8*v.X) / 8, Y: math.Round(8*v.Y) / 8, Z: math.Round(8*v.Z) / 8}
			}
			s.Vertices = append(s.Vertices, v)
			s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{i, i, i}})
		}
		want := weldedByCells(s.Vertices, r3.Vec{}, tolerance)
		var m Changes
		weld(s, &m, r3.Vec{}, tolerance)
		for i, tr := range s.Triangles {
			if tr.V[0] != want[i] {
				t.Fatalf("vertex %d becomes %d, want %d", i, tr.V[0], want[i])
			}
		}
		welded += m.WeldedVertices
	}
	if welded < 1000 {
		t.Errorf("only %d vertices were welded", welded)
	}
}

// Wherever triangles have the same corners the topology says that they may.
func TestRepeatedTrianglesAreSeenInTheTopology(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 53))
	repeated, said := 0, 0
	const rounds = 3000
	for range rounds {
		s := &mesh.Mesh{Vertices: make([]r3.Vec, 7)}
		for range 2 + rng.IntN(4) {
			v := rng.Perm(7)
			s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{int32(v[0]), int32(v[1]), int32(v[2])}})
		}
		if rng.IntN(3) == 0 { // a pillow
			v := s.Triangles[0].V
			s.Triangles = []mesh.Triangle{{V: v}, {V: [3]int32{v[1], v[0], v[2]}}}
		}
		corners := map[[3]int32]bool{}
		for _, t := range s.Triangles {
			slices.Sort(t.V[:])
			corners[t.V] = true
		}
		may := mesh.NewTopology(s).MayRepeat()
		if may {
			said++
		}
		if len(corners) < len(s.Triangles) {
			if repeated++; !may {
				t.Fatalf("triangles repeat in %v, which the topology does not say", s.Triangles)
			}
		}
	}
	if repeated < rounds/10 || said > rounds*9/10 {
		t.Errorf("of %d surfaces triangles repeat in %d and may in %d", rounds, repeated, said)
	}
}
