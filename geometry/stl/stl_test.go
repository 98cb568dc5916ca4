package stl

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// tetrahedron returns the surface with corners at the origin and at distance
// size along each axis, wound outwards. Its volume is size³/6.
func tetrahedron(size float64) *mesh.Mesh {
	return &mesh.Mesh{
		Vertices:  []r3.Vec{{}, {X: size}, {Y: size}, {Z: size}},
		Triangles: []mesh.Triangle{{V: [3]int32{0, 2, 1}}, {V: [3]int32{0, 1, 3}}, {V: [3]int32{0, 3, 2}}, {V: [3]int32{1, 2, 3}}},
		Solids:    []string{""},
	}
}

func binarySTL(t *testing.T, s *mesh.Mesh) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, s, 1e-3, "a test"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const asciiTriangle = "facet normal nan 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"

func TestReadRefuses(t *testing.T) {
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
		"a text":            {[]byte(strings.Repeat("the air in a naïve airway\r\n\t", 9)), "this is a text that does not begin as STL, OBJ, PLY or VTP does"},
		"truncated":         {sound[:len(sound)-7], "truncated"},
		"lying count":       {lying, "promises 4000000000"},
		"count too small":   {small, "promises 3 triangles, but there are bytes for 4"},
		"two files in one":  {append(bytes.Clone(sound), sound...), "promises 4 triangles, but there are bytes for"},
		"NaN":               {nan, "not a finite number"},
		"infinity":          {infinite, "not a finite number"},
		"cut gzip":          {zipped.Bytes()[:zipped.Len()-9], "truncated"},
		"no solids":         {[]byte("solid a\nendsolid a\n"), "no triangles"},
		"unfinished solid":  {[]byte("solid a\n" + asciiTriangle + "facet normal 0 0 1\nouter loop\n"), "no endsolid"},
		"begun solid":       {[]byte("solid a\n" + asciiTriangle + "endsolid\nsolid b\n"), "no endsolid"},
		"nested solid":      {[]byte("solid a\nsolid b\n"), "before the last one has ended"},
		"endsolid first":    {[]byte("solid a\nendsolid\nendsolid\n"), "without solid"},
		"text in between":   {[]byte("solid a\nendsolid\nhello\n"), "hello"},
		"unfinished facet":  {[]byte("solid a\nfacet normal 0 0 1\nendsolid\n"), `solid 1 ("a"), behind line 2: expected outer loop, found endsolid`},
		"unfinished second": {[]byte("solid a\n" + asciiTriangle + "endsolid\nsolid b\n" + asciiTriangle + "facet normal 0 0 1\nendsolid\n"), `solid 2 ("b"), behind line 18: expected outer loop`},
		"facet line lost":   {[]byte("solid a\n" + asciiTriangle + strings.TrimPrefix(asciiTriangle, "facet normal nan 0 0\n") + "endsolid\n"), `line 9: expected facet, found "outer"`},
		"very long line":    {[]byte("solid a\nfacet " + strings.Repeat("1", 1<<17) + "\nendsolid\n"), `line 2: expected facet normal, found "facet 111`},
		"words for numbers": {[]byte("solid a\n" + strings.Replace(asciiTriangle, "1 0 0", "x 0 0", 1) + "endsolid"), `line 5: expected three numbers behind vertex, found "vertex x 0 0"`},
		"ASCII NaN":         {[]byte("solid a\n" + strings.Replace(asciiTriangle, "1 0 0", "nan 0 0", 1) + "endsolid"), "finite"},
	}
	for name, c := range cases {
		_, _, err := Read(bytes.NewReader(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

func TestReadAccepts(t *testing.T) {
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
		s, notes, err := Read(bytes.NewReader(c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(s.Solids, "|"); len(s.Triangles) != c.triangles || got != c.solids || len(notes) != c.notes {
			t.Errorf("%s: %d triangles, solids %q, notes %v; want %d, %q, %d notes",
				name, len(s.Triangles), got, notes, c.triangles, c.solids, c.notes)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	want := tetrahedron(0.125)
	got, _, err := Read(bytes.NewReader(binarySTL(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Vertices) != 4 {
		t.Errorf("%d vertices, want the tetrahedron's 4 merged", len(got.Vertices))
	}
	if v := 125.0 * 125 * 125 / 6; math.Abs(got.Volume()-v) > 1e-6*v {
		t.Errorf("volume %g, want %g", got.Volume(), v)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	Write(&b, tetrahedron(0.1), 1e-3, "a test")
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:100])
	f.Add([]byte("solid a\n" + asciiTriangle + "endsolid a\n"))
	f.Add([]byte("SOLID a\nENDSOLID"))
	f.Add([]byte("solid a " + strings.ReplaceAll(asciiTriangle, "\n", " ") + "end solid a\r"))
	f.Add([]byte(strings.ReplaceAll(asciiTriangle, "nan 0 0", "-nan(ind) 0 0")))
	f.Add([]byte("solid a\n" + strings.ReplaceAll(asciiTriangle, "1 0 0", "1e30 0 0.1")))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := Read(bytes.NewReader(data))
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

// What other programs write as STL is read.
func TestDialectsOfASCII(t *testing.T) {
	plain := "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
	noted := "facet normal 0 0 1 colour 3\nouter loop # first\nvertex 0 0 0 a\nvertex 1 0 0\nvertex 0 1 0 b c\nendloop x\nendfacet y\n"
	for name, c := range map[string]struct {
		text      string
		triangles int
		solids    int
	}{
		"facet after a bare endsolid": {"solid\n" + plain + "endsolid\n" + plain + "endsolid\n", 2, 2},
		"colours between facets":      {"solid a\n" + plain + "colour 1 0 " + strings.Repeat("0", 1<<17) + "\n" + plain + "endsolid a\n", 2, 1},
		"remarks behind keywords":     {"solid a\n" + noted + "endsolid a of b\n", 1, 1},
	} {
		s, _, err := Read(strings.NewReader(c.text))
		if err != nil || len(s.Triangles) != c.triangles || len(s.Solids) != c.solids {
			t.Errorf("%s: error %v, surface %+v", name, err, s)
		}
	}
}

// Files of other formats are named.
func TestForeignFormatsAreNamed(t *testing.T) {
	long := strings.Repeat("# a comment\n", 20)
	for format, text := range map[string]string{
		"OFF": "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n",
		"OBJ": long + "mtllib a.mtl\no part\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
		"PLY": "ply\nformat ascii 1.0\n" + long,
		"VTK": "# vtk DataFile Version 3.0\n" + long,
	} {
		_, _, err := Read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), "format "+format) {
			t.Errorf("%s: error %v", format, err)
		}
	}
	// Whatever the length, also where it is that of triangles.
	rest := strings.Repeat("\x00", 500)
	for what, begin := range map[string]string{
		"PNG": "\x89PNG\r\n\x1a\n", "JPEG": "\xff\xd8\xff\xe0", "GIF": "GIF89a", "TIFF": "II*\x00", "PDF": "%PDF-1.4\n", "program": "\x7fELF", "HDF5": "\x89HDF\r\n",
		"DICOM": rest[:128] + "DICM", "bzip2": "BZh9", "xz": "\xfd7zXZ\x00", "zstd": "\x28\xb5\x2f\xfd", "7z": "7z\xbc\xaf", "RAR": "Rar!", "tar": rest[:257] + "ustar",
	} {
		for _, length := range []int{300, stlHeader + 6*stlTriangle, stlHeader + 6*stlTriangle + 7} {
			_, _, err := Read(strings.NewReader((begin + rest)[:length]))
			if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "name the ") {
				t.Errorf("%s of %d bytes: error %v", what, length, err)
			}
		}
	}
	if _, _, err := Read(strings.NewReader(strings.Repeat("nothing known\n", 20))); err == nil || strings.Contains(err.Error(), "format") {
		t.Errorf("unknown text: error %v", err)
	}
}
