package mend

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// soup is a closed pipe of radius 5 mm and length 40 mm whose triangles are apart:
// each corner is moved by itself, by up to so much along each axis.
func soup(apart float64) *mesh.Mesh {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &mesh.Mesh{Solids: []string{""}}
	add := func(points ...r3.Vec) {
		var t mesh.Triangle
		for i, p := range points {
			t.V[i] = int32(len(s.Vertices))
			shake := func() float64 { return apart * (2*rng.Float64() - 1) }
			s.Vertices = append(s.Vertices, r3.Add(p, r3.Vec{X: shake(), Y: shake(), Z: shake()}))
		}
		s.Triangles = append(s.Triangles, t)
	}
	const n, rings = 24, 10
	at := func(i, k int) r3.Vec {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%n) / n)
		return r3.Vec{X: 5e-3 * cos, Y: 5e-3 * sin, Z: 4e-3 * float64(k)}
	}
	for i := range n {
		for k := range rings {
			add(at(i, k), at(i+1, k), at(i+1, k+1))
			add(at(i, k), at(i+1, k+1), at(i, k+1))
		}
		add(r3.Vec{}, at(i+1, 0), at(i, 0))
		add(r3.Vec{Z: 40e-3}, at(i, rings), at(i+1, rings))
	}
	return s
}

// Triangles that are apart by little beside their sides are joined, and within what
// is said; where they are apart by more, that is said.
func TestTrianglesThatAreApartAreJoined(t *testing.T) {
	want := 24 * 0.5 * 25e-6 * math.Sin(2*math.Pi/24) * 40e-3
	for _, apart := range []float64{0, 0.1e-6, 0.5e-6, 1e-6, 3e-6, 5e-6, 10e-6} {
		mended, changes := Mend(soup(apart))
		open, mixed := mesh.NewTopology(mended).Count()
		if v := mended.Volume(); open > 0 || mixed > 0 || math.Abs(v-want) > 0.01*want || changes.LooseTriangles > 0 {
			t.Errorf("%g m apart: %d sides open, %d mixed, volume %g, want %g; %+v", apart, open, mixed, v, want, changes)
		}
		if changes.WeldTolerance > 1.3e-3/20 {
			t.Errorf("%g m apart: joined within %g", apart, changes.WeldTolerance)
		}
	}
	for _, apart := range []float64{0.2e-3, 0.5e-3} {
		if _, changes := Mend(soup(apart)); changes.LooseTriangles < 250 {
			t.Errorf("%g m apart: %+v", apart, changes)
		}
	}
}
