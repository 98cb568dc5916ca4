package airflow

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// The traceless norm of a tensor is the same in any axes and without its mean; it
// is known from its principal values.
func TestTracelessNorm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a, b, c := random.NormFloat64(), random.NormFloat64(), random.NormFloat64()
		turn := r3.NewRotation(6*random.Float64(), r3.Vec{X: random.NormFloat64(), Y: random.NormFloat64(), Z: 1})
		x, y, z := turn.Rotate(r3.Vec{X: 1}), turn.Rotate(r3.Vec{Y: 1}), turn.Rotate(r3.Vec{Z: 1})
		at := func(of func(v r3.Vec) (float64, float64)) float64 {
			sum := 0.0
			for i, v := range []r3.Vec{x, y, z} {
				p, q := of(v)
				sum += []float64{a, b, c}[i] * p * q
			}
			return sum
		}
		s := [6]float64{
			at(func(v r3.Vec) (float64, float64) { return v.X, v.X }), at(func(v r3.Vec) (float64, float64) { return v.Y, v.Y }), at(func(v r3.Vec) (float64, float64) { return v.Z, v.Z }),
			at(func(v r3.Vec) (float64, float64) { return v.X, v.Y }), at(func(v r3.Vec) (float64, float64) { return v.X, v.Z }), at(func(v r3.Vec) (float64, float64) { return v.Y, v.Z }),
		}
		// Σ(λ−mean)² is a third of the squares of all differences.
		want := math.Sqrt(((a-b)*(a-b) + (b-c)*(b-c) + (c-a)*(c-a)) / 3)
		if got := tracelessNorm(s); math.Abs(got-want) > 1e-12*(1+want) {
			t.Fatalf("principal values %g, %g and %g: norm %g, want %g", a, b, c, got, want)
		}
	}
}
