package picture

import (
	"image"
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/mesh"
	"carina/internal/race"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
)

// ball is a piece that fills a ball of the given radius in cells.
func ball(radius int) *output.Piece {
	n := int32(2*radius + 2)
	p := &output.Piece{Frame: output.Frame{Spacing: 1e-3, Size: [3]int32{n, n, n}}, Ranks: 1}
	middle := float64(n) / 2
	for z := range n {
		for y := range n {
			for x := range n {
				d := math.Hypot(math.Hypot(float64(x)+0.5-middle, float64(y)+0.5-middle), float64(z)+0.5-middle)
				if d > float64(radius) {
					continue
				}
				p.Runs = append(p.Runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
				p.Pressure = append(p.Pressure, float32(z))
				p.Velocity = append(p.Velocity, [3]float32{0, 0, float32(1 - d/float64(radius))})
			}
		}
	}
	return p
}

// The relief of a ball must have a round outline of the right area and the
// normals of a ball, although it is made of steps.
func TestReliefOfBall(t *testing.T) {
	const radius = 40
	layers := composites(t, []*output.Piece{ball(radius)})
	r := reliefOf(layers[0])
	middle := float64(r.width) / 2
	var s sample
	inside, samples, wrong := 0, 0, 0.0
	const step = 0.25
	for y := step / 2; y < float64(r.height); y += step {
		for x := step / 2; x < float64(r.width); x += step {
			if !r.at(&s, alongOf(x), alongOf(y)) {
				continue
			}
			inside++
			d := math.Hypot(x-middle, y-middle)
			if d > 0.8*radius {
				continue
			}
			var got [2]float64
			for k := range s.count {
				got[0] += float64(s.weight[k] * r.slope[s.column[k]][0])
				got[1] += float64(s.weight[k] * r.slope[s.column[k]][1])
			}
			depth := math.Sqrt(radius*radius - d*d)
			n, want := unit3([3]float64{got[0], got[1], 1}), unit3([3]float64{x - middle, y - middle, depth})
			wrong += math.Acos(min(1, n[0]*want[0]+n[1]*want[1]+n[2]*want[2]))
			samples++
		}
	}
	if area, want := float64(inside)*step*step, math.Pi*radius*radius; math.Abs(area/want-1) > 0.01 {
		t.Errorf("outline encloses %.1f columns, want %.1f", area, want)
	}
	// Unsmoothed steps have normals along the axes: 25° off on average.
	if mean := wrong / float64(samples) * 180 / math.Pi; mean > 4 {
		t.Errorf("normals are %.1f° off on average", mean)
	}
}

// Tubes as thin as one column must stay visible.
func TestThinTubesStay(t *testing.T) {
	frame := output.Frame{Spacing: 1e-3, Size: [3]int32{60, 10, 60}}
	for width := int32(1); width <= 3; width++ {
		p := &output.Piece{Frame: frame, Ranks: 1}
		for z := int32(5); z < 55; z++ {
			for y := range width {
				p.Runs = append(p.Runs, geometry.Run{X0: 5 + z/3, X1: 5 + z/3 + width, Y: 4 + y, Z: z})
			}
		}
		p.Pressure, p.Velocity = make([]float32, p.Cells()), make([][3]float32, p.Cells())
		r := reliefOf(composites(t, []*output.Piece{p})[0])
		var s sample
		for z := int32(8); z < 52; z++ {
			if center := float64(5+z/3) + float64(width)/2; !r.at(&s, alongOf(center), alongOf(float64(z)+0.5)) {
				t.Errorf("tube of %d columns is not seen at height %d", width, z)
			}
		}
	}
}

func TestBSpline(t *testing.T) {
	for f := float32(0); f <= 1; f += 1. / 16 {
		var sum, moment float32
		for i, w := range bspline(f) {
			sum += w
			moment += w * float32(i-1)
		}
		if math.Abs(float64(sum-1)) > 1e-6 || math.Abs(float64(moment-f)) > 1e-6 {
			t.Errorf("at %v the weights sum to %v and their mean is %v", f, sum, moment)
		}
	}
}

// A tilted triangle must be seen at the depths of its plane and nowhere else.
func TestRasterize(t *testing.T) {
	race.SkipArithmetic(t)
	s := &geometry.Surface{Mesh: mesh.Mesh{
		Vertices:  []r3.Vec{{X: 0, Y: 0, Z: 0}, {X: 1, Y: 0.5, Z: 0}, {X: 0, Y: 0.25, Z: 1}},
		Triangles: []mesh.Triangle{{V: [3]int32{0, 1, 2}}},
	}}
	views := Views(surfaceFrame(s))
	v := &views[0]
	r := rasterize(s, v)
	inside, scale := 0, 1/v.Spacing
	for row := range r.height {
		for column := range r.width {
			x, z := (float64(column)+0.5)/scale, (float64(row)+0.5)/scale
			d := r.near[row*r.width+column]
			if hit := x+z < 1; hit == isNaN(d) && math.Abs(x+z-1) > 1e-9 {
				t.Fatalf("(%v, %v): seen %v, want %v", x, z, !isNaN(d), hit)
			}
			if isNaN(d) {
				continue
			}
			inside++
			// Smoothing may move depths near the edge a little.
			if want := (0.5*x + 0.25*z) * scale; math.Abs(float64(d)-want) > depthUncertainty+1e-3 {
				t.Fatalf("(%v, %v): depth %v, want %v", x, z, d, want)
			}
		}
	}
	if inside == 0 {
		t.Fatal("nothing is seen")
	}
}

// Pixels that are skipped must be empty.
func TestBeyondIsEmpty(t *testing.T) {
	r := reliefOf(composites(t, tube(40, 1))[0])
	for _, scale := range []float64{1, 1.7, 6} {
		var s sample
		skipped := 0
		for y := 0.0; y < float64(r.height)*scale; y++ {
			for x := 0.0; x < float64(r.width)*scale; x++ {
				if !r.beyond(x/scale, y/scale, scale) {
					continue
				}
				skipped++
				for i := range supersampling * supersampling {
					dx, dy := (float64(i%supersampling)+0.5)/float64(supersampling), (float64(i/supersampling)+0.5)/float64(supersampling)
					if r.at(&s, alongOf((x+dx)/scale), alongOf((y+dy)/scale)) {
						t.Fatalf("scale %v: pixel (%v, %v) is skipped but not empty", scale, x, y)
					}
				}
			}
		}
		if skipped == 0 {
			t.Errorf("scale %v: nothing is skipped", scale)
		}
	}
}

// A draft shows the same surface in squares of one colour.
func TestDraftsAreOfSquares(t *testing.T) {
	r := reliefOf(composites(t, []*output.Piece{ball(10)})[0])
	const side = 10 * draftPixels
	paint := func() *image.RGBA {
		img := image.NewRGBA(image.Rect(0, 0, side, side))
		r.paint(img, img.Rect, side/float64(max(r.width, r.height)), lighting{ambient: 1}, nil, func(*sample) colour { return colour{1, 0, 0} })
		return img
	}
	fine := paint()
	Draft = true
	defer func() { Draft = false }()
	draft, shown := paint(), 0
	for y := range side {
		for x := range side {
			c := draft.RGBAAt(x, y)
			if c != draft.RGBAAt(x-x%draftPixels, y-y%draftPixels) {
				t.Fatalf("pixel (%d, %d) is unlike the first of its square", x, y)
			}
			if c.A > 0 && fine.RGBAAt(x, y).A > 0 {
				shown++
			}
		}
	}
	if shown < side*side/4 {
		t.Errorf("%d of %d pixels show the surface", shown, side*side)
	}
}
