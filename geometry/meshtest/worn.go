package meshtest

import (
	"math"
	"math/rand/v2"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// Worn makes a mesh look like one of a scan: turned to no axis and rough.
func Worn(s *mesh.Mesh, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 11))
	const share = 0.02
	Roughen(s, share, rng)
	turn := r3.NewRotation(2*math.Pi*rng.Float64(), NormalVec(rng))
	for i, v := range s.Vertices {
		s.Vertices[i] = turn.Rotate(v)
	}
}

// Roughen moves every vertex by a share of the least height of its triangles.
func Roughen(s *mesh.Mesh, share float64, rng *rand.Rand) {
	least := make([]float64, len(s.Vertices))
	for i := range least {
		least[i] = math.Inf(1)
	}
	for i, tri := range s.Triangles {
		a, b, c := s.Corners(i)
		double := r3.Norm(r3.Cross(r3.Sub(b, a), r3.Sub(c, a)))
		height := double / max(r3.Norm(r3.Sub(b, a)), r3.Norm(r3.Sub(c, a)), r3.Norm(r3.Sub(c, b)))
		for _, v := range tri.V {
			least[v] = min(least[v], height)
		}
	}
	for i := range s.Vertices {
		s.Vertices[i] = r3.Add(s.Vertices[i], r3.Scale(share*least[i], NormalVec(rng)))
	}
}

// NormalVec draws a vector of any direction.
func NormalVec(rng *rand.Rand) r3.Vec {
	return r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
}
