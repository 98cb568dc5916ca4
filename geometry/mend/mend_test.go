package mend

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// torn returns a mesh whose triangles have corners of their own, each moved by a
// tenth of what is welded, some wound the wrong way, some doubled, and some
// without area besides.
func torn(m *mesh.Mesh, rng *rand.Rand, turned, doubled, flat int) *mesh.Mesh {
	low, high := m.Bounds()
	jitter := 0.1 * weldShare * r3.Norm(r3.Sub(high, low))
	out := &mesh.Mesh{}
	add := func(corners ...r3.Vec) {
		n := int32(len(out.Vertices))
		for _, c := range corners {
			d := r3.Vec{X: rng.Float64() - 0.5, Y: rng.Float64() - 0.5, Z: rng.Float64() - 0.5}
			out.Vertices = append(out.Vertices, r3.Add(c, r3.Scale(jitter, d)))
		}
		out.Triangles = append(out.Triangles, mesh.Triangle{V: [3]int32{n, n + 1, n + 2}})
	}
	for i, t := range rng.Perm(len(m.Triangles)) {
		a, b, c := m.Corners(t)
		if i < turned {
			b, c = c, b
		}
		add(a, b, c)
		if i < doubled {
			add(a, b, c)
		}
		if i < flat {
			add(a, b, b)
		}
	}
	return out
}

// Torn apart, partly turned over and doubled, a mesh is whole again, and every
// change is counted.
func TestMendTorn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		sound := meshtest.Tube(r3.Vec{X: 1}, r3.Vec{X: 2, Y: 3, Z: 9}, 1, 24, 8, false)
		turned, doubled, flat := rapid.IntRange(0, 100).Draw(t, "turned"), rapid.IntRange(0, 20).Draw(t, "doubled"), rapid.IntRange(0, 20).Draw(t, "flat")
		got, changes := Mend(torn(sound, rng, turned, doubled, flat))
		n := len(mesh.BoundaryEdges(got))
		if v := sound.Volume(); n > 0 || math.Abs(got.Volume()-v) > 1e-3*v || len(got.Triangles) != len(sound.Triangles) {
			t.Fatalf("%d open edges, volume %g of %d triangles, want none, %g of %d", n, got.Volume(), len(got.Triangles), v, len(sound.Triangles))
		}
		want := Changes{DegenerateTriangles: flat, DuplicateTriangles: doubled, FlippedTriangles: turned,
			WeldedVertices: changes.WeldedVertices, WeldTolerance: changes.WeldTolerance}
		if d := cmp.Diff(want, changes); d != "" {
			t.Fatal(d)
		}
	})
}

// both returns two meshes in one, the second turned inside out where said.
func both(a, b *mesh.Mesh, turned bool) *mesh.Mesh {
	out := &mesh.Mesh{Vertices: append(append([]r3.Vec{}, a.Vertices...), b.Vertices...), Triangles: append([]mesh.Triangle{}, a.Triangles...)}
	n := int32(len(a.Vertices))
	for _, tr := range b.Triangles {
		v := [3]int32{tr.V[0] + n, tr.V[1] + n, tr.V[2] + n}
		if turned {
			v[1], v[2] = v[2], v[1]
		}
		out.Triangles = append(out.Triangles, mesh.Triangle{V: v})
	}
	return out
}

// A closed body in a lumen is an obstacle however it is wound; beside the lumen
// it is none.
func TestClosedBodies(t *testing.T) {
	tube := meshtest.Tube(r3.Vec{}, r3.Vec{X: 9}, 1, 40, 20, false)
	for _, c := range []struct {
		name   string
		center r3.Vec
		inside bool
	}{{"inside", r3.Vec{X: 4, Y: 0.2}, true}, {"beside", r3.Vec{X: 4, Y: 3}, false}} {
		for _, turned := range []bool{false, true} {
			body := meshtest.Sphere(c.center, 0.5, 10)
			got, _ := Mend(both(tube, body, turned))
			want, obstacles := tube.Volume()+body.Volume(), 0
			if c.inside {
				want, obstacles = tube.Volume()-body.Volume(), 1
			}
			marked, n := Obstacles(got, mesh.NewTopology(got))
			if n != obstacles || math.Abs(got.Volume()-want) > 1e-9*want {
				t.Errorf("%s, turned %v: %d obstacles, volume %g; want %d and %g", c.name, turned, n, got.Volume(), obstacles, want)
			}
			for i, m := range marked {
				if m != (c.inside && i >= len(tube.Triangles)) {
					t.Fatalf("%s, turned %v: triangle %d is marked %v", c.name, turned, i, m)
				}
			}
		}
	}
}

// A body inside an obstacle is dropped, whatever the order in the file; one
// beside it is an obstacle of its own, though its box lies within the other's.
func TestBodiesInsideObstacles(t *testing.T) {
	tube := meshtest.Tube(r3.Vec{}, r3.Vec{X: 9}, 1, 40, 20, false)
	outer := meshtest.Sphere(r3.Vec{X: 4}, 0.6, 10)
	for _, c := range []struct {
		name     string
		center   r3.Vec
		enclosed int
	}{{"inside", r3.Vec{X: 4.1}, 1}, {"in a corner of the box", r3.Vec{X: 4.47, Y: 0.47, Z: 0.47}, 0}, {"beside", r3.Vec{X: 6}, 0}} {
		inner := meshtest.Sphere(c.center, 0.1, 6)
		want, bodies := tube.Volume()-outer.Volume(), 1
		if c.enclosed == 0 {
			want, bodies = want-inner.Volume(), 2
		}
		for name, s := range map[string]*mesh.Mesh{"behind": both(both(tube, outer, false), inner, false), "before": both(both(tube, inner, false), outer, false)} {
			got, changes := Mend(s)
			_, n := Obstacles(got, mesh.NewTopology(got))
			if changes.EnclosedBodies != c.enclosed || n != bodies || math.Abs(got.Volume()-want) > 1e-9*want {
				t.Errorf("%s, %s the other: %d dropped, %d left, volume %g; want %d, %d and %g", c.name, name, changes.EnclosedBodies, n, got.Volume(), c.enclosed, bodies, want)
			}
		}
	}
}

// A body that reaches through a flat wall is an obstacle if it lies mostly inside,
// and half of it suffices where it is wound the other way; a part of the lumen
// else. The share of a sphere that lies on one side of a plane is that of its
// height (Archimedes).
func TestBodiesThroughTheWall(t *testing.T) {
	room := meshtest.Divided(meshtest.Divided(meshtest.Box(r3.Vec{}, r3.Vec{X: 4, Y: 4, Z: 4}), false), false)
	for _, c := range []struct {
		inside   float64
		turned   bool
		obstacle bool
	}{{0.8, false, true}, {0.8, true, true}, {0.55, false, false}, {0.55, true, true}, {0.2, false, false}, {0.2, true, false}} {
		body := meshtest.Sphere(r3.Vec{X: 2, Y: 2, Z: 2*0.5*c.inside - 0.5}, 0.5, 20)
		got, changes := Mend(both(room, body, c.turned))
		want, obstacles := room.Volume()+body.Volume(), 0
		if c.obstacle {
			want, obstacles = room.Volume()-body.Volume(), 1
		}
		_, n := Obstacles(got, mesh.NewTopology(got))
		if n != obstacles || math.Abs(got.Volume()-want) > 1e-9*want {
			t.Errorf("%g of it inside, turned %v: %d obstacles, volume %g; want %d and %g (%+v)", c.inside, c.turned, n, got.Volume(), obstacles, want, changes)
		}
	}
}

// A block that stands on the floor touches the wall and goes through it nowhere.
func TestBodiesOnTheFloor(t *testing.T) {
	room := meshtest.Box(r3.Vec{}, r3.Vec{X: 4, Y: 4, Z: 4})
	for _, height := range []float64{1, 3} {
		body := meshtest.Divided(meshtest.Box(r3.Vec{X: 1, Y: 1}, r3.Vec{X: 2, Y: 2, Z: height}), false)
		got, _ := Mend(both(room, body, false))
		if _, n := Obstacles(got, mesh.NewTopology(got)); n != 1 || math.Abs(got.Volume()-(64-height)) > 1e-9 {
			t.Errorf("a block %g high: %d obstacles, volume %g; want 1 and %g", height, n, got.Volume(), 64-height)
		}
	}
}

// walls returns a pipe whose wall has a thickness, with the triangles of its
// inner side behind those of its outer one.
func walls(outer, inner float64) *mesh.Mesh {
	const n, rings = 40, 30
	m := both(meshtest.Tube(r3.Vec{}, r3.Vec{Y: 4, Z: 12}, outer, n, rings, true), meshtest.Tube(r3.Vec{}, r3.Vec{Y: 4, Z: 12}, inner, n, rings, true), true)
	base := int32(len(m.Vertices) / 2)
	for j := int32(0); j < n; j++ {
		k := (j + 1) % n
		for _, ring := range []int32{0, rings * n} {
			a, b, c, d := ring+j, ring+k, base+ring+k, base+ring+j
			if ring == 0 {
				a, b, c, d = b, a, d, c
			}
			m.Triangles = append(m.Triangles, mesh.Triangle{V: [3]int32{a, b, c}}, mesh.Triangle{V: [3]int32{a, c, d}})
		}
	}
	return m
}

// The inner of two walls is the lumen's; one wall has no inner one.
func TestInnerWall(t *testing.T) {
	m := walls(1.3, 1)
	if n := len(mesh.BoundaryEdges(m)); n > 0 {
		t.Fatalf("the pipe has %d open edges", n)
	}
	inner, _ := InnerWall(m, mesh.NewHierarchy(m))
	lumen := InnerLumen(m, inner)
	area := 2 * math.Pi * math.Sqrt(160)
	if math.Abs(lumen.Area()/area-1) > 0.02 || lumen.Volume() <= 0 {
		t.Errorf("an inner wall of %g, volume %g, want some %g and wound outwards", lumen.Area(), lumen.Volume(), area)
	}
	if PocketLumen(m, inner) != nil {
		t.Error("a pipe that is double all along is taken for one that is double in a part")
	}
	plain := meshtest.Tube(r3.Vec{}, r3.Vec{Z: 12}, 1, 40, 30, false)
	if inner, _ := InnerWall(plain, mesh.NewHierarchy(plain)); inner != nil {
		t.Errorf("%d triangles of a single wall are taken for an inner one", len(inner))
	}
}
