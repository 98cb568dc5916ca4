package geometry

import (
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/spatial/r3"
)

// A flat face of many triangles takes no time that grows with their square,
// however little they deviate from its plane.
func TestNoisyFacesTakeLittleTime(t *testing.T) {
	for _, noise := range []float64{1e-4, 1e-3, 1e-2} {
		s := boxSurface(r3.Vec{}, r3.Vec{X: 10e-3, Y: 10e-3, Z: 40e-3})
		for len(s.Triangles) < 40_000 {
			s = divided(s, false)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for i, v := range s.Vertices {
			s.Vertices[i] = r3.Add(v, r3.Scale(noise*1e-3, r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}))
		}
		begin := processTime()
		p, err := Prepare(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Openings) != 2 {
			t.Errorf("noise of %g: %d openings, want the two ends of the duct", noise, len(p.Openings))
		}
		if d := processTime() - begin; d > 5*time.Second {
			t.Errorf("noise of %g: %d triangles took %v", noise, len(s.Triangles), d)
		}
	}
}
