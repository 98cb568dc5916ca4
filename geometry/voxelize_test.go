package geometry

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"carina/geometry/mend"
	"carina/geometry/mesh"
	"carina/internal/race"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

func mustVoxelize(t testing.TB, s *Surface, o Options) *Grid {
	t.Helper()
	g, err := Voxelize(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Faces, edges and corners of these boxes run through cell centres.
func TestFillTieRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		half := func(name string) (a, b int) {
			a = rapid.IntRange(0, 20).Draw(t, name)
			return a, a + rapid.IntRange(1, 20).Draw(t, name+" length")
		}
		x0, x1 := half("x")
		y0, y1 := half("y")
		z0, z1 := half("z")
		low := r3.Vec{X: float64(x0) / 2, Y: float64(y0) / 2, Z: float64(z0) / 2}
		high := r3.Vec{X: float64(x1) / 2, Y: float64(y1) / 2, Z: float64(z1) / 2}
		size := [3]int32{24, 24, 24}
		l := newLattice(&boxSurface(low, high).Mesh, make([]uint16, 12), r3.Vec{}, 1, size)
		runs, leaks, err := l.fillRows(context.Background(), nonzero, 1, nil)
		if err != nil || leaks > 0 {
			t.Fatalf("error %v, %d leaking rows", err, leaks)
		}
		g := Grid{Runs: runs}
		// Cells with low ≤ centre < high, per axis.
		inside := func(a, b int) (n int64) {
			for i := 0; i < 24; i++ {
				if c := 2*i + 1; a <= c && c < b {
					n++
				}
			}
			return n
		}
		if got, want := g.Cells(), inside(x0, x1)*inside(y0, y1)*inside(z0, z1); got != want {
			t.Fatalf("%d cells, want %d", got, want)
		}
	})
}

// A rotated surface is filled as the half spaces of its convex hull say.
func TestFillConvex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		s := tetrahedron(1)
		for i := range s.Vertices {
			s.Vertices[i] = r3.Vec{X: 1 + 14*rng.Float64(), Y: 1 + 14*rng.Float64(), Z: 1 + 14*rng.Float64()}
		}
		m, _ := mend.Mend(&s.Mesh)
		s.Mesh = *m
		size := [3]int32{16, 16, 33}
		l := newLattice(m, make([]uint16, 4), r3.Vec{}, 1, size)
		runs, leaks, err := l.fillRows(context.Background(), nonzero, 2, nil)
		if err != nil || leaks > 0 {
			t.Fatalf("error %v, %d leaking rows", err, leaks)
		}
		g := Grid{Runs: runs, Size: size}
		for z := int32(0); z < 16; z++ {
			for y := int32(0); y < 16; y++ {
				for x := int32(0); x < 16; x++ {
					p := r3.Vec{X: float64(x) + 0.5, Y: float64(y) + 0.5, Z: float64(z) + 0.5}
					inside, clear := true, true
					for i := range s.Triangles {
						a, _, _ := s.Corners(i)
						d := r3.Dot(r3.Unit(s.AreaVector(i)), r3.Sub(p, a))
						inside = inside && d < 0
						clear = clear && math.Abs(d) > 1e-9
					}
					if got := g.Contains(x, y, z); clear && got != inside {
						t.Fatalf("cell %d %d %d is %v, want %v", x, y, z, got, inside)
					}
				}
			}
		}
	})
}

// rayFraction is an independent computation of q: the nearest meeting of the
// link with any triangle, by Möller and Trumbore (1997), or +Inf.
func rayFraction(s *Surface, from, step r3.Vec) float64 {
	best := math.Inf(1)
	for i := range s.Triangles {
		a, b, c := s.Corners(i)
		e1, e2 := r3.Sub(b, a), r3.Sub(c, a)
		p := r3.Cross(step, e2)
		det := r3.Dot(e1, p)
		if math.Abs(det) < 1e-30 {
			continue
		}
		d := r3.Sub(from, a)
		u := r3.Dot(d, p) / det
		q := r3.Cross(d, e1)
		v := r3.Dot(step, q) / det
		const slack = 1e-9
		if u < -slack || v < -slack || u+v > 1+slack {
			continue
		}
		if f := r3.Dot(e2, q) / det; f > -slack && f <= 1+slack {
			best = min(best, max(f, 0))
		}
	}
	return best
}

// checkFractions compares random links with rayFraction and returns the
// largest difference.
func checkFractions(t testing.TB, s *Surface, g *Grid, samples int) float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	starts := g.Starts()
	var worst float64
	for n := 0; n < samples; n++ {
		i := rng.IntN(g.Links.Len())
		x, y, z := g.locate(starts, g.Links.Cell(i))
		link := g.Links.First(i)
		for d, o := range Directions[:g.Links.Directions] {
			if g.Links.Mask[i]>>d&1 == 0 {
				continue
			}
			from := g.Center(x, y, z)
			step := r3.Scale(g.Spacing, r3.Vec{X: float64(o.X), Y: float64(o.Y), Z: float64(o.Z)})
			want := rayFraction(s, from, step)
			if got := g.Links.Fraction(link); !math.IsInf(want, 1) {
				worst = max(worst, math.Abs(got-max(want, 1.0/65536)))
			} else {
				t.Errorf("link %d of cell %d %d %d meets nothing", d, x, y, z)
			}
			link++
		}
	}
	return worst
}

// locate finds the place of a cell by its global number.
func (g *Grid) locate(starts []int64, cell int64) (x, y, z int32) {
	low, high := 0, len(g.Runs)
	for low+1 < high {
		if m := (low + high) / 2; starts[m] <= cell {
			low = m
		} else {
			high = m
		}
	}
	r := g.Runs[low]
	return r.X0 + int32(cell-starts[low]), r.Y, r.Z
}

func TestLinkFractions(t *testing.T) {
	// The encoding alone is off by up to half of 1/65536 = 7.6e-6.
	const limit = 1e-5
	tilted := tubeSurface(r3.Vec{X: 1, Y: 2, Z: 3}, r3.Vec{X: 4, Y: 8, Z: 12}, 1.3, 24, 7, false)
	for name, s := range map[string]*Surface{
		"sphere": sphereSurface(r3.Vec{X: 100, Y: -3, Z: 5}, 1, 12),
		"tube":   tilted,
		"box":    boxSurface(r3.Vec{}, r3.Vec{X: 1, Y: 2, Z: 3}),
	} {
		for _, directions := range []int{18, 26} {
			g := mustVoxelize(t, s, Options{Spacing: 0.17, Directions: directions})
			if worst := checkFractions(t, s, g, 500); worst > limit {
				t.Errorf("%s, %d directions: q is off by up to %g", name, directions, worst)
			}
		}
	}
}

// Links are complete and carry the openings: brute force over all cells.
func TestLinksComplete(t *testing.T) {
	s := tubeSurface(r3.Vec{}, r3.Vec{X: 3, Y: 1, Z: 9}, 1.2, 20, 9, false)
	g := mustVoxelize(t, s, Options{Spacing: 0.31, Directions: 26})
	if len(g.Openings) != 2 {
		t.Fatalf("%d openings, want the tube's 2", len(g.Openings))
	}
	opening := map[int64]uint16{}
	for _, o := range g.Links.Openings {
		opening[o.Link] = o.Number
	}
	var cell, link int64
	boundary := 0
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			var mask uint32
			for d, o := range Directions {
				if g.Contains(x+int32(o.X), r.Y+int32(o.Y), r.Z+int32(o.Z)) {
					continue
				}
				mask |= 1 << d
				p := r3.Add(g.Center(x, r.Y, r.Z), r3.Scale(g.Links.Fraction(link)*g.Spacing, r3.Vec{X: float64(o.X), Y: float64(o.Y), Z: float64(o.Z)}))
				for _, end := range g.Openings {
					d := r3.Sub(p, end.Center)
					flat, wide := math.Abs(r3.Dot(d, end.Normal)) < 1e-4, r3.Norm(d) < 1.1
					if flat && wide && opening[link] != uint16(end.Number) {
						t.Errorf("link %d ends on opening %d and is marked %d", link, end.Number, opening[link])
					}
					if !flat && opening[link] == uint16(end.Number) {
						t.Errorf("link %d is marked as opening %d, %g away from it", link, end.Number, r3.Dot(d, end.Normal))
					}
				}
				link++
			}
			if mask != 0 {
				if boundary >= g.Links.Len() || g.Links.Cell(boundary) != cell || g.Links.Mask[boundary] != mask {
					t.Fatalf("boundary cell %d is not cell %d with mask %x", boundary, cell, mask)
				}
				boundary++
			}
			cell++
		}
	}
	if _, last := g.Links.Range(g.Links.Len() - 1); boundary != g.Links.Len() || link != int64(len(g.Links.Distance)) || link != last {
		t.Errorf("%d boundary cells and %d links, want %d and %d", g.Links.Len(), len(g.Links.Distance), boundary, link)
	}
}

func TestVoxelizeSameForAllWorkers(t *testing.T) {
	s := tubeSurface(r3.Vec{}, r3.Vec{X: 3, Y: 1, Z: 19}, 1.2, 20, 9, false)
	want := mustVoxelize(t, s, Options{Spacing: 0.1, Workers: 1})
	for _, workers := range []int{2, 5} {
		got := mustVoxelize(t, s, Options{Spacing: 0.1, Workers: workers})
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Links{})); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
		if want.Fingerprint() != got.Fingerprint() {
			t.Errorf("%d workers: the fingerprint differs", workers)
		}
	}
}

func TestVoxelizeRefuses(t *testing.T) {
	tube := tubeSurface(r3.Vec{}, r3.Vec{Z: 9}, 1, 20, 9, false)
	for want, o := range map[string]Options{
		"say how fine":           {},
		"positive length":        {Spacing: -1},
		"not both":               {Spacing: 1, FluidCells: 10},
		"must be positive":       {FluidCells: -1},
		"the lumen has room for": {Spacing: 5},
		"GiB":                    {Spacing: 1e-4, MemoryLimit: 1 << 20},
		"larger spacing":         {Spacing: 1e-12},
		"there is no opening 3":  {Spacing: 0.1, Inlet: 3},
		"18 or 26":               {Spacing: 0.1, Directions: 6},
	} {
		if _, err := Voxelize(context.Background(), tube, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", o, err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Voxelize(ctx, tube, Options{Spacing: 0.1}); err == nil {
		t.Error("a cancelled voxelization gave a grid")
	}
}

func TestVoxelizeAirways(t *testing.T) {
	race.SkipArithmetic(t)
	onAirways(t, "airway-central-mm.stl", false, func(t *testing.T, s *Surface, ends []Opening) {
		spacing := 0.25e-3
		if ends != nil {
			spacing = 0.5e-3
		}
		g := mustVoxelize(t, s, Options{Spacing: spacing})
		volume := float64(g.Cells()) * math.Pow(g.Spacing, 3)
		if ratio := volume / s.Volume(); math.Abs(ratio-1) > 0.01 {
			t.Errorf("fluid volume is %g of the surface's", ratio)
		}
		if worst := checkFractions(t, s, g, 200); worst > 1e-5 {
			t.Errorf("q is off by up to %g", worst)
		}
	})
}

// The estimate covers what a grid holds, and not many times that.
func TestMemoryEstimate(t *testing.T) {
	race.SkipArithmetic(t)
	s := tubeSurface(r3.Vec{}, r3.Vec{X: 3, Y: 1, Z: 9}, 1.2, 40, 20, false)
	for _, spacing := range []float64{0.2, 0.05, 0.02} {
		g := mustVoxelize(t, s, Options{Spacing: spacing})
		box := [3]float64{float64(g.Size[0]), float64(g.Size[1]), float64(g.Size[2])}
		held := int64(16*len(g.Runs)) + g.Links.bytes()
		if estimate := MemoryEstimate(s.Area(), spacing, box); estimate < held || estimate > 6*held {
			t.Errorf("spacing %g: estimate %d bytes, the grid holds %d", spacing, estimate, held)
		}
	}
}

func TestProgressGrows(t *testing.T) {
	s := tubeSurface(r3.Vec{}, r3.Vec{Z: 9}, 1, 20, 9, false)
	last := map[string]float64{}
	mustVoxelize(t, s, Options{Spacing: 0.05, Workers: 4, Progress: func(stage string, done float64) {
		if done <= last[stage] || done > 1 {
			t.Errorf("%s: %g after %g", stage, done, last[stage])
		}
		last[stage] = done
	}})
	if last["fill"] != 1 || last["links"] != 1 {
		t.Errorf("stages end at %v", last)
	}
}

// Every end found on an airway is connected to the trachea where its thinnest
// branches are four cells wide: on the full one 1.6 mm, on the generated one
// 5.1 mm.
func TestAirwaysStayConnected(t *testing.T) {
	race.SkipArithmetic(t)
	onAirways(t, "airway-full-mm.stl", false, func(t *testing.T, s *Surface, ends []Opening) {
		spacing, least := 0.4e-3, 80
		if ends != nil {
			thinnest := ends[0].Area
			for _, o := range ends {
				thinnest = min(thinnest, o.Area)
			}
			spacing, least = 2*math.Sqrt(thinnest/math.Pi)/4, len(ends)
		}
		p, err := Prepare(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, filled, err := VoxelizePrepared(context.Background(), p, Options{Spacing: spacing})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d openings, %d cells of %g, %d cells in %d islands dropped", len(p.Openings), g.Cells(), spacing, filled.DroppedCells, filled.DroppedParts)
		if len(p.Openings) < least || len(filled.LostOpenings) > 0 {
			t.Errorf("%d openings, of which %v are not connected to the trachea", len(p.Openings), filled.LostOpenings)
		}
	})
}

// Two boxes less than a cell apart grow together, and that is said.
func TestJoinedPairs(t *testing.T) {
	for _, c := range []struct {
		gap  float64
		want int64
	}{{0.05, 100}, {0.2, 0}} {
		// Cells of 0.1 have their centres at odd multiples of 0.05 in x.
		s := boxSurface(r3.Vec{}, r3.Vec{X: 0.975, Y: 1, Z: 1})
		other := boxSurface(r3.Vec{X: 0.975 + c.gap}, r3.Vec{X: 2, Y: 1, Z: 1})
		n := int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, other.Vertices...)
		for _, tr := range other.Triangles {
			s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{tr.V[0] + n, tr.V[1] + n, tr.V[2] + n}})
		}
		p, err := Prepare(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, filled, err := VoxelizePrepared(context.Background(), p, Options{Spacing: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		if filled.JoinedPairs != c.want {
			t.Errorf("gap %g: %d pairs are joined, want %d", c.gap, filled.JoinedPairs, c.want)
		}
	}
}
