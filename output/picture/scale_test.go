package picture

import (
	"math"
	"testing"

	"carina/geometry"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// The pixel in which a view shows the place of a pixel is the pixel itself.
func TestPlacesOfPixels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := output.Frame{Origin: r3.Vec{X: 0.1, Y: -3, Z: 2}, Spacing: rapid.Float64Range(1e-4, 2).Draw(t, "spacing")}
		for i := range f.Size {
			f.Size[i] = rapid.Int32Range(1, 40).Draw(t, "size") * rapid.SampledFrom([]int32{1, 70}).Draw(t, "times")
		}
		for _, v := range Views(f) {
			pixel := rapid.IntRange(0, int(v.Width*v.Height)-1).Draw(t, "pixel")
			depth := rapid.Int32Range(0, v.Size[v.away.along]-1).Draw(t, "depth")
			x, y, d := v.project(v.place(pixel, depth))
			if int(math.Floor(y))*int(v.Width)+int(math.Floor(x)) != pixel || int32(math.Floor(d)) != depth {
				t.Fatalf("%s: pixel %d at depth %d becomes (%g, %g) at %g", v.Name, pixel, depth, x, y, d)
			}
		}
	})
}

// withRim gives the cells beside the rim of the inlet a pressure of 90 Pa; that of
// the flow is between −1 and 1.6 Pa.
func withRim(pieces []*output.Piece) []*output.Piece {
	inlet := ends()[0]
	for _, p := range pieces {
		i := 0
		for _, r := range p.Runs {
			for x := r.X0; x < r.X1; x++ {
				at := r3.Sub(r3.Scale(p.Spacing, r3.Vec{X: float64(x) + 0.5, Y: float64(r.Y) + 0.5, Z: float64(r.Z) + 0.5}), inlet.Center)
				away := math.Abs(r3.Dot(at, inlet.Normal))
				if away < 1.5*p.Spacing && math.Sqrt(r3.Norm2(at)-away*away) > 4e-3 {
					p.Pressure[i] = 90
				}
				i++
			}
		}
	}
	return pieces
}

// The scale of pressures is that of the flow: what a jump of the velocity makes at
// the rim of an inlet does not bleach it, and the mean at the inlet lies on it.
func TestScaleOfPressureIsThatOfTheFlow(t *testing.T) {
	layers := composites(t, withRim(tube(60, 1)))
	c := FlowPicture{Openings: ends(), WallPressure: true, Pressure: []float64{1.5, -1, 0, 0, 0}}
	if _, s := c.scale(layers); !(s.low == -1 && s.high >= 1.5 && s.high < 2) {
		t.Errorf("from %g to %g Pa", s.low, s.high)
	}
	c.Pressure = []float64{3, -2, 0, 0, 0}
	if _, s := c.scale(layers); s.low != -2 || s.high != 3 {
		t.Errorf("with means from −2 to 3 Pa: from %g to %g Pa", s.low, s.high)
	}
	c.Pressure = nil
	if _, s := c.scale(layers); s.high != 90 {
		t.Errorf("without means the largest is %g", s.high)
	}
	c.WallPressure = false
	if _, s := c.scale(layers); s.low != 0 || s.high < 1 {
		t.Errorf("speeds from %g to %g", s.low, s.high)
	}
}

// What lies at openings whole has a scale all the same, and so has nothing at all.
func TestExtremesOfWhatIsLeft(t *testing.T) {
	nan, inf := nan32, float32(math.Inf(1))
	at := func(i int) r3.Vec { return r3.Vec{X: float64(i)} }
	disc := []geometry.Opening{{Normal: r3.Vec{X: 1}, Area: 100 * math.Pi}}
	for _, c := range []struct {
		values    []float32
		means     []float64
		low, high float64
	}{
		{[]float32{1, 2, 3}, nil, 1, 3},
		{[]float32{1, nan, inf, 3}, []float64{math.NaN(), 2}, 1, 3}, // all lie at the opening
		{[]float32{9, 9, 9, 9, 9, 3, 1, 2}, nil, 1, 9},
		{[]float32{9, 9, 9, 9, 9, 3, 1, 2}, []float64{2}, 1, 3}, // those nearer than 5 to the plane lie at the opening
		{nil, nil, 0, 0},
		{nil, []float64{4, 5}, 4, 5},
	} {
		if low, high := Extremes(c.values, at, disc, c.means); low != c.low || high != c.high {
			t.Errorf("%v with means %v: from %g to %g, want %g to %g", c.values, c.means, low, high, c.low, c.high)
		}
	}
}
