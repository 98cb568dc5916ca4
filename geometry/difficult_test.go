package geometry

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/geometry/mesh"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// trueEnd is an end as it is known to be: its place in millimetres and its
// area in square millimetres.
type trueEnd struct {
	at   r3.Vec
	area float64
}

// difficultEnds are the ends of surfaces in which they are hard to find, the
// largest first. Nothing else on these surfaces is an end.
var difficultEnds = []struct {
	file   string
	ends   []trueEnd
	volume float64 // in millilitres
}{
	// Round ends with a radius of 2.2, 1.69, 1.39 and 1.39 mm by the section
	// behind them; the last is what the plane of its flat side cuts.
	{"difficult/openlb_aneurysm3d.stl", []trueEnd{
		{r3.Vec{X: -22.4, Y: 18.5, Z: -29.75}, 15.2}, {r3.Vec{X: -17.5, Y: 35.4, Z: 19.9}, 8.9},
		{r3.Vec{X: 32.8, Y: 18.3, Z: 14.3}, 6.06}, {r3.Vec{X: 36.5, Y: 15.1, Z: -5.1}, 6.1}, {r3.Vec{X: 5.0, Y: 34.5, Z: -20.2}, 3.7},
	}, 2.75},
	{"difficult/hemelb_exportedsurface.stl.gz", []trueEnd{
		{r3.Vec{X: 584.0, Y: -3750.4, Z: -2830.8}, 2184}, {r3.Vec{X: 387.3, Y: -3867.7, Z: -2874.6}, 1777},
		{r3.Vec{X: 546.1, Y: -3805.8, Z: -2916.4}, 328}, {r3.Vec{X: 441.3, Y: -3910.8, Z: -2861.2}, 283},
	}, 560.2},
	{"difficult/hemelb_test.stl", []trueEnd{{r3.Vec{}, 309}, {r3.Vec{X: 99}, 309}}, 27.5},
	// Two boundary loops, and the lumen of the trachea where its walls part
	// from the rim; its volume is known to nobody.
	{"difficult/hubmap_vhm_trachea_mainbronchi_m.stl", []trueEnd{
		{r3.Vec{X: -1.3, Y: 641.5, Z: 39.6}, 210}, {r3.Vec{X: -21.4, Y: 530.2, Z: -10.3}, 190}, {r3.Vec{X: 41.1, Y: 511.3, Z: -14.7}, 184.3},
	}, 0},
}

func TestEndsOfDifficultSurfaces(t *testing.T) {
	race.SkipArithmetic(t)
	for _, want := range difficultEnds {
		t.Run(want.file, func(t *testing.T) {
			s, err := ReadSurface(shared(t, want.file), UnknownUnit)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Prepare(s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkEnds(t, p, want.ends)
			if p.PartlyDoubleWalled && p.Mended.ClosedHoles != 1 {
				t.Errorf("%d holes closed, want that of 7.5 mm² in the outer wall", p.Mended.ClosedHoles)
			}
			largest, inlet := 0.0, 0.0
			for _, o := range p.Openings {
				largest = max(largest, o.Area)
				if o.Role == Inlet {
					inlet = o.Area
				}
			}
			if inlet < 0.999*largest {
				t.Errorf("the inlet has %g mm², the largest end %g", inlet*1e6, largest*1e6)
			}
			if v := p.Volume * 1e6; want.volume > 0 && math.Abs(v-want.volume) > 0.01*want.volume {
				t.Errorf("it encloses %.4g mL, want %.4g", v, want.volume)
			}
		})
	}
}

// checkEnds compares openings with the true ends: within 5 % of the area and
// 1 mm of the place.
func checkEnds(t *testing.T, p *Prepared, ends []trueEnd) {
	t.Helper()
	if len(p.Openings) != len(ends) {
		t.Errorf("%d openings, want %d: %+v", len(p.Openings), len(ends), p.Openings)
	}
	for _, want := range ends {
		best := Opening{Area: math.NaN()}
		for _, o := range p.Openings {
			if r3.Norm(r3.Sub(r3.Scale(1e3, o.Center), want.at)) <= 1 {
				best = o
			}
		}
		if area := best.Area * 1e6; !(math.Abs(area-want.area) <= 0.05*want.area) {
			t.Errorf("at %v: an end of %.4g mm², want %.4g", want.at, area, want.area)
		}
	}
}

// A closed body in a tube is an obstacle, whichever way it is wound.
func TestBodyInTubeIsObstacle(t *testing.T) {
	race.SkipArithmetic(t)
	for _, turned := range []bool{false, true} {
		for _, open := range []bool{false, true} {
			tube := tubeSurface(r3.Vec{}, r3.Vec{X: 99e-3}, 10e-3, 60, 40, open)
			body := tubeSurface(r3.Vec{X: 30e-3}, r3.Vec{X: 70e-3}, 5e-3, 40, 20, false)
			want := tubeSurface(r3.Vec{}, r3.Vec{X: 99e-3}, 10e-3, 60, 40, false).Volume() - body.Volume()
			if turned {
				body = insideOut(body)
			}
			p, err := Prepare(joined(tube, body), Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkEnds(t, p, []trueEnd{{r3.Vec{}, 313.6}, {r3.Vec{X: 99}, 313.6}})
			if p.Obstacles != 1 || math.Abs(p.Volume-want) > 1e-9*want {
				t.Errorf("turned %v, open %v: %d obstacles, volume %g, want 1 and %g", turned, open, p.Obstacles, p.Volume, want)
			}
			g := mustVoxelize(t, joined(tube, body), Options{Spacing: 0.5e-3})
			if v := float64(g.Cells()) * 0.125e-9; math.Abs(v-want) > 0.01*want {
				t.Errorf("turned %v, open %v: the cells hold %g, want %g", turned, open, v, want)
			}
		}
	}
}

// Bodies in a tube, on its axis and near its ends, neither hide the ends nor are
// they taken for the tube's own narrow places.
func TestBodiesDoNotNarrowTubes(t *testing.T) {
	race.SkipArithmetic(t)
	for _, at := range []float64{8e-3, 12e-3, 20e-3, 30e-3} {
		for _, radius := range []float64{1e-3, 2e-3, 4e-3} {
			tube := tubeSurface(r3.Vec{}, r3.Vec{X: 99e-3}, 10e-3, 60, 40, false)
			s := joined(tube, sphereSurface(r3.Vec{X: at}, radius, 8), sphereSurface(r3.Vec{X: 99e-3 - at, Y: 1e-3}, radius, 8))
			p, err := Prepare(s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkEnds(t, p, []trueEnd{{r3.Vec{}, 313.6}, {r3.Vec{X: 99}, 313.6}})
			if p.Obstacles != 2 || len(p.Warnings) > 0 {
				t.Errorf("bodies of %g at %g: %d obstacles, warnings %v", radius, at, p.Obstacles, p.Warnings)
			}
			for _, e := range p.Evidence {
				if e.Narrowest < 0.99 {
					t.Errorf("bodies of %g at %g: opening %d narrows to %g", radius, at, e.Number, e.Narrowest)
				}
			}
		}
	}
}

// meshedEnd returns a tube of radius 10 mm along z, closed at z = 0 by rings
// around a hub and at the other end by a fan.
func meshedEnd(n, rings int, length float64) (s *Surface, end []mesh.Triangle) {
	s = tubeSurface(r3.Vec{}, r3.Vec{Z: length}, 10e-3, n, rings, true)
	top := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, r3.Vec{Z: length})
	for j := range int32(n) {
		first := int32(rings * n)
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{top, first + j, first + (j+1)%int32(n)}})
	}
	outer := int32(0)
	for _, share := range []float64{0.8, 0.5, 0} {
		inner := int32(len(s.Vertices))
		for j := range n {
			s.Vertices = append(s.Vertices, r3.Scale(share, s.Vertices[j]))
		}
		for j := range int32(n) {
			k := (j + 1) % int32(n)
			if share == 0 {
				end = append(end, mesh.Triangle{V: [3]int32{outer + k, outer + j, inner}})
				continue
			}
			end = append(end, mesh.Triangle{V: [3]int32{outer + k, outer + j, inner + j}}, mesh.Triangle{V: [3]int32{outer + k, inner + j, inner + k}})
		}
		outer = inner
	}
	return s, end
}

// A flat end is one though its corners are rounded, as in a surface far from
// the coordinates' origin, and splinters lie in it.
func TestRoundedEndIsOne(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s, end := meshedEnd(40, 30, 60e-3)
		s.Triangles = append(s.Triangles, end...)
		// Corners of the end move within it, some next to others.
		for _, tr := range end {
			for _, v := range tr.V {
				if int(v) >= 31*40+1 && rng.IntN(2) == 0 {
					s.Vertices[v] = r3.Add(s.Vertices[v], r3.Vec{X: 1.2e-3 * rng.NormFloat64(), Y: 1.2e-3 * rng.NormFloat64()})
				}
			}
		}
		s = moved(s, rng, r3.Vec{X: 1, Y: 1, Z: 1}, r3.Vec{X: 0.6, Y: -3.8, Z: -2.9})
		for i, v := range s.Vertices {
			s.Vertices[i] = r3.Vec{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}
		}
		p, err := Prepare(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Openings) != 2 || math.Abs(p.Openings[1].Area*1e6-312.87) > 0.05*312.87 {
			t.Errorf("seed %d: %+v", seed, p.Openings)
		}
	}
}

// A hole at the rim of an end does not hide it.
func TestHoleBesideEnd(t *testing.T) {
	for drop := 2; drop <= 8; drop += 2 {
		s, end := meshedEnd(40, 30, 60e-3)
		s.Triangles = append(s.Triangles, end[drop:]...)
		p, err := Prepare(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		hole := 312.87 * 0.36 * float64(drop) / 80
		if len(p.Openings) != 2 || p.Openings[0].Center.Z < 50e-3 || math.Abs(p.Openings[1].Area*1e6-312.87+hole) > 0.05*312.87 {
			t.Errorf("with %d triangles less: %+v", drop, p.Openings)
		}
	}
}

// Where a torn surface is joined to its own other side, no winding suits all
// triangles; few are turned over and no vessel is closed off.
func TestTwistedBridgeTurnsLittle(t *testing.T) {
	const n, rings = 40, 60
	s := tubeSurface(r3.Vec{}, r3.Vec{Z: 120e-3}, 10e-3, n, rings, false)
	a, b := s.Triangles[2*n*5].V, s.Triangles[2*n*50+3].V
	out := *s
	out.Triangles = []mesh.Triangle{{V: [3]int32{a[0], a[1], b[0]}}, {V: [3]int32{b[0], a[1], b[1]}}}
	for i, tr := range s.Triangles {
		if i != 2*n*5 && i != 2*n*50+3 {
			out.Triangles = append(out.Triangles, tr)
		}
	}
	p, err := Prepare(&out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Mended.FlippedTriangles > 2 {
		t.Errorf("%d triangles turned over", p.Mended.FlippedTriangles)
	}
	checkEnds(t, p, []trueEnd{{r3.Vec{}, 312.87}, {r3.Vec{Z: 120}, 312.87}})
}

// Where a wall is double only in a part, only there the outer one is dropped:
// a pocket hangs from the rim into a tube and is closed at its bottom.
func TestPartlyDoubleWall(t *testing.T) {
	race.SkipArithmetic(t)
	const n, outer, inner = 48, 10e-3, 6.5e-3
	axis := r3.Vec{Y: 0.6, Z: 0.8}
	tube := tubeSurface(r3.Vec{}, r3.Scale(180e-3, axis), outer, n, 90, true)
	pocket := insideOut(tubeSurface(r3.Vec{}, r3.Scale(110e-3, axis), inner, n, 60, true))
	s := joined(tube, pocket)
	base := int32(len(tube.Vertices))
	bottom := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, r3.Scale(110e-3, axis))
	for j := int32(0); j < n; j++ {
		k := (j + 1) % n
		s.Triangles = append(s.Triangles,
			mesh.Triangle{V: [3]int32{k, j, base + j}}, mesh.Triangle{V: [3]int32{k, base + j, base + k}},
			mesh.Triangle{V: [3]int32{base + 60*n + k, base + 60*n + j, bottom}})
	}
	// A hole in the outer wall, a fourth of the way down.
	s.Triangles = slices.Delete(s.Triangles, 2*n*22, 2*n*22+1)
	p, err := Prepare(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Mended.ClosedHoles != 1 {
		t.Errorf("%d holes closed, want that of the outer wall", p.Mended.ClosedHoles)
	}
	section := n / 2 * math.Sin(2*math.Pi/n)
	if !p.PartlyDoubleWalled || len(p.Openings) != 2 {
		t.Fatalf("partly double-walled %v, openings %+v", p.PartlyDoubleWalled, p.Openings)
	}
	far, near := p.Openings[0], p.Openings[1]
	if r3.Norm(r3.Sub(far.Center, r3.Scale(180e-3, axis))) > 1e-3 || math.Abs(far.Area/(section*outer*outer)-1) > 0.05 {
		t.Errorf("the end of the tube: %+v", far)
	}
	if d := r3.Dot(near.Center, axis); d < 0 || d > 1e-3 || math.Abs(near.Area/(section*inner*inner)-1) > 0.05 {
		t.Errorf("the end of the pocket, %g m from the rim: %+v", d, near)
	}
	// Somewhere in the pocket's last two diameters its wall gives way to the
	// tube's.
	low := section * (110e-3*inner*inner + 70e-3*outer*outer)
	if v := p.Volume; v < low || v > low+section*4*inner*(outer*outer-inner*inner)+0.01*low {
		t.Errorf("volume %g, want some %g", v, low)
	}
	g := mustVoxelize(t, s, Options{Spacing: 0.7e-3})
	if v := float64(g.Cells()) * 0.343e-9; math.Abs(v/p.Volume-1) > 0.02 || len(g.lostOpenings(make([]bool, 3))) > 0 {
		t.Errorf("the cells hold %g, the surface encloses %g", v, p.Volume)
	}
}
