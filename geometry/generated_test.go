package geometry_test

import (
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/mesh"
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
)

func init() {
	geometry.WornAirway = wornAirway
	geometry.RoundAirway = func(t testing.TB, weibel bool, generations int, seed uint64) (*geometry.Surface, []geometry.Opening) {
		rule := generate.Kitaoka
		if weibel {
			rule = generate.Weibel
		}
		return worn(t, generate.AirwayOptions{Rule: rule, Generations: generations, Segments: 40, Seed: seed}, true, seed)
	}
}

// wornAirway generates an airway with flat or with round ends, named in the file,
// turned and rough as those of scans are, and returns where its ends are.
func wornAirway(t testing.TB, generations int, round bool) (*geometry.Surface, []geometry.Opening) {
	t.Helper()
	return worn(t, generate.AirwayOptions{Rule: generate.Kitaoka, Generations: generations, Segments: 40, Seed: 2}, round, 3)
}

// worn generates any airway so.
func worn(t testing.TB, o generate.AirwayOptions, round bool, seed uint64) (*geometry.Surface, []geometry.Opening) {
	t.Helper()
	s, ends, err := generate.Airway(o)
	if err != nil {
		t.Fatal(err)
	}
	rims := make([][][2]int32, len(ends))
	for i, o := range ends {
		for _, tr := range s.Triangles {
			if s.Solids[tr.Solid] == o.Name {
				rims[i] = append(rims[i], [2]int32{tr.V[1], tr.V[2]})
			}
		}
		if round {
			roundOff(s, o)
		}
	}
	meshtest.Worn(&s.Mesh, seed)
	for i := range ends {
		var center, area r3.Vec
		for _, edge := range rims[i] {
			center = r3.Add(center, r3.Scale(1/float64(len(rims[i])), s.Vertices[edge[0]]))
		}
		for _, edge := range rims[i] {
			area = r3.Add(area, r3.Scale(0.5, r3.Cross(r3.Sub(s.Vertices[edge[0]], center), r3.Sub(s.Vertices[edge[1]], center))))
		}
		ends[i].Center, ends[i].Normal, ends[i].Area = center, r3.Unit(area), r3.Norm(area)
	}
	return s, ends
}

// roundOff makes half a sphere of the fan that closes an end.
func roundOff(s *geometry.Surface, o geometry.Opening) {
	const rings = 10
	radius := math.Sqrt(o.Area / math.Pi)
	made := map[[2]int32]int32{}
	at := func(rim, ring int32) int32 {
		switch {
		case ring == rings:
			return rim
		case ring == 0:
			rim = -1 // all meet at the tip
		}
		key := [2]int32{rim, ring}
		if _, ok := made[key]; !ok {
			sin, cos := math.Sincos(float64(ring) / rings * math.Pi / 2)
			v := r3.Add(o.Center, r3.Scale(radius*cos, o.Normal))
			if rim >= 0 {
				v = r3.Add(v, r3.Scale(sin, r3.Sub(s.Vertices[rim], o.Center)))
			}
			made[key] = int32(len(s.Vertices))
			s.Vertices = append(s.Vertices, v)
		}
		return made[key]
	}
	var caps []mesh.Triangle
	kept := s.Triangles[:0:0]
	for _, tr := range s.Triangles {
		if s.Solids[tr.Solid] != o.Name {
			kept = append(kept, tr)
			continue
		}
		a, b := tr.V[1], tr.V[2]
		for ring := range int32(rings) {
			p, q, r, u := at(a, ring), at(b, ring), at(b, ring+1), at(a, ring+1)
			caps = append(caps, mesh.Triangle{V: [3]int32{p, u, r}, Solid: tr.Solid})
			if ring > 0 {
				caps = append(caps, mesh.Triangle{V: [3]int32{p, r, q}, Solid: tr.Solid})
			}
		}
	}
	s.Triangles = append(kept, caps...)
}
