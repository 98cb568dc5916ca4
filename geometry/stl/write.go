package stl

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"carina/geometry/mesh"

	"github.com/hschendel/stl"
	"gonum.org/v1/gonum/spatial/r3"
)

// Write writes a mesh as binary STL, with coordinates in the given unit of
// length and a header. Names of solids are not part of that format.
func Write(w io.Writer, m *mesh.Mesh, unit float64, header string) error {
	if len(m.Triangles) > math.MaxUint32 {
		return fmt.Errorf("%d triangles are more than an STL file can hold", len(m.Triangles))
	}
	solid := stl.Solid{BinaryHeader: []byte(header), Triangles: make([]stl.Triangle, len(m.Triangles))}
	for i := range m.Triangles {
		a, b, c := m.Corners(i)
		n := m.AreaVector(i)
		if length := r3.Norm(n); length > 0 {
			n = r3.Scale(1/length, n)
		}
		solid.Triangles[i] = stl.Triangle{
			Normal:   toFloat32(n, 1),
			Vertices: [3]stl.Vec3{toFloat32(a, unit), toFloat32(b, unit), toFloat32(c, unit)},
		}
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	if err := solid.WriteAll(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

func toFloat32(v r3.Vec, u float64) stl.Vec3 {
	return stl.Vec3{float32(v.X / u), float32(v.Y / u), float32(v.Z / u)}
}
