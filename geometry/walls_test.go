package geometry

import (
	"context"
	"math"
	"slices"
	"testing"

	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

func measureWalls(t testing.TB, s *Surface, o Options) (*Grid, *Walls, *Prepared) {
	t.Helper()
	p, err := Prepare(s, o)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := VoxelizePrepared(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	w, err := MeasureWalls(context.Background(), p, g, o.Workers)
	if err != nil {
		t.Fatal(err)
	}
	return g, w, p
}

func TestWallsOfSphere(t *testing.T) {
	s := sphereSurface(r3.Vec{X: 5}, 1, 40)
	g, w, p := measureWalls(t, s, Options{Spacing: 0.1})
	var sum float64
	for i, a := range w.Area {
		sum += float64(a)
		if a == 0 {
			continue
		}
		n := r3.Vec{X: float64(w.Normal[i][0]), Y: float64(w.Normal[i][1]), Z: float64(w.Normal[i][2])}
		x, y, z := g.locate(g.Starts(), g.Links.Cell(i))
		out := r3.Unit(r3.Sub(g.Center(x, y, z), r3.Vec{X: 5}))
		if r3.Dot(n, out) < math.Cos(10*math.Pi/180) {
			t.Fatalf("cell %d: normal %v, want about %v", i, n, out)
		}
	}
	if math.Abs(sum/p.Area-1) > 1e-3 || w.Lost != 0 {
		t.Errorf("wall areas sum to %g of the surface's, %g lost", sum/p.Area, w.Lost)
	}
}

func TestWallsLeaveOpeningsOut(t *testing.T) {
	s := tubeSurface(r3.Vec{}, r3.Vec{X: 3, Y: 1, Z: 9}, 1.2, 40, 20, false)
	_, w, p := measureWalls(t, s, Options{Spacing: 0.1, Workers: 1})
	want := p.Area
	for _, o := range p.Openings {
		want -= o.Area
	}
	var sum float64
	for _, a := range w.Area {
		sum += float64(a)
	}
	if math.Abs(sum/want-1) > 1e-3 {
		t.Errorf("wall areas sum to %g, want %g", sum, want)
	}
	_, again, _ := measureWalls(t, s, Options{Spacing: 0.1, Workers: 3})
	if !slices.Equal(w.Area, again.Area) || !slices.Equal(w.Normal, again.Normal) {
		t.Error("three workers give other areas than one")
	}
}

// At 0.25 mm the wall areas sum to the surface's within 2 %, on the generated
// airway at twice as much.
func TestWallsOfAirways(t *testing.T) {
	race.SkipArithmetic(t)
	onAirways(t, "airway-central-mm.stl", false, func(t *testing.T, s *Surface, ends []Opening) {
		spacing := 0.25e-3
		if ends != nil {
			spacing = 0.5e-3
		}
		_, w, p := measureWalls(t, s, Options{Spacing: spacing})
		want := p.Area
		for _, o := range p.Openings {
			want -= o.Area
		}
		var sum float64
		for _, a := range w.Area {
			sum += float64(a)
		}
		t.Logf("wall areas: %.6f of the surface's, lost %.2g of it", sum/want, w.Lost/want)
		if math.Abs(sum/want-1) > 0.02 {
			t.Errorf("wall areas sum to %g of the surface's", sum/want)
		}
	})
}
