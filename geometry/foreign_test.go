package geometry

import (
	"strings"
	"testing"
)

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
		"remarks behind keywords":     {"solid a\n" + noted + "endsolid a of b\n", 1, 1},
	} {
		s, err := ReadSTL(strings.NewReader(c.text), Metre)
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
		_, err := ReadSTL(strings.NewReader(text), UnknownUnit)
		if err == nil || !strings.Contains(err.Error(), "format "+format) {
			t.Errorf("%s: error %v", format, err)
		}
	}
	if _, err := ReadSTL(strings.NewReader(strings.Repeat("nothing known\n", 20)), UnknownUnit); err == nil || strings.Contains(err.Error(), "format") {
		t.Errorf("unknown text: error %v", err)
	}
}

func TestGmshMultiSolid(t *testing.T) {
	s, err := ReadSurface(shared(t, "difficult/gmsh_multi_solid.stl"), UnknownUnit)
	if err != nil || len(s.Triangles) != 376 || len(s.Solids) != 5 {
		t.Fatalf("error %v, want 376 triangles in 5 solids", err)
	}
	if _, err := Prepare(s, Options{}); err != nil {
		t.Error(err)
	}
}
