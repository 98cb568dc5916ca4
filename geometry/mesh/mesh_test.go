package mesh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

func vec(rng *rand.Rand) r3.Vec {
	return r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
}

// A prism of n sides encloses its base times its height, wherever it lies.
func TestVolumeAndAreaOfPrisms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rings := rapid.IntRange(3, 40).Draw(t, "sides"), rapid.IntRange(1, 9).Draw(t, "rings")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a, axis, length, radius := r3.Scale(5, vec(rng)), r3.Unit(vec(rng)), 1+4*rng.Float64(), 0.2+rng.Float64()
		m := meshtest.Tube(a, r3.Add(a, r3.Scale(length, axis)), radius, n, rings, false)
		sin := math.Sin(math.Pi / float64(n))
		base := float64(n) / 2 * radius * radius * math.Sin(2*math.Pi/float64(n))
		if want := base * length; math.Abs(m.Volume()-want) > 1e-9*want {
			t.Fatalf("volume %g, want %g", m.Volume(), want)
		}
		if want := 2*base + 2*float64(n)*radius*sin*length; math.Abs(m.Area()-want) > 1e-9*want {
			t.Fatalf("area %g, want %g", m.Area(), want)
		}
	})
}

// Triangles taken out leave loops; caps on these close the mesh and enclose what
// it enclosed, where the loops are flat.
func TestCapsCloseLoops(t *testing.T) {
	whole := meshtest.Tube(r3.Vec{}, r3.Vec{X: 2, Z: 5}, 1, 30, 6, false)
	open := meshtest.Tube(r3.Vec{}, r3.Vec{X: 2, Z: 5}, 1, 30, 6, true)
	loops := mesh.BoundaryLoops(open)
	if len(loops) != 2 || len(loops[0]) != 30 || len(loops[1]) != 30 {
		t.Fatalf("loops %v, want two of 30 corners", loops)
	}
	if n := len(mesh.BoundaryEdges(open)); n != 60 {
		t.Errorf("%d boundary edges, want 60", n)
	}
	if one, mixed := mesh.NewTopology(open).Count(); one != 60 || mixed != 0 {
		t.Errorf("%d open and %d mixed sides, want 60 and none", one, mixed)
	}
	for _, loop := range loops {
		if n := len(mesh.CapLoop(open, loop, 0)); n != 28 {
			t.Errorf("a cap of %d triangles, want 28", n)
		}
	}
	if n := len(mesh.BoundaryEdges(open)); n != 0 || math.Abs(open.Volume()-whole.Volume()) > 1e-12 {
		t.Errorf("capped: %d open edges, volume %g, want none and %g", n, open.Volume(), whole.Volume())
	}
}

// Loops that are too long to cut ears from are closed by fans around their middle, which
// are wound as the rest.
func TestFansCloseLongLoops(t *testing.T) {
	const n = mesh.EarLimit + 1
	whole := meshtest.Tube(r3.Vec{}, r3.Vec{X: 2, Z: 5}, 1, n, 1, false)
	open := meshtest.Tube(r3.Vec{}, r3.Vec{X: 2, Z: 5}, 1, n, 1, true)
	for _, loop := range mesh.BoundaryLoops(open) {
		if got := len(mesh.CapLoop(open, loop, 0)); got != n {
			t.Errorf("a fan of %d triangles, want %d", got, n)
		}
	}
	if edges := len(mesh.BoundaryEdges(open)); edges != 0 || math.Abs(open.Volume()/whole.Volume()-1) > 1e-9 {
		t.Errorf("capped: %d open edges, volume %g, want none and %g", edges, open.Volume(), whole.Volume())
	}
	if one, mixed := mesh.NewTopology(open).Count(); one != 0 || mixed != 0 {
		t.Errorf("%d open and %d mixed sides, want none", one, mixed)
	}
}

// The box around a mesh is that of its corners.
func TestBounds(t *testing.T) {
	low, high := r3.Vec{X: -3, Y: 2, Z: 5}, r3.Vec{X: -1, Y: 7, Z: 6}
	if a, b := meshtest.Box(low, high).Bounds(); a != low || b != high {
		t.Errorf("bounds %v and %v, want %v and %v", a, b, low, high)
	}
}

// From any triangle of a strip all are reached, and those wound against it are found.
func TestSpreadReachesAll(t *testing.T) {
	const n = 7
	m := &mesh.Mesh{}
	for i := range int32(n + 2) {
		m.Vertices = append(m.Vertices, r3.Vec{X: float64(i), Y: float64(i % 2)})
	}
	turned := []bool{false, true, true, false, false, true, false}
	for i, against := range turned {
		v := [3]int32{int32(i), int32(i) + 1, int32(i) + 2}
		if against != (i%2 == 1) {
			v[0], v[1] = v[1], v[0]
		}
		for range (i + 1) % 3 { // neighbours meet at any of their sides
			v = [3]int32{v[1], v[2], v[0]}
		}
		m.Triangles = append(m.Triangles, mesh.Triangle{V: v})
	}
	topology := mesh.NewTopology(m)
	for first := range turned {
		piece, flip := make([]int32, n), make([]bool, n)
		for i := range piece {
			piece[i] = -1
		}
		topology.Spread(m, int32(first), 3, piece, flip)
		for i := range turned {
			if piece[i] != 3 || flip[i] != (turned[i] != turned[first]) {
				t.Errorf("from triangle %d: triangle %d is in piece %d, flipped %v", first, i, piece[i], flip[i])
			}
		}
	}
}

// Mates share an edge and components do not.
func TestTopologyOfTwoBodies(t *testing.T) {
	m := meshtest.Box(r3.Vec{}, r3.Vec{X: 1, Y: 1, Z: 1})
	other := meshtest.Sphere(r3.Vec{X: 5}, 1, 6)
	n := int32(len(m.Vertices))
	m.Vertices = append(m.Vertices, other.Vertices...)
	for _, tr := range other.Triangles {
		m.Triangles = append(m.Triangles, mesh.Triangle{V: [3]int32{tr.V[0] + n, tr.V[1] + n, tr.V[2] + n}})
	}
	topology := mesh.NewTopology(m)
	for side, mate := range topology.Mate {
		if mate < 0 {
			t.Fatalf("side %d is open", side)
		}
		a, b := m.Side(int32(side))
		if c, d := m.Side(mate); a != d || b != c {
			t.Fatalf("side %d runs from %d to %d, its mate from %d to %d", side, a, b, c, d)
		}
	}
	component, count := m.Components()
	if count != 2 || component[0] != 0 || component[11] != 0 || component[12] != 1 {
		t.Errorf("%d components, %v", count, component[:13])
	}
}

// A plane across a prism cuts its base divided by the cosine between the two.
func TestSectionOfPrism(t *testing.T) {
	const n = 24
	rng := rand.New(rand.NewPCG(1, 3))
	m := meshtest.Tube(r3.Vec{Z: -10}, r3.Vec{Z: 10}, 1, n, 40, false)
	base := float64(n) / 2 * math.Sin(2*math.Pi/float64(n))
	h := mesh.NewHierarchy(m)
	for range 50 {
		p := mesh.Plane{At: r3.Vec{X: 0.3 * rng.Float64(), Z: rng.NormFloat64()}, Normal: r3.Unit(r3.Vec{X: 0.5 * rng.NormFloat64(), Y: 0.5 * rng.NormFloat64(), Z: 1})}
		s := h.SectionAround(p, 5)
		if s == nil {
			t.Fatalf("no section at %v", p)
		}
		if want := base / math.Abs(p.Normal.Z); math.Abs(s.Area-want) > 1e-9*want {
			t.Errorf("plane %v: section of %g, want %g", p, s.Area, want)
		}
	}
	if p, s := h.SmallestSection(r3.Vec{X: 0.2}, 2); s == nil || math.Abs(math.Abs(p.Normal.Z)-1) > 1e-4 || math.Abs(s.Area/base-1) > 1e-4 {
		t.Errorf("the smallest section has normal %v and %+v, want that across the prism", p.Normal, s)
	}
	// Beside the prism there is nothing to cut around.
	if s := h.SectionAround(mesh.Plane{At: r3.Vec{X: 3}, Normal: r3.Vec{Z: 1}}, 5); s != nil {
		t.Errorf("a section of %g around a point outside", s.Area)
	}
}

// Cut at two planes, a prism keeps what lies between them.
func TestCutsKeepTheMiddle(t *testing.T) {
	m := meshtest.Tube(r3.Vec{Z: -10}, r3.Vec{Z: 10}, 1, 24, 40, false)
	h, topology := mesh.NewHierarchy(m), mesh.NewTopology(m)
	var cuts []*mesh.Cut
	for _, z := range []float64{-3.3, 4.1} {
		c := &mesh.Cut{Plane: mesh.Plane{At: r3.Vec{Z: z}, Normal: r3.Vec{Z: math.Copysign(1, z)}}}
		c.Section = h.SectionAround(c.Plane, 5)
		c.Upper, _ = c.Section.Sides(m, topology, &c.Plane)
		cuts = append(cuts, c)
	}
	got, caps, _, err := mesh.ApplyCuts(m, cuts)
	if err != nil || len(caps) != 2 || len(mesh.BoundaryEdges(got)) != 0 {
		t.Fatalf("error %v, %d caps, %d open edges", err, len(caps), len(mesh.BoundaryEdges(got)))
	}
	if want := m.Volume() * 7.4 / 20; math.Abs(got.Volume()-want) > 1e-9*want {
		t.Errorf("volume %g, want %g", got.Volume(), want)
	}
	if _, _, _, err := mesh.ApplyCuts(m, append(cuts, cuts[0])); err == nil {
		t.Error("two cuts at one place are accepted")
	}
}

// Distances along edges are those of Bellman and Ford, and the far end of a
// tube is the tip of a branch.
func TestDistancesAlongEdges(t *testing.T) {
	m := meshtest.Tube(r3.Vec{}, r3.Vec{Z: 9}, 1, 12, 9, false)
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range m.Vertices {
		m.Vertices[i] = r3.Add(m.Vertices[i], r3.Scale(0.1, vec(rng)))
	}
	source := m.Triangles[0].V[0]
	want := make([]float64, len(m.Vertices))
	for i := range want {
		want[i] = math.Inf(1)
	}
	want[source] = 0
	for range m.Vertices {
		for _, tr := range m.Triangles {
			for k := range tr.V {
				for _, j := range []int{(k + 1) % 3, (k + 2) % 3} {
					a, b := tr.V[k], tr.V[j]
					want[b] = min(want[b], want[a]+r3.Norm(r3.Sub(m.Vertices[a], m.Vertices[b])))
				}
			}
		}
	}
	g := mesh.NewEdgeGraph(m)
	got := g.Distances([]int32{source})
	for v := range got {
		if math.Abs(got[v]-want[v]) > 1e-12*(1+want[v]) {
			t.Fatalf("vertex %d is %g away, want %g", v, got[v], want[v])
		}
	}
	ends := g.BranchEnds([]int32{source}, 4)
	if len(ends) != 1 || m.Vertices[ends[0]].Z < 8 {
		t.Errorf("branches end at %v, want one at the tube's far end", ends)
	}
}

// A ray from inside a box hits the side that it points to.
func TestRaysInBox(t *testing.T) {
	h := mesh.NewHierarchy(meshtest.Box(r3.Vec{}, r3.Vec{X: 1, Y: 2, Z: 3}))
	from := r3.Vec{X: 0.25, Y: 0.4, Z: 0.7}
	for _, c := range []struct {
		along r3.Vec
		want  float64
	}{{r3.Vec{X: 1}, 0.75}, {r3.Vec{X: -1}, 0.25}, {r3.Vec{Y: 1}, 1.6}, {r3.Vec{Z: 2}, 1.15}, {r3.Vec{X: 1, Y: 1}, 0.75}} {
		if got, hit := h.Ray(from, c.along, math.Inf(1)); hit < 0 || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("along %v: %g, want %g", c.along, got, c.want)
		}
	}
	if _, hit := h.Ray(from, r3.Vec{Z: 1}, 2); hit >= 0 {
		t.Error("a hit beyond the limit")
	}
}
