package geometry

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"carina/geometry/mesh"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// A tube without flat ends, cut at both ends by hand, is a cylinder.
func TestDiscCutsTube(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		axis := r3.Unit(r3.Vec{X: 2*rng.Float64() - 1, Y: 2*rng.Float64() - 1, Z: 1.5})
		s := tubeSurface(r3.Scale(-10, axis), r3.Scale(10, axis), 1, 40, 50, false)
		front := 3 + 5*rng.Float64()
		back := -3 - 5*rng.Float64()
		p, err := Prepare(s, Options{Openings: []Disc{
			{Center: r3.Scale(front, axis), Radius: 1.6, Name: "top"},
			{Center: r3.Scale(back, axis), Radius: 1.6, Name: "bottom"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if len(mesh.BoundaryEdges(&p.Surface.Mesh)) > 0 {
			t.Fatal("the cut surface is not closed")
		}
		// The section of the prism with 40 sides.
		section := 20 * math.Sin(2*math.Pi/40)
		if want := section * (front - back); math.Abs(p.Volume-want) > 0.01*want {
			t.Fatalf("volume %g, want %g", p.Volume, want)
		}
		if len(p.Openings) != 2 {
			t.Fatalf("%d openings, want 2", len(p.Openings))
		}
		for _, o := range p.Openings {
			want := axis
			if o.Name == "bottom" {
				want = r3.Scale(-1, axis)
			}
			if r3.Dot(o.Normal, want) < math.Cos(2*math.Pi/180) || math.Abs(o.Area-section) > 0.01*section {
				t.Fatalf("%s: normal %v, area %g; want %v, %g", o.Name, o.Normal, o.Area, want, section)
			}
		}
	}
}

// Two cuts through the same long triangles leave what lies between them; those
// that meet are refused.
func TestDiscsCutTheSameTriangles(t *testing.T) {
	const radius, n = 1.0, 24
	disc := func(z float64, normal r3.Vec, name string) Disc {
		return Disc{Center: r3.Vec{Z: z}, Radius: 2, Normal: normal, Name: name}
	}
	for _, open := range []bool{false, true} {
		// A tube of one ring, whose sides are as long as it is.
		s := tubeSurface(r3.Vec{}, r3.Vec{Z: 10}, radius, n, 1, open)
		p, err := Prepare(s, Options{Openings: []Disc{disc(2, r3.Vec{Z: -1}, "low"), disc(8, r3.Vec{Z: 1}, "high")}})
		if err != nil {
			t.Fatal(err)
		}
		section := n / 2 * math.Sin(2*math.Pi/n) * radius * radius
		if len(p.Openings) != 2 || math.Abs(p.Volume/(6*section)-1) > 1e-9 || len(mesh.BoundaryEdges(&p.Surface.Mesh)) > 0 {
			t.Fatalf("open %v: %d openings, volume %g, want 2 and %g", open, len(p.Openings), p.Volume, 6*section)
		}
		for _, o := range p.Openings {
			if want := map[string]float64{"low": 2, "high": 8}[o.Name]; math.Abs(o.Area/section-1) > 1e-9 || math.Abs(o.Center.Z-want) > 1e-9 {
				t.Errorf("open %v: %s has %g at %g, want %g at %g", open, o.Name, o.Area, o.Center.Z, section, want)
			}
		}
		// Directions that are not given are found.
		if p, err := Prepare(s, Options{Openings: []Disc{disc(2, r3.Vec{}, "low"), disc(8, r3.Vec{}, "high")}}); err != nil || len(p.Openings) != 2 || math.Abs(p.Volume/(6*section)-1) > 0.01 {
			t.Errorf("open %v, directions to be found: %v", open, err)
		}
		aslant := r3.Unit(r3.Vec{X: 1, Z: 1})
		if _, err := Prepare(s, Options{Openings: []Disc{disc(5, r3.Vec{Z: -1}, "low"), disc(5, aslant, "high")}}); err == nil || !strings.Contains(err.Error(), "leave one of them out") {
			t.Errorf("open %v: discs that meet: %v", open, err)
		}
	}
}

func TestDiscRefuses(t *testing.T) {
	s := tubeSurface(r3.Vec{}, r3.Vec{Z: 10}, 1, 24, 20, false)
	for want, d := range map[string]Disc{
		"radius must be positive": {Center: r3.Vec{Z: 5}},
		"no plane there":          {Center: r3.Vec{X: 3, Z: 5}, Radius: 1.5},
		"enlarge the radius":      {Center: r3.Vec{Z: 5}, Radius: 0.5},
	} {
		if _, err := Prepare(s, Options{Openings: []Disc{d}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", d, err, want)
		}
	}
}

// The segmented airway has no flat ends; these places were read off its
// branches.
var ctOpenings = []Disc{
	{Center: r3.Vec{X: 3.28e-3, Y: -15.53e-3, Z: -16.29e-3}, Radius: 8e-3, Name: "trachea"},
	{Center: r3.Vec{X: 56.77e-3, Y: 16.70e-3, Z: -228.46e-3}, Radius: 2e-3, Name: "left_lower"},
	{Center: r3.Vec{X: -61.86e-3, Y: -7.41e-3, Z: -215.08e-3}, Radius: 2.2e-3, Name: "right_lower"},
	{Center: r3.Vec{X: 64.17e-3, Y: -12.29e-3, Z: -175.44e-3}, Radius: 2.2e-3, Name: "left_lingula"},
	{Center: r3.Vec{X: 56.04e-3, Y: -10.95e-3, Z: -137.97e-3}, Radius: 2.6e-3, Name: "left_upper"},
	{Center: r3.Vec{X: -43.27e-3, Y: 22.65e-3, Z: -120.31e-3}, Radius: 1.5e-3, Name: "right_upper"},
	{Center: r3.Vec{X: -45.85e-3, Y: 17.94e-3, Z: -177.49e-3}, Radius: 2.8e-3, Name: "right_middle"},
}

func TestDiscsOnSegmentedAirway(t *testing.T) {
	race.SkipArithmetic(t)
	onAirways(t, "airway-ct-mm.stl", true, func(t *testing.T, s *Surface, ends []Opening) {
		if ends == nil {
			checkDiscs(t, s, ctOpenings)
			return
		}
		var discs []Disc
		for i, o := range ends {
			radius := math.Sqrt(o.Area / math.Pi)
			discs = append(discs, Disc{Center: r3.Sub(o.Center, r3.Scale(0.3*radius, o.Normal)), Radius: 1.2 * radius, Name: fmt.Sprintf("branch_%d", i)})
		}
		discs[0].Name = "trachea"
		p := checkDiscs(t, s, discs)
		for i, o := range p.Openings {
			// The smallest section near the place where a tube was rounded off.
			if share := o.Area / ends[i].Area; share < 0.9 || share > 1.02 {
				t.Errorf("%s: area %g of its tube's", o.Name, share)
			}
		}
	})
}

// checkDiscs cuts a surface at discs, the trachea first.
func checkDiscs(t *testing.T, s *Surface, discs []Disc) *Prepared {
	t.Helper()
	p, err := Prepare(s, Options{Openings: discs})
	if err != nil {
		t.Fatal(err)
	}
	g, filled, err := VoxelizePrepared(context.Background(), p, Options{Spacing: 0.5e-3})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Openings) != len(discs) || g.Openings[0].Name != "trachea" || g.Openings[0].Role != Inlet || len(filled.LostOpenings) > 0 {
		t.Errorf("openings %v, lost %v", g.Openings, filled.LostOpenings)
	}
	for _, o := range g.Openings {
		t.Logf("%d %s %.2f mm²", o.Number, o.Name, o.Area*1e6)
	}
	// Nothing lies beyond an opening's plane near it.
	for _, o := range g.Openings {
		radius := math.Sqrt(o.Area / math.Pi)
		for _, r := range g.Runs {
			for x := r.X0; x < r.X1; x++ {
				d := r3.Sub(g.Center(x, r.Y, r.Z), o.Center)
				if h := r3.Dot(d, o.Normal); h > 1e-6 && h < radius && r3.Norm(r3.Sub(d, r3.Scale(h, o.Normal))) < 0.7*radius {
					t.Fatalf("%s: a cell lies %.2f mm beyond it", o.Name, h*1e3)
				}
			}
		}
	}
	return p
}
