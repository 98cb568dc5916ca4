package water

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"math"

	"carina/geometry/terrain"
	"carina/internal/atomicfile"
	"carina/internal/palette"
	"carina/internal/quantity"
	"carina/output"
	"carina/output/vtk"

	"gonum.org/v1/gonum/spatial/r3"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// mostPixels is how many squares a side of a picture has at most.
const mostPixels = 1600

// draw writes a picture of a depth over shaded ground.
func (f *Flood) draw(path, title string, depth func(cell int64) float64) error {
	r := f.raster(depth)
	deepest := 0.0
	for _, h := range r.Values {
		if h > deepest {
			deepest = h
		}
	}
	every := int(max(r.Columns, r.Rows)-1)/mostPixels + 1
	width, height := (int(r.Columns)+every-1)/every, (int(r.Rows)+every-1)/every
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	shade := f.shading()
	for y := range height {
		for x := range width {
			square := y*every*int(r.Columns) + x*every
			img.SetRGBA(x, height-1-y, colourOf(r.Values[square], deepest, shade(x*every, y*every)))
		}
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s; the darkest blue is %s", title, quantity.Format(deepest, "m"))
	p.X.Label.Text, p.Y.Label.Text = "m", "m"
	east, north := r.West+float64(r.Columns)*r.Spacing, r.South+float64(r.Rows)*r.Spacing
	p.Add(plotter.NewImage(img, r.West, r.South, east, north))
	const long, frame, least = 22 * vg.Centimeter, 2 * vg.Centimeter, 6 * vg.Centimeter
	w, h := long, long
	if aspect := vg.Length(float64(r.Rows) / float64(r.Columns)); aspect < 1 {
		h = max(least, long*aspect+frame)
	} else {
		w = max(least, long/aspect+frame)
	}
	return f.writePlot(path, p, w, h)
}

// image has depths and discharges of all cells at a time, and the heights of the ground.
func (f *Flood) image(time float64, values [][]float64) *vtk.Image {
	var squares [3]*terrain.Raster
	for i := range squares {
		squares[i] = f.raster(func(cell int64) float64 { return values[i][cell] })
	}
	g := f.ground.heights
	return &vtk.Image{
		Frame: output.Frame{Origin: r3.Vec{X: g.West, Y: g.South}, Spacing: g.Spacing, Size: [3]int32{g.Columns, g.Rows, 1}}, Time: time,
		Fields: []vtk.ImageField{
			{Name: "depth", Components: 1, Value: func(cell int64, _ int) float64 { return squares[0].Values[cell] }},
			{Name: "ground", Components: 1, Value: func(cell int64, _ int) float64 { return g.Values[cell] }},
			{Name: "discharge", Components: 3, Value: func(cell int64, n int) float64 {
				if n == 2 {
					return 0 // a vector has three components for ParaView
				}
				return squares[1+n].Values[cell]
			}},
		},
	}
}

func (f *Flood) writePlot(path string, p *plot.Plot, w, h vg.Length) error {
	to, err := p.WriterTo(w, h, "png")
	if err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	return atomicfile.Write(path, func(out io.Writer) error {
		_, err := to.WriteTo(out)
		return err
	})
}

// colourOf is that of water of a depth, or of ground, in some light from 0 to 1; white where
// there is neither.
func colourOf(h, deepest, light float64) color.RGBA {
	if math.IsNaN(h) {
		return color.RGBA{255, 255, 255, 255}
	}
	ground := [3]float64{214, 202, 178}
	if h > 1e-3*deepest && h > 1e-4 {
		part := math.Sqrt(h / deepest)
		shallow, deep := [3]float64{158, 214, 240}, [3]float64{8, 48, 107}
		for i := range ground {
			ground[i] = shallow[i] + part*(deep[i]-shallow[i])
		}
		light = 0.75 + 0.25*light
	}
	channel := func(v float64) uint8 { return uint8(math.Min(255, v*light)) }
	return color.RGBA{channel(ground[0]), channel(ground[1]), channel(ground[2]), 255}
}

// shading is the light on the ground of a square, from the north-west.
func (f *Flood) shading() func(x, y int) float64 {
	g := f.ground.heights
	at := func(x, y int) float64 {
		return g.Values[min(max(y, 0), int(g.Rows)-1)*int(g.Columns)+min(max(x, 0), int(g.Columns)-1)]
	}
	// Steep is as steep as most of the ground is at most.
	steepest := 1e-9
	for y := 0; y < int(g.Rows); y += int(g.Rows)/64 + 1 {
		for x := 0; x < int(g.Columns); x += int(g.Columns)/64 + 1 {
			if d := math.Abs(at(x+1, y)-at(x-1, y)) + math.Abs(at(x, y+1)-at(x, y-1)); d > steepest {
				steepest = d
			}
		}
	}
	return func(x, y int) float64 {
		d := (at(x+1, y) - at(x-1, y) - at(x, y+1) + at(x, y-1)) / steepest
		if math.IsNaN(d) {
			d = 0
		}
		return math.Max(0.35, math.Min(1, 0.82+0.4*d))
	}
}

// drawGauges draws the depth at each gauge over time.
func (f *Flood) drawGauges(path string) error {
	p := plot.New()
	p.Title.Text = "Depth at the gauges"
	p.X.Label.Text, p.Y.Label.Text, p.Y.Min = "time, s", "m", 0
	p.Legend.Top = true
	for i, g := range f.gauges {
		points := make(plotter.XYs, len(f.rows))
		for k, row := range f.rows {
			points[k] = plotter.XY{X: row.Time, Y: row.Values[3*i]}
		}
		if len(points) == 0 {
			continue
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return fmt.Errorf("drawing the gauges: %w", err)
		}
		line.LineStyle = palette.Line(i)
		p.Add(line)
		p.Legend.Add(g.name, line)
	}
	return f.writePlot(path, p, 20*vg.Centimeter, 11*vg.Centimeter)
}
