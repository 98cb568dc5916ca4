package mesh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
)

// A noisy box becomes flat and keeps its edges: its corners come nearer to its
// faces, and none of it shrinks.
func TestDenoisedBoxIsFlat(t *testing.T) {
	clean := meshtest.Box(r3.Vec{}, r3.Vec{X: 1, Y: 1, Z: 1})
	for range 4 {
		clean = meshtest.Divided(clean, false)
	}
	rng := rand.New(rand.NewPCG(6, 6))
	noisy := *clean
	noisy.Vertices = nil
	for _, v := range clean.Vertices {
		noisy.Vertices = append(noisy.Vertices, r3.Add(v, r3.Scale(0.008, vec(rng))))
	}
	off := func(s *mesh.Mesh) float64 {
		var sum float64
		for _, v := range s.Vertices {
			outside := max(v.X-1, -v.X, v.Y-1, -v.Y, v.Z-1, -v.Z)
			sum += outside * outside
		}
		return math.Sqrt(sum / float64(len(s.Vertices)))
	}
	smooth := mesh.Denoising{Cosine: 0.6, Rounds: 8}.Denoised(&noisy)
	if before, after := off(&noisy), off(smooth); after > 0.6*before {
		t.Errorf("corners lie %g off the faces, were %g", after, before)
	}
	if v := smooth.Volume(); math.Abs(v-1) > 0.01 {
		t.Errorf("it encloses %g, want 1", v)
	}
	turned := 0
	for i := range smooth.Triangles {
		if n := r3.Unit(clean.AreaVector(i)); r3.Dot(n, r3.Unit(smooth.AreaVector(i))) < math.Cos(10*math.Pi/180) {
			turned++
		}
	}
	if turned > len(smooth.Triangles)/10 {
		t.Errorf("%d of %d triangles are turned by more than 10°", turned, len(smooth.Triangles))
	}
}

// A noisy ball becomes smooth and does not shrink.
func TestSmoothedBallKeepsItsSize(t *testing.T) {
	const radius = 10.0
	s := meshtest.Nets(func(p r3.Vec) float64 { return r3.Norm(p) - radius }, r3.Vec{X: -12, Y: -12, Z: -12}, r3.Vec{X: 12, Y: 12, Z: 12}, 1)
	whole := s.Volume()
	rng := rand.New(rand.NewPCG(7, 7))
	for i, v := range s.Vertices {
		s.Vertices[i] = r3.Add(v, r3.Scale(0.2, vec(rng)))
	}
	off := func(s *mesh.Mesh) float64 {
		var sum float64
		for _, v := range s.Vertices {
			sum += math.Pow(r3.Norm(v)-radius, 2)
		}
		return math.Sqrt(sum / float64(len(s.Vertices)))
	}
	smooth := mesh.Smoothed(s, 20)
	if before, after := off(s), off(smooth); after > 0.5*before {
		t.Errorf("vertices lie %g off the ball, were %g", after, before)
	}
	if v := smooth.Volume(); math.Abs(v/whole-1) > 0.02 {
		t.Errorf("it encloses %g, want %g", v, whole)
	}
}
