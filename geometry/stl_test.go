package geometry

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// shared returns the path of a real surface, or skips the test where there
// are none.
func shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "geometries", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not here: this test needs the real surfaces in ../shared", name)
	}
	return path
}

// tetrahedron returns the surface with corners at the origin and at distance
// size along each axis, wound outwards. Its volume is size³/6.
func tetrahedron(size float64) *Surface {
	return &Surface{Mesh: Mesh{
		Vertices:  []r3.Vec{{}, {X: size}, {Y: size}, {Z: size}},
		Triangles: []Triangle{{V: [3]int32{0, 2, 1}}, {V: [3]int32{0, 1, 3}}, {V: [3]int32{0, 3, 2}}, {V: [3]int32{1, 2, 3}}},
		Solids:    []string{""},
	}}
}

func binarySTL(t *testing.T, s *Surface) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSTL(&b, s, Millimetre); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const asciiTriangle = "facet normal nan 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"

func TestReadSTLRefuses(t *testing.T) {
	sound := binarySTL(t, tetrahedron(0.1))
	lying := bytes.Clone(sound)
	binary.LittleEndian.PutUint32(lying[80:], 4e9)
	nan := bytes.Clone(sound)
	binary.LittleEndian.PutUint32(nan[84+12:], math.Float32bits(float32(math.NaN())))
	infinite := bytes.Clone(sound)
	binary.LittleEndian.PutUint32(infinite[84+12:], math.Float32bits(float32(math.Inf(1))))
	small := bytes.Clone(sound)
	binary.LittleEndian.PutUint32(small[80:], 3)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(sound)
	z.Close()
	cases := map[string]struct {
		data []byte
		want string
	}{
		"empty":             {nil, "empty"},
		"few bytes":         {[]byte("abc"), "too few"},
		"truncated":         {sound[:len(sound)-7], "truncated"},
		"lying count":       {lying, "promises 4000000000"},
		"count too small":   {small, "promises 3 triangles, but there are bytes for 4"},
		"two files in one":  {append(bytes.Clone(sound), sound...), "promises 4 triangles, but there are bytes for"},
		"NaN":               {nan, "not a finite number"},
		"infinity":          {infinite, "not a finite number"},
		"cut gzip":          {zipped.Bytes()[:zipped.Len()-9], "truncated"},
		"no solids":         {[]byte("solid a\nendsolid a\n"), "no triangles"},
		"unfinished solid":  {[]byte("solid a\n" + asciiTriangle), "no endsolid"},
		"nested solid":      {[]byte("solid a\nsolid b\n"), "before the last one has ended"},
		"endsolid first":    {[]byte("solid a\nendsolid\nendsolid\n"), "without solid"},
		"text in between":   {[]byte("solid a\nendsolid\nhello\n"), "hello"},
		"unfinished facet":  {[]byte("solid a\nfacet normal 0 0 1\nendsolid\n"), "triangle 1"},
		"words for numbers": {[]byte("solid a\n" + strings.Replace(asciiTriangle, "1 0 0", "x 0 0", 1) + "endsolid"), "float"},
		"ASCII NaN":         {[]byte("solid a\n" + strings.Replace(asciiTriangle, "1 0 0", "nan 0 0", 1) + "endsolid"), "finite"},
	}
	for name, c := range cases {
		_, err := ReadSTL(bytes.NewReader(c.data), Millimetre)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

func TestReadSTLAccepts(t *testing.T) {
	sound := binarySTL(t, tetrahedron(0.1))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(sound)
	z.Close()
	solid := bytes.Clone(sound)
	copy(solid, "solid looks like text\n")
	streamed := bytes.Clone(sound)
	binary.LittleEndian.PutUint32(streamed[80:], 0)
	cases := map[string]struct {
		data      []byte
		triangles int
		solids    string
		notes     int
	}{
		"binary":          {sound, 4, "", 0},
		"gzipped":         {zipped.Bytes(), 4, "", 0},
		"begins solid":    {solid, 4, "", 0},
		"count unwritten": {streamed, 4, "", 1},
		"bytes behind":    {append(bytes.Clone(sound), 1, 2, 3), 4, "", 1},
		"padding behind":  {append(bytes.Clone(sound), make([]byte, 512)...), 4, "", 1},
		"byte-order mark": {[]byte("\ufeffsolid a\n" + asciiTriangle + "endsolid a\n"), 1, "a", 0},
		"escape in name":  {[]byte("solid a\x1b[31m\xff\n" + asciiTriangle + "endsolid a\n"), 1, "a\x1b[31m?", 0},
		"long name":       {[]byte("solid " + strings.Repeat("ä", 5000) + "\n" + asciiTriangle + "endsolid\n"), 1, strings.Repeat("ä", 100) + "…", 1},
		"ASCII":           {[]byte("solid a b\n" + asciiTriangle + "endsolid a b\n"), 1, "a b", 0},
		"mixed case": {[]byte("Solid A\r\n" + strings.ToUpper(strings.ReplaceAll(asciiTriangle, "\n", "\r\n")) +
			"EndSolid A\r\nSOLID B\n" + asciiTriangle + "endsolid"), 2, "A|B", 0},
	}
	for name, c := range cases {
		s, err := ReadSTL(bytes.NewReader(c.data), Millimetre)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(s.Solids, "|"); len(s.Triangles) != c.triangles || got != c.solids || len(s.Notes) != c.notes {
			t.Errorf("%s: %d triangles, solids %q, notes %v; want %d, %q, %d notes",
				name, len(s.Triangles), got, s.Notes, c.triangles, c.solids, c.notes)
		}
	}
}

func TestSTLRoundTrip(t *testing.T) {
	want := tetrahedron(0.125)
	got, err := ReadSTL(bytes.NewReader(binarySTL(t, want)), Millimetre)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Vertices) != 4 {
		t.Errorf("%d vertices, want the tetrahedron's 4 merged", len(got.Vertices))
	}
	if v := 0.125 * 0.125 * 0.125 / 6; math.Abs(got.Volume()-v) > 1e-6*v {
		t.Errorf("volume %g, want %g", got.Volume(), v)
	}
}

func TestReadSharedSurfaces(t *testing.T) {
	// Triangle counts and states from the collection's README.
	cases := []struct {
		name      string
		triangles int
		solids    int
		unit      Unit
	}{
		{"airway-central-mm.stl", 29998, 1, Millimetre},
		{"airway-central-patches-ascii-m.stl", 29998, 13, Metre},
		{"airway-full-mm.stl", 100000, 1, Millimetre},
		{"airway-ct-mm.stl", 60000, 1, Millimetre},
		{"difficult/hubmap_vhm_trachea_mainbronchi_m.stl", 19740, 1, Metre},
		{"difficult/hschendel_bin_starting_with_solid.stl", 4, 1, Metre},
		{"difficult/hschendel_confusingheader_bin.stl", 4, 1, Metre},
		{"difficult/trimesh_two_objects_mixed_case.stl", 24, 2, Millimetre},
	}
	for _, c := range cases {
		s, err := ReadSurface(shared(t, c.name), UnknownUnit)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(s.Triangles) != c.triangles || len(s.Solids) != c.solids || s.Unit != c.unit {
			t.Errorf("%s: %d triangles, %d solids, unit %s; want %d, %d, %s",
				c.name, len(s.Triangles), len(s.Solids), s.Unit, c.triangles, c.solids, c.unit)
		}
	}
	for _, name := range []string{"difficult/trimesh_empty.stl", "difficult/trimesh_empty_bin.stl"} {
		if _, err := ReadSurface(shared(t, name), UnknownUnit); err == nil || !strings.Contains(err.Error(), "no triangles") {
			t.Errorf("%s: error %v, want one that says the file holds no triangles", name, err)
		}
	}
}

func FuzzReadSTL(f *testing.F) {
	var b bytes.Buffer
	WriteSTL(&b, tetrahedron(0.1), Millimetre)
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:100])
	f.Add([]byte("solid a\n" + asciiTriangle + "endsolid a\n"))
	f.Add([]byte("SOLID a\nENDSOLID"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSTL(bytes.NewReader(data), UnknownUnit)
		if err != nil {
			return
		}
		for _, tr := range s.Triangles {
			for _, v := range tr.V {
				if p := s.Vertices[v]; math.IsNaN(r3.Norm(p)) || math.IsInf(r3.Norm(p), 0) {
					t.Fatalf("vertex %v is not finite", p)
				}
			}
		}
	})
}
