package geometry

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina/geometry/mesh"
	"carina/internal/race"

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

// WornAirway is set by tests outside of this package, on which the generators
// stand: it generates an airway with flat or round ends, named in the file, turned
// and rough as those of scans are, and says where its ends are, the largest first.
var WornAirway func(t testing.TB, generations int, round bool) (s *Surface, ends []Opening)

// RoundAirway, set there as well, does that with round ends for the Weibel or the
// Kitaoka rule and a seed of all that is drawn.
var RoundAirway func(t testing.TB, weibel bool, generations int, seed uint64) (s *Surface, ends []Opening)

// unnamed returns a surface without the names of its parts.
func unnamed(s *Surface) *Surface {
	plain := *s
	plain.Solids, plain.Triangles = []string{""}, slices.Clone(s.Triangles)
	for i := range plain.Triangles {
		plain.Triangles[i].Solid = 0
	}
	return &plain
}

// onAirways runs a test on a generated airway, with its true ends, and on one of
// the shared collection, of which they are not known.
func onAirways(t *testing.T, name string, round bool, test func(t *testing.T, s *Surface, ends []Opening)) {
	t.Run("generated", func(t *testing.T) {
		s, ends := WornAirway(t, 3, round)
		test(t, unnamed(s), ends)
	})
	t.Run(name, func(t *testing.T) { test(t, read(t, name), nil) })
}

// read reads a surface of the shared collection.
func read(t testing.TB, name string) *Surface {
	t.Helper()
	s, err := ReadSurface(shared(t, name), UnknownUnit)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tetrahedron returns the surface with corners at the origin and at distance
// size along each axis, wound outwards. Its volume is size³/6.
func tetrahedron(size float64) *Surface {
	return &Surface{Mesh: mesh.Mesh{
		Vertices:  []r3.Vec{{}, {X: size}, {Y: size}, {Z: size}},
		Triangles: []mesh.Triangle{{V: [3]int32{0, 2, 1}}, {V: [3]int32{0, 1, 3}}, {V: [3]int32{0, 3, 2}}, {V: [3]int32{1, 2, 3}}},
		Solids:    []string{""},
	}}
}

func TestReadSharedSurfaces(t *testing.T) {
	race.SkipArithmetic(t)
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

func TestGmshMultiSolid(t *testing.T) {
	s, err := ReadSurface(shared(t, "difficult/gmsh_multi_solid.stl"), UnknownUnit)
	if err != nil || len(s.Triangles) != 376 || len(s.Solids) != 5 {
		t.Fatalf("error %v, want 376 triangles in 5 solids", err)
	}
	if _, err := Prepare(s, Options{}); err != nil {
		t.Error(err)
	}
}
