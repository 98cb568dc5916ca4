package validate

import (
	"math"
	"testing"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// A slab between two planes, which an opening's plane ends, has its walls and its
// opening where these are, on cells' centres too: those are not fluid.
func TestGridOfASlab(t *testing.T) {
	const n = 12
	for _, c := range []struct{ low, high, end float64 }{{2.25, 9.6, 8.75}, {2.5, 9.5, 8.5}, {3, 9, 7.9}} {
		sh := &shape{size: [3]int32{n, n, n}, spacing: 0.5, periodic: [3]bool{false, false, true},
			inside:   func(p r3.Vec) float64 { return min(p.Y/0.5-c.low, c.high-p.Y/0.5, p.X/0.5-1) },
			openings: []geometry.Opening{{Number: 1, Center: r3.Vec{X: c.end * 0.5}, Normal: r3.Vec{X: 1}}},
		}
		g := sh.grid()
		fluid := func(x, y int32) bool {
			return float64(x)+0.5 > 1 && float64(x)+0.5 <= c.end && float64(y)+0.5 > c.low && float64(y)+0.5 < c.high
		}
		var cells int64
		for y := range int32(n) {
			for x := range int32(n) {
				if fluid(x, y) {
					cells += n
				}
				if got := g.Contains(x, y, 5); got != fluid(x, y) {
					t.Errorf("%+v: cell (%d, %d) is fluid: %v", c, x, y, got)
				}
			}
		}
		if g.Cells() != cells {
			t.Errorf("%+v: %d cells, want %d", c, g.Cells(), cells)
		}
		checkAxes(t, g, func(x, y float64, d r3.Vec) (distance float64, opening uint16) {
			switch {
			case d.X > 0:
				return c.end - x, 1
			case d.X < 0:
				return x - 1, 0
			case d.Y > 0:
				return c.high - y, 0
			default:
				return y - c.low, 0
			}
		})
	}
}

// checkAxes compares the links along x and y with their lengths in cells and the
// openings that they meet.
func checkAxes(t *testing.T, g *geometry.Grid, want func(x, y float64, d r3.Vec) (float64, uint16)) {
	t.Helper()
	through := map[int64]uint16{}
	for _, o := range g.Links.Openings {
		through[o.Link] = o.Number
	}
	places := make([][2]float64, 0, g.Cells())
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			places = append(places, [2]float64{float64(x) + 0.5, float64(r.Y) + 0.5})
		}
	}
	checked := 0
	for i := range g.Links.Len() {
		cell, link := g.Links.Cell(i), g.Links.First(i)
		for d, offset := range geometry.Directions {
			if g.Links.Mask[i]>>d&1 == 0 {
				continue
			}
			v := r3.Vec{X: float64(offset.X), Y: float64(offset.Y), Z: float64(offset.Z)}
			if v.Z == 0 && math.Abs(v.X)+math.Abs(v.Y) == 1 {
				checked++
				length, opening := want(places[cell][0], places[cell][1], v)
				length = max(length, 1./65536)
				if got := (float64(g.Links.Distance[link]) + 1) / 65536; math.Abs(got-length) > 1./65536 || through[link] != opening {
					t.Fatalf("from (%g, %g) along %v: %g to opening %d, want %g to %d", places[cell][0], places[cell][1], v, got, through[link], length, opening)
				}
			}
			link++
		}
	}
	if checked == 0 {
		t.Error("no cell has links along x or y")
	}
}

// Between two points of a curve, and beyond its ends, its value is on the line
// through the nearest two.
func TestInterpolate(t *testing.T) {
	c := Curve{X: []float64{0, 1, 3, 4}, Y: []float64{2, 4, 0, 5}}
	for x, want := range map[float64]float64{-1: 0, 0: 2, 0.25: 2.5, 1: 4, 2: 2, 2.5: 1, 3: 0, 3.5: 2.5, 4: 5, 5: 10} {
		if got := interpolate(c, x); math.Abs(got-want) > 1e-12 {
			t.Errorf("at %g: %g, want %g", x, got, want)
		}
	}
}

// The duct of the bifurcation has the volume of its parts, and its halves mirror
// each other.
func TestBifurcationShape(t *testing.T) {
	const n = 8
	g := bifurcationShape(n).grid()
	if want := int64((2*1 + 1*3 + 3*2) * n * n * n); g.Cells() != want {
		t.Errorf("%d cells, want %d", g.Cells(), want)
	}
	for y := range int32(2 * n) {
		for x := range int32(6 * n) {
			if g.Contains(x, y, 3) != g.Contains(x, 4*n-1-y, 3) {
				t.Fatalf("cell (%d, %d) has no mirror image", x, y)
			}
		}
	}
}
