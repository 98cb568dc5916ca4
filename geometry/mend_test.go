package geometry

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"carina/geometry/mesh"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// damage returns the surface with its triangles torn apart, jittered, partly
// turned over, some missing and some doubled, and says how many of each.
func damage(s *Surface, rng *rand.Rand, jitter float64, holes, flips, doubles, degenerate int) *Surface {
	out := &Surface{Mesh: mesh.Mesh{Solids: s.Solids}, Unit: s.Unit}
	order := rng.Perm(len(s.Triangles))
	missing, turned, doubled := map[int]bool{}, map[int]bool{}, map[int]bool{}
	used := map[int32]bool{}
	for _, t := range order {
		v := s.Triangles[t].V
		// Holes do not touch one another, so that each stays one.
		if len(missing) < holes && !used[v[0]] && !used[v[1]] && !used[v[2]] {
			missing[t] = true
			used[v[0]], used[v[1]], used[v[2]] = true, true, true
		} else if len(turned) < flips {
			turned[t] = true
		} else if len(doubled) < doubles {
			doubled[t] = true
		}
	}
	add := func(a, b, c r3.Vec) {
		n := int32(len(out.Vertices))
		for _, v := range [3]r3.Vec{a, b, c} {
			d := r3.Vec{X: rng.Float64() - 0.5, Y: rng.Float64() - 0.5, Z: rng.Float64() - 0.5}
			out.Vertices = append(out.Vertices, r3.Add(v, r3.Scale(jitter, d)))
		}
		out.Triangles = append(out.Triangles, mesh.Triangle{V: [3]int32{n, n + 1, n + 2}})
	}
	for t := range s.Triangles {
		a, b, c := s.Corners(t)
		if missing[t] {
			continue
		}
		if turned[t] {
			b, c = c, b
		}
		add(a, b, c)
		if doubled[t] {
			add(a, b, c)
		}
	}
	for i := 0; i < degenerate; i++ {
		a, b, _ := s.Corners(order[i])
		add(a, b, b)
	}
	return out
}

func TestMendDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		sound := tubeSurface(r3.Vec{X: 1}, r3.Vec{X: 2, Y: 3, Z: 9}, 1, 24, 30, false)
		holes := rapid.IntRange(0, 5).Draw(t, "holes")
		flips := rapid.IntRange(0, 100).Draw(t, "flips")
		doubles := rapid.IntRange(0, 20).Draw(t, "doubles")
		degenerate := rapid.IntRange(0, 20).Draw(t, "degenerate")
		p, err := Prepare(damage(sound, rng, 1e-5, holes, flips, doubles, degenerate), Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := p.Mended
		if m.ClosedHoles != holes || m.DuplicateTriangles != doubles || m.DegenerateTriangles != degenerate || m.FlippedTriangles != flips {
			t.Fatalf("mended %+v, want %d holes, %d duplicates, %d degenerate, %d flipped", m, holes, doubles, degenerate, flips)
		}
		if v := sound.Volume(); math.Abs(p.Volume-v) > 1e-3*v {
			t.Fatalf("volume %g, want %g", p.Volume, v)
		}
		if len(mesh.BoundaryEdges(&p.Surface.Mesh)) > 0 {
			t.Fatal("the mended surface is not closed")
		}
		if p.Closed != (holes == 0) || p.Loops != holes || len(p.Openings) != 2 {
			t.Fatalf("closed %v, %d loops, %d openings; want %v, %d, 2", p.Closed, p.Loops, len(p.Openings), holes == 0, holes)
		}
	})
}

func TestMendInnerWall(t *testing.T) {
	shell := func(inner bool) *Surface {
		outer := sphereSurface(r3.Vec{}, 2, 10)
		hole := sphereSurface(r3.Vec{X: 0.3}, 0.6, 10)
		n := int32(len(outer.Vertices))
		outer.Vertices = append(outer.Vertices, hole.Vertices...)
		for _, tr := range hole.Triangles {
			v := [3]int32{tr.V[0] + n, tr.V[1] + n, tr.V[2] + n}
			if inner {
				v[1], v[2] = v[2], v[1]
			}
			outer.Triangles = append(outer.Triangles, mesh.Triangle{V: v})
		}
		return outer
	}
	big, small := sphereSurface(r3.Vec{}, 2, 10).Volume(), sphereSurface(r3.Vec{}, 0.6, 10).Volume()
	for _, inner := range []bool{false, true} {
		for _, inverted := range []bool{false, true} {
			s := shell(inner)
			if inverted {
				for i := range s.Triangles {
					v := &s.Triangles[i].V
					v[1], v[2] = v[2], v[1]
				}
			}
			g := mustVoxelize(t, s, Options{Spacing: 0.1})
			// Closed, it is an obstacle whichever way it is wound.
			want := big - small
			if got := float64(g.Cells()) * 1e-3; math.Abs(got-want) > 0.01*want {
				t.Errorf("inner wall %v, inverted %v: volume %g, want %g", inner, inverted, got, want)
			}
		}
	}
}

// A pipe whose wall has a thickness encloses the wall; the lumen is what the
// inner side makes.
func TestDoubleWallKeepsLumen(t *testing.T) {
	const outer, inner, n, rings = 1.3, 1.0, 40, 30
	s := tubeSurface(r3.Vec{}, r3.Vec{Y: 4, Z: 12}, outer, n, rings, true)
	in := tubeSurface(r3.Vec{}, r3.Vec{Y: 4, Z: 12}, inner, n, rings, true)
	base := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, in.Vertices...)
	for _, tr := range in.Triangles {
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{tr.V[0] + base, tr.V[2] + base, tr.V[1] + base}})
	}
	for j := int32(0); j < n; j++ {
		k := (j + 1) % n
		for _, ring := range []int32{0, rings * n} {
			a, b, c, d := ring+j, ring+k, base+ring+k, base+ring+j
			if ring == 0 {
				a, b, c, d = b, a, d, c
			}
			s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{a, b, c}}, mesh.Triangle{V: [3]int32{a, c, d}})
		}
	}
	if len(mesh.BoundaryEdges(&s.Mesh)) > 0 {
		t.Fatal("the pipe is not closed")
	}
	p, err := Prepare(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	length := math.Sqrt(160)
	if want := math.Pi * inner * inner * length; !p.DoubleWalled || math.Abs(p.Volume-want) > 0.02*want {
		t.Errorf("double-walled %v, volume %g; want the lumen's %g", p.DoubleWalled, p.Volume, want)
	}
	if len(p.Openings) != 2 {
		t.Errorf("%d openings, want 2", len(p.Openings))
	}
}

func TestOpenTubeIsCapped(t *testing.T) {
	closed := tubeSurface(r3.Vec{}, r3.Vec{X: 5, Z: 7}, 1, 40, 12, false)
	open := tubeSurface(r3.Vec{}, r3.Vec{X: 5, Z: 7}, 1, 40, 12, true)
	p, err := Prepare(open, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Mended.CappedOpenings != 2 || p.Mended.ClosedHoles != 0 || p.Loops != 2 || len(p.Openings) != 2 {
		t.Fatalf("mended %v, %d loops, %d openings; want two open ends capped", p.Mended, p.Loops, len(p.Openings))
	}
	a := mustVoxelize(t, closed, Options{Spacing: 0.1})
	b := mustVoxelize(t, open, Options{Spacing: 0.1})
	if !slices.Equal(a.Runs, b.Runs) {
		t.Errorf("the open tube has other cells than the closed one")
	}
	if len(a.Links.Openings) != len(b.Links.Openings) {
		t.Errorf("%d links meet the openings of the open tube, %d those of the closed one", len(b.Links.Openings), len(a.Links.Openings))
	}
}

// An open end is found though long triangles of the wall are lost beside it, so
// that one boundary runs around both and a cap of both folds across the end.
func TestNotchBesideOpenEnd(t *testing.T) {
	for _, n := range []int{16, 18, 20} {
		end := float64(n) / 2 * math.Sin(2*math.Pi/float64(n)) * 100
		for wide := 1; wide <= 5; wide++ {
			for deep := 1; deep <= 2; deep++ {
				s := tubeSurface(r3.Vec{}, r3.Vec{Z: 80e-3}, 10e-3, n, 3, true)
				var kept []mesh.Triangle
				for i, tr := range s.Triangles {
					if i/(2*n) >= deep || i%(2*n) >= wide {
						kept = append(kept, tr)
					}
				}
				s.Triangles = kept
				p, err := Prepare(s, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if len(p.Openings) != 2 || p.Mended.CappedOpenings != 2 {
					t.Errorf("%d around, a notch of %d × %d triangles: %v, %d openings", n, wide, deep, p.Mended, len(p.Openings))
				}
				for _, o := range p.Openings {
					// The other caps here are whole, and lean into the notch.
					if n == 16 && wide == 3 && deep == 2 && math.Abs(o.Area*1e6/end-1) > 0.01 {
						t.Errorf("%d around, a notch of %d × %d triangles: an end of %g mm², want %g", n, wide, deep, o.Area*1e6, end)
					}
				}
			}
		}
	}
}

// A closed hole no smaller than an end may have been one, which is said with
// its place and what to do; doing that makes an end there.
func TestLargeHoleIsSaid(t *testing.T) {
	const n, rings = 24, 40
	for _, c := range []struct {
		first, long, wide int
		said              bool
	}{{12, 3, 4, false}, {14, 14, 7, true}} {
		s := tubeSurface(r3.Vec{}, r3.Vec{Z: 100e-3}, 10e-3, n, rings, false)
		s.Unit = Millimetre
		var kept []mesh.Triangle
		for i, tr := range s.Triangles {
			ring, place := i/(2*n), i%(2*n)/2
			if ring < c.first || ring >= c.first+c.long || place >= c.wide {
				kept = append(kept, tr)
			}
		}
		s.Triangles = kept
		p, err := Prepare(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, at, said := strings.Cut(strings.Join(p.Warnings, " "), " around ")
		if said != c.said || len(p.Openings) != 2 || p.Mended.ClosedHoles != 1 {
			t.Errorf("%+v: %q, %d openings, %v", c, p.Warnings, len(p.Openings), p.Mended)
		}
		if !said {
			continue
		}
		var x, y, z float64
		if _, err := fmt.Sscanf(at, "%g,%g,%g,", &x, &y, &z); err != nil || math.Abs(z-2.5*(float64(c.first)+float64(c.long)/2)) > 1 || math.Hypot(x, y) > 10 {
			t.Errorf("the hole is said to be at %s, error %v", at, err)
		}
		p, err = Prepare(s, Options{Openings: []Disc{{Name: "cut", Center: r3.Vec{Z: 25e-3}, Radius: 15e-3}}})
		if err != nil || !slices.ContainsFunc(p.Openings, func(o Opening) bool { return o.Name == "cut" }) {
			t.Errorf("cut straight: error %v, %+v", err, p)
		}
	}
}

// Openings that the file names are those that are found without names.
func TestNamedOpeningsOfAirways(t *testing.T) {
	race.SkipArithmetic(t)
	t.Run("generated", func(t *testing.T) {
		named, ends := WornAirway(t, 3, false)
		compareOpenings(t, named, unnamed(named), len(ends))
	})
	t.Run("central", func(t *testing.T) {
		compareOpenings(t, read(t, "airway-central-patches-ascii-m.stl"), read(t, "airway-central-mm.stl"), 12)
	})
}

func compareOpenings(t *testing.T, named, s *Surface, ends int) {
	want, err := Prepare(named, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Openings) != ends || want.Openings[0].Name != "inlet" || want.Openings[0].Role != Inlet {
		t.Fatalf("the patched file has %d openings, the first is %+v", len(want.Openings), want.Openings[0])
	}
	got, err := Prepare(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Openings) != ends {
		t.Fatalf("%d openings, want %d", len(got.Openings), ends)
	}
	for _, w := range want.Openings {
		nearest := got.Openings[0]
		for _, o := range got.Openings {
			if r3.Norm(r3.Sub(o.Center, w.Center)) < r3.Norm(r3.Sub(nearest.Center, w.Center)) {
				nearest = o
			}
		}
		if d := r3.Norm(r3.Sub(nearest.Center, w.Center)); d > 0.5e-3 {
			t.Errorf("%s: the nearest opening is %.2f mm away", w.Name, d*1e3)
		}
		// The file's author drew the line 0.2 mm behind the plane; one triangle
		// more or less is 1 or 2 %.
		t.Logf("%s: area %.3f of the named patch", w.Name, nearest.Area/w.Area)
		if math.Abs(nearest.Area/w.Area-1) > 0.02 {
			t.Errorf("%s: area %g, the named patch has %g", w.Name, nearest.Area, w.Area)
		}
	}
}

// spoilt are damaged variants of a surface whose parts are named: some of its
// triangles are missing, turned over or torn off.
func spoilt(named *Surface) map[string]*Surface {
	rng := rand.New(rand.NewPCG(5, 9))
	change := func(to func(i int, tr mesh.Triangle, s *Surface)) *Surface {
		s := *unnamed(named)
		old := s.Triangles
		s.Vertices, s.Triangles = slices.Clone(s.Vertices), nil
		for i, tr := range old {
			to(i, tr, &s)
		}
		return &s
	}
	turned := func(tr mesh.Triangle) mesh.Triangle {
		tr.V[1], tr.V[2] = tr.V[2], tr.V[1]
		return tr
	}
	return map[string]*Surface{
		"open": change(func(i int, tr mesh.Triangle, s *Surface) {
			if named.Triangles[i].Solid == 0 {
				s.Triangles = append(s.Triangles, tr)
			}
		}),
		"inverted": change(func(_ int, tr mesh.Triangle, s *Surface) { s.Triangles = append(s.Triangles, turned(tr)) }),
		"a tenth turned over": change(func(_ int, tr mesh.Triangle, s *Surface) {
			if rng.IntN(10) == 0 {
				tr = turned(tr)
			}
			s.Triangles = append(s.Triangles, tr)
		}),
		"torn and doubled": change(func(_ int, tr mesh.Triangle, s *Surface) {
			if rng.IntN(4) == 0 {
				for k, v := range tr.V {
					tr.V[k] = int32(len(s.Vertices))
					s.Vertices = append(s.Vertices, s.Vertices[v])
				}
			}
			s.Triangles = append(s.Triangles, tr)
			if rng.IntN(50) == 0 {
				s.Triangles = append(s.Triangles, tr)
			}
		}),
	}
}

// Damage does not change how many openings an airway has; where the central one's
// ends were removed, two neighbouring loops are one.
func TestOpeningsOfVariants(t *testing.T) {
	race.SkipArithmetic(t)
	check := func(t *testing.T, s *Surface, want int) {
		p, err := Prepare(s, Options{})
		if err != nil || len(p.Openings) != want {
			t.Errorf("error %v, %d openings, want %d", err, len(p.Openings), want)
		}
	}
	named, ends := WornAirway(t, 3, false)
	for name, s := range spoilt(named) {
		t.Run("generated, "+name, func(t *testing.T) { check(t, s, len(ends)) })
	}
	for name, want := range map[string]int{
		"airway-central-open-mm.stl": 11, "difficult/airway-central-damaged-mm.stl": 12,
		"difficult/airway-central-flipped-10pct-mm.stl": 12, "difficult/airway-central-inverted-mm.stl": 12,
	} {
		t.Run(name, func(t *testing.T) { check(t, read(t, name), want) })
	}
}

// The variants of an airway give the sound one's cells to within 0.5 %, moved
// ones to within 0.01 %.
func TestCellsOfVariants(t *testing.T) {
	if testing.Short() {
		t.Skip("voxelizes fifteen airways")
	}
	t.Run("generated", func(t *testing.T) {
		named, _ := WornAirway(t, 3, false)
		compareCells(t, unnamed(named), spoilt(named), 0.5e-3)
	})
	t.Run("central", func(t *testing.T) {
		variants := map[string]*Surface{}
		for _, name := range []string{"airway-central-open-mm.stl", "airway-central-patches-ascii-m.stl", "difficult/airway-central-damaged-mm.stl",
			"difficult/airway-central-flipped-10pct-mm.stl", "difficult/airway-central-inverted-mm.stl"} {
			variants[name] = read(t, name)
		}
		compareCells(t, read(t, "airway-central-mm.stl"), variants, 0.25e-3)
	})
}

func compareCells(t *testing.T, whole *Surface, variants map[string]*Surface, spacing float64) {
	cells := func(s *Surface) float64 {
		g, err := Voxelize(context.Background(), s, Options{Spacing: spacing})
		if err != nil {
			t.Fatal(err)
		}
		return float64(g.Cells())
	}
	sound := cells(whole)
	compare := func(name string, got, limit float64) {
		t.Logf("%s: %+.4f %%", name, 100*(got/sound-1))
		if math.Abs(got/sound-1) > limit {
			t.Errorf("%s: %g cells, the sound one has %g", name, got, sound)
		}
	}
	for name, s := range variants {
		compare(name, cells(s), 0.005)
	}
	put := func(to func(v r3.Vec) r3.Vec) *Surface {
		s := *whole
		s.Vertices = slices.Clone(s.Vertices)
		for i, v := range s.Vertices {
			s.Vertices[i] = to(v)
		}
		return &s
	}
	// Moved by 10⁵ mm in the file's own single precision.
	move := func(x float64) float64 { return float64(float32(x*1e3)+1e5) / 1e3 }
	compare("moved", cells(put(func(v r3.Vec) r3.Vec { return r3.Vec{X: move(v.X), Y: move(v.Y), Z: move(v.Z)} })), 1e-4)
	compare("turned", cells(put(r3.NewRotation(1.1, r3.Vec{X: 1, Y: 2, Z: -0.7}).Rotate)), 0.005)
}
