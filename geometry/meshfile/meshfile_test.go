package meshfile

import (
	"bytes"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
)

// tube is a mesh whose coordinates have many digits.
func tube() *mesh.Mesh {
	return meshtest.Tube(r3.Vec{X: 0.1}, r3.Vec{X: 3.3, Y: 7.7, Z: 21.1}, 2.3, 24, 9, false)
}

// readAs reads a file whose format is told by what it holds.
func readAs(data []byte) (*mesh.Mesh, []string, error) {
	return Read(bytes.NewReader(data), FormatOf(data))
}

// files are the tube in every format.
func files(m *mesh.Mesh) map[string][]byte {
	all := map[string][]byte{"OBJ": meshtest.OBJ(m)}
	for _, format := range []string{"ascii", "binary_little_endian", "binary_big_endian"} {
		all["PLY "+format] = meshtest.PLY(m, format)
	}
	for _, encoding := range meshtest.VTPEncodings {
		all["VTP "+encoding] = meshtest.VTP(m, encoding)
	}
	// Attributes may stand in either kind of quotes; those of raw data are no attributes.
	quoted, appended, _ := bytes.Cut(meshtest.VTP(m, "appended raw"), []byte("<AppendedData encoding=\"raw\">"))
	all["VTP in single quotes"] = slices.Concat(bytes.ReplaceAll(quoted, []byte{'"'}, []byte{'\''}), []byte("<AppendedData encoding='raw'>"), appended)
	return all
}

func TestAllFormatsHoldTheSameMesh(t *testing.T) {
	want := tube()
	for name, data := range files(want) {
		got, notes, err := readAs(data)
		if err != nil || len(notes) > 0 {
			t.Fatalf("%s: error %v, notes %q", name, err, notes)
		}
		if !strings.HasPrefix(name, string(FormatOf(data))) || len(got.Triangles) != len(want.Triangles) || len(got.Vertices) != len(want.Vertices) {
			t.Fatalf("%s: %s with %d triangles, %d vertices", name, FormatOf(data), len(got.Triangles), len(got.Vertices))
		}
		for i := range got.Triangles {
			for k, v := range got.Triangles[i].V {
				if got.Vertices[v] != want.Vertices[want.Triangles[i].V[k]] {
					t.Fatalf("%s: triangle %d has a corner at %v", name, i, got.Vertices[v])
				}
			}
		}
	}
}

// What the formats allow besides is read.
func TestDialects(t *testing.T) {
	const square = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\n"
	const vtp = "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"4\" NumberOfStrips=\"1\" NumberOfLines=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 0 2 0 0 0 2 0 2 2 0</DataArray></Points>" +
		"<Strips><DataArray type=\"Int64\" Name=\"connectivity\">0 1 2 3</DataArray><DataArray type=\"Int64\" Name=\"offsets\">4</DataArray></Strips></Piece></PolyData></VTKFile>"
	for name, c := range map[string]struct {
		text      string
		triangles int
		area      float64
		notes     int
	}{
		"from the end":   {square + "f -4 -3 -2 -1\n", 2, 4, 0},
		"continued":      {square + "f 1 2 \\\n3 4\n", 2, 4, 0},
		"line ends":      {strings.ReplaceAll(square+"f 1 2 3\n", "\n", "\r\n"), 1, 2, 0},
		"colours":        {"v 0 0 0 1 0 0\nv 2 0 0 1 1 1\nv 0 2 0 0 0 0\nf 1/1/1 2/2/1 3/3/1 # a face\n", 1, 2, 0},
		"lines passed":   {square + "l 1 2\nf 1 2 3\n", 1, 2, 1},
		"an L":           {"v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 3 4 5 6 1 2\n", 4, 3, 0},
		"strips":         {vtp, 2, 4, 1},
		"floats":         {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement edge 1\nproperty int a\nelement face 1\nproperty list uchar uint vertex_index\nproperty uchar red\nend_header\n0 0 0\n2 0 0\n0 2 0\n5\n3 0 1 2 9\n", 1, 2, 1},
		"whole numbers":  {"ply\nformat ascii 1.0\nelement vertex 3\nproperty short x\nproperty int8 y\nproperty double z\nelement face 1\nproperty list uchar uint vertex_index\nend_header\n-1 -1 0\n1 -1 0\n-1 1 0\n3 0 1 2\n", 1, 2, 0},
		"shorts":         {"ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty short x\nproperty short y\nproperty short z\nelement face 1\nproperty list uchar uchar vertex_index\nend_header\n\xff\xff\xff\xff\x00\x00\x00\x01\xff\xff\x00\x00\xff\xff\x00\x01\x00\x00\x03\x00\x01\x02", 1, 2, 0},
		"normals":        {square + "f 1//1 2//1 3//-1\nf 1/1/1 3/2/1 4/3/1\n", 2, 4, 0},
		"merged corners": {"v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\nf 5 7 6\n", 2, 4, 0},
	} {
		m, notes, err := readAs([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var up float64
		for i := range m.Triangles {
			up += m.AreaVector(i).Z
		}
		if len(m.Triangles) != c.triangles || math.Abs(up-c.area) > 1e-12 || len(notes) != c.notes {
			t.Errorf("%s: %d triangles of %g, notes %q", name, len(m.Triangles), up, notes)
		}
		if name == "merged corners" && len(m.Vertices) != 4 {
			t.Errorf("%d vertices", len(m.Vertices))
		}
	}
}

// A line that goes on again and again takes memory with its length, not with its square.
func TestLongContinuation(t *testing.T) {
	const parts = 20_000
	text := []byte("v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 " + strings.Repeat("\\\n", parts) + "3\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, _, err := Read(bytes.NewReader(text), OBJ)
	runtime.ReadMemStats(&after)
	if err != nil || len(m.Triangles) != 1 {
		t.Fatalf("%v, error %v", m, err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 100*uint64(len(text)) {
		t.Errorf("%d bytes were allocated for %d", taken, len(text))
	}
}

// Every wrong file is refused in one sentence that says what to do.
func TestWrongFiles(t *testing.T) {
	wrong := meshtest.WrongFiles(tube())
	for format, files := range wrong {
		if len(files) < 20 {
			t.Errorf("%d wrong files of %s", len(files), format)
		}
		for name, data := range files {
			m, _, err := Read(bytes.NewReader(data), Format(format))
			switch {
			case err == nil:
				t.Errorf("%s, %s: %d triangles are read", format, name, len(m.Triangles))
			case strings.Contains(err.Error(), "\n"), !strings.Contains(err.Error(), mesh.ExportAgain), strings.Count(err.Error(), mesh.ExportAgain) > 1:
				t.Errorf("%s, %s: says %q", format, name, err)
			default:
				t.Logf("%s, %s: %v", format, name, err)
			}
		}
	}
}

// A file cut off anywhere is refused, or has the triangles that it holds.
func TestCutOff(t *testing.T) {
	for name, data := range files(meshtest.Box(r3.Vec{}, r3.Vec{X: 1, Y: 2, Z: 3})) {
		for n := range len(data) {
			m, _, err := Read(bytes.NewReader(data[:n]), Format(name[:3]))
			// Text ends where numbers may, and behind the data no more is needed.
			if err == nil && len(m.Triangles) != 12 && name != "OBJ" {
				t.Fatalf("%s, %d bytes: %d triangles", name, n, len(m.Triangles))
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range files(meshtest.Box(r3.Vec{}, r3.Vec{X: 1, Y: 2, Z: 3})) {
		f.Add(data)
	}
	for _, files := range meshtest.WrongFiles(tube()) {
		for _, data := range files {
			if len(data) < 4096 {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range []Format{OBJ, PLY, VTP} {
			m, _, err := Read(bytes.NewReader(data), format)
			if err != nil {
				continue
			}
			for _, triangle := range m.Triangles {
				for _, v := range triangle.V {
					if length := r3.Norm(m.Vertices[v]); math.IsNaN(length) || math.IsInf(length, 0) {
						t.Fatalf("%s: vertex %v", format, m.Vertices[v])
					}
				}
			}
		}
	})
}
