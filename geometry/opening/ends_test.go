package opening

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"
	"carina/internal/race"
	"carina/internal/yardstick"

	"gonum.org/v1/gonum/spatial/r3"
)

// finderOf closes the boundary loops of a mesh and returns a finder for it with
// the caps.
func finderOf(m *mesh.Mesh) (*Finder, []Patch) {
	var caps []Patch
	for _, loop := range mesh.BoundaryLoops(m) {
		caps = append(caps, Patch{Triangles: mesh.CapLoop(m, loop, 0), Loop: loop})
	}
	caps = PartNotches(m, caps)
	return NewFinder(mesh.NewHierarchy(m), mesh.NewTopology(m)), caps
}

// endsOf finds the ends of a mesh, whose boundary loops it closes.
func endsOf(m *mesh.Mesh) []Patch {
	f, caps := finderOf(m)
	return f.Ends(caps).Ends
}

// The evidence for ends of a smooth tube is whole, and never more than that.
func TestEndsOfTubesAreSure(t *testing.T) {
	f, caps := finderOf(meshtest.Tube(r3.Vec{}, r3.Vec{X: 2, Y: 1, Z: 9}, 1, 40, 30, false))
	ends := f.Ends(caps).Ends
	if len(ends) != 2 {
		t.Fatalf("%d ends", len(ends))
	}
	for i := range ends {
		if e := f.Evidence(&ends[i]); e.Sure < 0.99 || e.Sure > 1 || e.Pinched() || math.Abs(e.Across-1) > 0.05 {
			t.Errorf("%+v", e)
		}
	}
}

// The walls of a winding channel are flat and often wider than it is deep; only
// its two ends are ends.
func TestChannelHasTwoEnds(t *testing.T) {
	for _, leg := range []int{3, 6, 10} {
		full := map[[3]int]bool{}
		x, y, d := 0, 0, 1
		for range 6 {
			for range leg {
				full[[3]int{x, y, 0}] = true
				x += d
			}
			d = -d
			for range 3 {
				full[[3]int{x, y, 0}] = true
				y++
			}
		}
		full[[3]int{x, y, 0}] = true
		s := meshtest.Cubes([3]int{leg + 1, y + 1, 1}, full)
		for range 2 {
			s = meshtest.Divided(s, false)
			found := endsOf(s)
			if len(found) != 2 || found[0].Area != 1 || found[1].Area != 1 {
				t.Errorf("legs of %d: %+v", leg, found)
			}
		}
	}
}

// A finely divided flat end costs no more than its triangles.
func TestFineFlatEnds(t *testing.T) {
	race.SkipArithmetic(t)
	s := meshtest.Tube(r3.Vec{}, r3.Vec{Z: 6}, 1, 40, 20, false)
	// Divide the triangles of the ends into 4, again and again.
	for range 4 {
		var out []mesh.Triangle
		for i, tr := range s.Triangles {
			if math.Abs(r3.Unit(s.AreaVector(i)).Z) < 0.9 {
				out = append(out, tr)
				continue
			}
			var m [3]int32
			for k := range m {
				m[k] = int32(len(s.Vertices))
				s.Vertices = append(s.Vertices, r3.Scale(0.5, r3.Add(s.Vertices[tr.V[k]], s.Vertices[tr.V[(k+1)%3]])))
			}
			for _, v := range [][3]int32{{tr.V[0], m[0], m[2]}, {m[0], tr.V[1], m[1]}, {m[2], m[1], tr.V[2]}, {m[0], m[1], m[2]}} {
				out = append(out, mesh.Triangle{V: v})
			}
		}
		s.Triangles = out
	}
	found := endsOf(s)
	if len(found) != 2 || len(s.Triangles) < 20000 {
		t.Errorf("%d openings in %d triangles, want 2", len(found), len(s.Triangles))
	}
}

func TestBoxHasNoOpenings(t *testing.T) {
	for name, s := range map[string]*mesh.Mesh{
		"cube":   meshtest.Box(r3.Vec{}, r3.Vec{X: 1, Y: 1, Z: 1}),
		"sphere": meshtest.Sphere(r3.Vec{}, 1, 20),
	} {
		if found := endsOf(s); len(found) != 0 {
			t.Errorf("%s: %d openings, want none", name, len(found))
		}
	}
}

// A flat face of many triangles takes no time that grows with their square,
// however little they deviate from its plane.
func TestNoisyFacesTakeLittleTime(t *testing.T) {
	race.SkipArithmetic(t)
	const few, many = 10_000, 40_000
	for _, noise := range []float64{1e-4, 1e-3, 1e-2} {
		find := func(least int) func() {
			s := noisyDuct(noise, least)
			return func() {
				if found := endsOf(s); len(found) != 2 {
					t.Errorf("noise of %g: %d openings, want the two ends of the duct", noise, len(found))
				}
			}
		}
		if yardstick.New(find(few)).Exceeds(10, find(many)) {
			t.Errorf("noise of %g: four times the triangles take more than ten times the time", noise)
		}
	}
}

// noisyDuct is a box of at least so many triangles, whose vertices are moved by noise.
func noisyDuct(noise float64, least int) *mesh.Mesh {
	s := meshtest.Box(r3.Vec{}, r3.Vec{X: 10e-3, Y: 10e-3, Z: 40e-3})
	for len(s.Triangles) < least {
		s = meshtest.Divided(s, false)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i, v := range s.Vertices {
		s.Vertices[i] = r3.Add(v, r3.Scale(noise*1e-3, r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}))
	}
	return s
}

// Caps of loops are told apart: ends of tubes, holes, and those that only
// balance triangles without area.
func TestCapsAreSorted(t *testing.T) {
	m := meshtest.Tube(r3.Vec{}, r3.Vec{Z: 12}, 1, 24, 24, true)
	// A hole of two triangles in the wall, and a slit of none.
	v := m.Triangles[600].V
	m.Triangles = append(m.Triangles[:600], m.Triangles[602:]...)
	slit := m.Triangles[200].V
	middle := int32(len(m.Vertices))
	m.Vertices = append(m.Vertices, r3.Scale(0.5, r3.Add(m.Vertices[slit[0]], m.Vertices[slit[1]])))
	m.Triangles[200].V = [3]int32{slit[0], middle, slit[2]}
	m.Triangles = append(m.Triangles, mesh.Triangle{V: [3]int32{middle, slit[1], slit[2]}})
	f, caps := finderOf(m)
	found := f.Ends(caps)
	if found.Opened != 2 || len(found.Ends) != 2 || len(found.Holes) != 2 || len(found.Loops) != 3 {
		t.Fatalf("%d open of %d ends, %d holes, %d loops; want 2 of 2, 2, 3", found.Opened, len(found.Ends), len(found.Holes), len(found.Loops))
	}
	for i := range found.Holes {
		hole := &found.Holes[i]
		if isHole := slices.Contains(hole.Loop, v[2]); f.ClosesNothing(hole) == isHole {
			t.Errorf("a hole with area %g closes nothing: %v", f.ClosedArea(hole), !isHole)
		}
	}
}

// A boundary around an open end and a notch beside it, where triangles of the
// wall are lost, is parted into both.
func TestNotchesArePartedFromEnds(t *testing.T) {
	const n, wide, deep = 16, 3, 2
	m := meshtest.Tube(r3.Vec{}, r3.Vec{Z: 8}, 1, n, 3, true)
	var kept []mesh.Triangle
	for i, tr := range m.Triangles {
		if i/(2*n) >= deep || i%(2*n) >= wide {
			kept = append(kept, tr)
		}
	}
	m.Triangles = kept
	f, caps := finderOf(m)
	found := f.Ends(caps)
	if len(found.Ends) != 2 {
		t.Fatalf("%d ends, want 2", len(found.Ends))
	}
	want := float64(n) / 2 * math.Sin(2*math.Pi/float64(n))
	for i := range found.Ends {
		if area := f.ClosedArea(&found.Ends[i]); math.Abs(area/want-1) > 0.01 {
			t.Errorf("an end of %g, want %g", area, want)
		}
	}
}
