package geometry_test

import (
	"fmt"
	"math"
	"testing"

	"carina/geometry/contour"
	"carina/geometry/mesh"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// voxelTube is the surface of the voxels of a tube along an axis, so many voxels in
// radius and half as long as said, whose upper end is cut at an angle.
func voxelTube(t *testing.T, axis r3.Vec, radius, half, angle float64, smooth bool) (*mesh.Mesh, []trueEnd) {
	t.Helper()
	axis = r3.Unit(axis)
	e1, _ := mesh.Perpendicular(axis)
	sin, cos := math.Sincos(angle)
	ends := []trueEnd{
		{r3.Scale(half, axis), r3.Add(r3.Scale(cos, axis), r3.Scale(sin, e1)), radius / math.Sqrt(cos)},
		{r3.Scale(-half, axis), r3.Scale(-1, axis), radius},
	}
	n := 2*int(half+radius*math.Tan(angle)+radius) + 3
	middle := r3.Vec{X: float64(n) / 2, Y: float64(n) / 2, Z: float64(n) / 2}
	z := 0
	s, err := contour.Of(n, n, n, func(inside []bool) error {
		for i := range inside {
			p := r3.Sub(r3.Vec{X: float64(i % n), Y: float64(i / n), Z: float64(z)}, middle)
			along := r3.Dot(p, axis)
			inside[i] = r3.Norm2(p)-along*along < radius*radius
			for _, e := range ends {
				inside[i] = inside[i] && r3.Dot(r3.Sub(p, e.center), e.normal) < 0
			}
		}
		z++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if smooth {
		s.Smooth(r3.Vec{X: 1, Y: 1, Z: 1}, n, n, n)
	}
	m := &mesh.Mesh{Vertices: s.Vertices, Solids: []string{""}}
	for _, v := range s.Triangles {
		m.Triangles = append(m.Triangles, mesh.Triangle{V: v})
	}
	for i := range ends {
		ends[i].center = r3.Add(ends[i].center, middle)
	}
	return m, ends
}

// Tubes that were cut in the image have their ends, with the steps of voxels and
// smoothed, whatever the angles of the tube against the voxels and of the cut.
func TestEndsCutInVoxels(t *testing.T) {
	race.SkipArithmetic(t)
	aslant, diagonal := r3.Vec{X: 0.3, Y: -0.5, Z: 1}, r3.Vec{X: 1, Y: 1}
	for _, c := range []struct {
		axis            r3.Vec
		radius, degrees float64
		smooth          bool
	}{
		{aslant, 4, 0, false},
		{aslant, 4, 35, false},
		{aslant, 4, 55, false},
		{r3.Vec{X: 1, Y: 0.7, Z: 0.4}, 4, 55, false},
		{r3.Vec{Z: 1}, 4, 55, false},
		{diagonal, 4, 55, false},
		{r3.Vec{X: 1, Y: 0.7, Z: 0.4}, 4, 55, true},
		{diagonal, 4, 55, true},
		{aslant, 6, 35, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s, ends := voxelTube(t, c.axis, c.radius, 3.5*c.radius+3, c.degrees*math.Pi/180, c.smooth)
			if j := judge(t, s, ends); j.missed+j.invented > 0 {
				t.Errorf("%d triangles:%s", len(s.Triangles), j.words)
			}
		})
	}
}
