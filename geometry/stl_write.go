package geometry

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/hschendel/stl"
	"gonum.org/v1/gonum/spatial/r3"
)

// WriteSTL writes the surface as binary STL in the given unit. Names of
// solids are not part of that format.
func WriteSTL(w io.Writer, s *Surface, unit Unit) error {
	if unit <= 0 {
		return errors.New("cannot write STL without a unit: say mm or m")
	}
	if len(s.Triangles) > math.MaxUint32 {
		return fmt.Errorf("%d triangles are more than an STL file can hold", len(s.Triangles))
	}
	solid := stl.Solid{
		BinaryHeader: []byte("carina surface UNITS=" + unit.String()),
		Triangles:    make([]stl.Triangle, len(s.Triangles)),
	}
	for i := range s.Triangles {
		a, b, c := s.Corners(i)
		n := s.areaVector(i)
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

func toFloat32(v r3.Vec, unit Unit) stl.Vec3 {
	u := float64(unit)
	return stl.Vec3{float32(v.X / u), float32(v.Y / u), float32(v.Z / u)}
}
