package opening

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// rough is a tube of radius 1 along z whose corners are all moved, and are rounded
// as in a file.
func rough(rng *rand.Rand, length float64, move func(v r3.Vec) r3.Vec) *mesh.Mesh {
	s := meshtest.Divided(meshtest.Divided(meshtest.Tube(r3.Vec{}, r3.Vec{Z: length}, 1, 12, 6, false), false), false)
	for i, v := range s.Vertices {
		if r := math.Hypot(v.X, v.Y); r > 0.9 {
			v.X, v.Y = v.X/r, v.Y/r
		}
		s.Vertices[i] = r3.Add(v, move(v))
	}
	turn := r3.NewRotation(6*rng.Float64(), vector(rng))
	for i, v := range s.Vertices {
		v = turn.Rotate(r3.Scale(10, v))
		s.Vertices[i] = r3.Vec{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}
	}
	return s
}

func vector(rng *rand.Rand) r3.Vec {
	return r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
}

// Noise of a hundredth of the radius, in which triangles are turned by 10° and more,
// hides no end, and waves of a fiftieth do not either.
func TestRoughEndsAreEnds(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 9))
		along, phase := r3.Scale(3, vector(rng)), 6*rng.Float64()
		for _, wave := range []float64{0, 0.02} {
			move := func(v r3.Vec) r3.Vec {
				if wave > 0 {
					return r3.Vec{Z: wave * math.Sin(r3.Dot(along, v)+phase)}
				}
				return r3.Scale(0.01, vector(rng))
			}
			found := endsOf(rough(rng, 5+5*rng.Float64(), move))
			if len(found) != 2 || r3.Dot(found[0].Normal, found[1].Normal) > -0.99 {
				t.Errorf("seed %d, waves of %g: %d ends, want 2 that face away from each other", seed, wave, len(found))
				continue
			}
			for _, end := range found {
				if share := end.Area / (100 * math.Pi); share < 0.85 || share > 1.05 {
					t.Errorf("seed %d, waves of %g: an end with %.3f of its tube's section", seed, wave, share)
				}
			}
		}
	}
}

// A rough ball has no end, however much it is denoised.
func TestRoughBallHasNoEnds(t *testing.T) {
	race.SkipArithmetic(t)
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 10))
		s := meshtest.Sphere(r3.Vec{}, 1, 16+rng.IntN(10))
		for i, v := range s.Vertices {
			s.Vertices[i] = r3.Add(v, r3.Scale(0.03*rng.Float64(), vector(rng)))
		}
		if found := endsOf(s); len(found) != 0 {
			t.Errorf("seed %d: %d ends, want none", seed, len(found))
		}
	}
}
