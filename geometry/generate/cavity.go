package generate

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/geometry/mesh"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// CavityOptions says what cavity to make.
type CavityOptions struct {
	// Size is the extent along x, y and z in metres; a cube of 10 mm by
	// default.
	Size r3.Vec
}

// cavitySide is the default side of the cavity, m.
const cavitySide = 10e-3

// Cavity makes a closed box with one corner at the origin, the domain of the
// lid-driven cavity. Its lid is the face at the top of z. It has no openings;
// the list is empty.
func Cavity(o CavityOptions) (*geometry.Surface, []geometry.Opening, error) {
	if o.Size == (r3.Vec{}) {
		o.Size = r3.Vec{X: cavitySide, Y: cavitySide, Z: cavitySide}
	}
	for _, l := range [3]float64{o.Size.X, o.Size.Y, o.Size.Z} {
		if !(l > 0) || math.IsInf(l, 0) {
			return nil, nil, fmt.Errorf("cannot generate a cavity with a side of %s: give positive lengths", quantity.FormatLength(l))
		}
	}
	s := &geometry.Surface{
		Mesh:       mesh.Mesh{Solids: []string{"wall", "lid"}},
		Unit:       geometry.Metre,
		UnitReason: "generated in metres",
	}
	for i := range 8 {
		s.Vertices = append(s.Vertices, r3.Vec{
			X: o.Size.X * float64(i&1),
			Y: o.Size.Y * float64(i>>1&1),
			Z: o.Size.Z * float64(i>>2),
		})
	}
	for _, f := range cavityFaces {
		s.Triangles = append(s.Triangles,
			mesh.Triangle{V: [3]int32{f.corners[0], f.corners[1], f.corners[2]}, Solid: f.solid},
			mesh.Triangle{V: [3]int32{f.corners[0], f.corners[2], f.corners[3]}, Solid: f.solid})
	}
	return s, nil, nil
}

// cavityFaces lists the corners of the box's faces, counter-clockwise from
// outside; bits 0, 1 and 2 of a corner say which end of x, y and z it is at.
var cavityFaces = [6]struct {
	corners [4]int32
	solid   int32
}{
	{[4]int32{0, 2, 3, 1}, 0}, // z low
	{[4]int32{4, 5, 7, 6}, 1}, // z high
	{[4]int32{0, 1, 5, 4}, 0}, // y low
	{[4]int32{2, 6, 7, 3}, 0}, // y high
	{[4]int32{0, 4, 6, 2}, 0}, // x low
	{[4]int32{1, 3, 7, 5}, 0}, // x high
}
