package geometry

import (
	"bytes"
	"compress/gzip"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// inEveryFormat are files of a mesh.
func inEveryFormat(m *mesh.Mesh) map[string][]byte {
	all := map[string][]byte{"OBJ": meshtest.OBJ(m)}
	for _, format := range []string{"ascii", "binary_little_endian", "binary_big_endian"} {
		all["PLY "+format] = meshtest.PLY(m, format)
	}
	for _, encoding := range meshtest.VTPEncodings {
		all["VTP "+encoding] = meshtest.VTP(m, encoding)
	}
	for name, data := range maps.Clone(all) {
		all[name+" packed"] = packed(data)
	}
	return all
}

// packed are compressed data.
func packed(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// A surface has the same grid in every format.
func TestSameGridFromEveryFormat(t *testing.T) {
	race.SkipArithmetic(t)
	stl, err := ReadSurface(shared(t, "airway-central-mm.stl"), Millimetre)
	if err != nil {
		t.Fatal(err)
	}
	inMillimetres := stl.Mesh
	inMillimetres.Vertices = make([]r3.Vec, len(stl.Vertices))
	for i, v := range stl.Vertices {
		// As they are in the file, which holds single precision.
		inMillimetres.Vertices[i] = r3.Vec{X: float64(float32(v.X * 1e3)), Y: float64(float32(v.Y * 1e3)), Z: float64(float32(v.Z * 1e3))}
	}
	fingerprint := func(s *Surface) string {
		g, err := Voxelize(t.Context(), s, Options{Spacing: 2e-3})
		if err != nil {
			t.Fatal(err)
		}
		return g.Fingerprint()
	}
	for name, data := range inEveryFormat(&inMillimetres) {
		s, err := ReadSurfaceFrom(bytes.NewReader(data), UnknownUnit)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.Unit != Millimetre || !slices.Equal(s.Vertices, stl.Vertices) {
			t.Errorf("%s: unit %v, %d other vertices", name, s.Unit, len(s.Vertices))
		}
		for i := range s.Triangles {
			if s.Triangles[i].V != stl.Triangles[i].V {
				t.Fatalf("%s: another triangle %d", name, i)
			}
		}
		// The same triangles have the same grid.
		if name == "OBJ" && fingerprint(s) != fingerprint(stl) {
			t.Errorf("%s: another grid", name)
		}
	}
}

// The segmentation of a tube gives cells of its diameter, in the unit and at the place
// that the image states.
func TestTubeFromASegmentation(t *testing.T) {
	const radius, side = 3.5, 0.7 // mm
	along := r3.Unit(r3.Vec{X: 0.2, Y: 0.3, Z: 1})
	at := [3]float64{-80, 20, 300}
	middle := r3.Vec{X: at[0] + 12.3, Y: at[1] + 13.1, Z: at[2] + 14}
	data := meshtest.NIfTI([3]int{36, 38, 41}, [3]float64{side, side, side}, at, func(x, y, z int) uint8 {
		d := r3.Sub(r3.Add(r3.Vec{X: at[0], Y: at[1], Z: at[2]}, r3.Scale(side, r3.Vec{X: float64(x), Y: float64(y), Z: float64(z)})), middle)
		if r3.Norm(r3.Sub(d, r3.Scale(r3.Dot(d, along), along))) < radius {
			return 1
		}
		return 0
	})
	s, err := ReadSurfaceFrom(bytes.NewReader(data), UnknownUnit)
	if err != nil {
		t.Fatal(err)
	}
	if s.Unit != Millimetre || s.UnitReason != "stated by the file" || s.Axes != RAS {
		t.Errorf("unit %v: %s, axes %s", s.Unit, s.UnitReason, s.Axes)
	}
	g, err := Voxelize(t.Context(), s, Options{Spacing: 0.35e-3})
	if err != nil {
		t.Fatal(err)
	}
	// The tube is cut in planes of the image, 40 voxels apart.
	length := 40 * side / along.Z
	diameter := 2 * math.Sqrt(float64(g.Cells())*math.Pow(0.35, 3)/length/math.Pi)
	if math.Abs(diameter-2*radius) > side/10 {
		t.Errorf("%.3f mm across, the tube has %.3f", diameter, 2*radius)
	}
	if len(g.Openings) != 2 {
		t.Errorf("%d openings", len(g.Openings))
	}
	// What is given is taken, and told.
	s, err = ReadSurfaceFrom(bytes.NewReader(data), Centimetre)
	if err != nil || s.Unit != Centimetre || !strings.Contains(strings.Join(s.Notes, "\n"), "states the unit mm, but cm was given") {
		t.Errorf("error %v, %+v", err, s)
	}
}

// A compressed file that ends behind its last number, before its sum is there, is truncated
// in every format.
func TestCutCompressedFiles(t *testing.T) {
	tetrahedron := mesh.Mesh{Vertices: []r3.Vec{{}, {X: 1}, {Y: 1}, {Z: 1}}}
	for _, v := range [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}} {
		tetrahedron.Triangles = append(tetrahedron.Triangles, mesh.Triangle{V: v})
	}
	files := inEveryFormat(&tetrahedron)
	files["NIfTI packed"] = packed(meshtest.NIfTI([3]int{4, 4, 4}, [3]float64{1, 1, 1}, [3]float64{}, func(x, y, z int) uint8 {
		if x*y*z == 1 {
			return 1
		}
		return 0
	}))
	for name, data := range files {
		if !strings.HasSuffix(name, "packed") {
			continue
		}
		if _, err := ReadSurfaceFrom(bytes.NewReader(data), Millimetre); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, cut := range []int{1, 8} {
			if _, err := ReadSurfaceFrom(bytes.NewReader(data[:len(data)-cut]), Millimetre); err == nil || !strings.Contains(err.Error(), "truncated") {
				t.Errorf("%s less %d bytes: %v", name, cut, err)
			}
		}
	}
}
