package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"sync"

	"carina/internal/atomicfile"

	"git.sr.ht/~sbinet/gg"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Size of the pictures, in pixels.
const (
	figureWidth  = 1200
	figureHeight = 900
)

var (
	ink   = color.RGBA{0x22, 0x26, 0x2e, 0xff}
	faint = color.RGBA{0x6b, 0x72, 0x80, 0xff}
	rule  = color.RGBA{0xd5, 0xd9, 0xe0, 0xff}
	paper = color.RGBA{0xff, 0xff, 0xff, 0xff}
	// hidden is for what lies behind the surface.
	hidden = color.RGBA{0xa6, 0xad, 0xb8, 0xff}
)

// figure is a picture being made: pixels to paint on and a canvas for lines
// and text over them. Canvas units are pixels, y upwards.
type figure struct {
	pixels *image.RGBA
	canvas vgdraw.Canvas
}

// sheets are the pixels of figures that were written, for the next ones, and packers what
// encoding them takes.
var (
	sheets  = sync.Pool{New: func() any { return image.NewRGBA(image.Rect(0, 0, figureWidth, figureHeight)) }}
	packers packerPool
)

// packerPool keeps buffers for encoding.
type packerPool struct{ sync.Pool }

var _ png.EncoderBufferPool = (*packerPool)(nil)

// Get returns a buffer, or nil for a new one.
func (p *packerPool) Get() *png.EncoderBuffer {
	b, _ := p.Pool.Get().(*png.EncoderBuffer)
	return b
}

// Put keeps a buffer.
func (p *packerPool) Put(b *png.EncoderBuffer) { p.Pool.Put(b) }

// newFigure returns a figure with its headline.
func newFigure(title, subtitle string) *figure {
	pixels := sheets.Get().(*image.RGBA)
	context := gg.NewContextForRGBA(pixels)
	context.SetLineCapButt()
	context.InvertY()
	// At 72 dots per inch a canvas unit is a pixel. All are white to begin with.
	f := &figure{pixels: pixels, canvas: vgdraw.New(vgimg.NewWith(vgimg.UseImageWithContext(pixels, context), vgimg.UseDPI(72)))}
	f.text(title, 40, figureHeight-48, style(26, true, ink))
	f.text(subtitle, 40, figureHeight-76, style(15, false, faint))
	return f
}

// write stores the figure as PNG, which ends it.
func (f *figure) write(path string) error {
	defer sheets.Put(f.pixels)
	encoder := png.Encoder{BufferPool: &packers}
	var pixels image.Image = f.pixels
	if Draft {
		encoder.CompressionLevel, pixels = png.BestSpeed, f.small()
	}
	return writeFile(path, func(w io.Writer) error { return encoder.Encode(w, pixels) })
}

// small is a picture for a draft, with a grey pixel for each of its squares: the sum of
// the green of all pixels there, so that it shows where one differs.
func (f *figure) small() *image.Gray {
	g := image.NewGray(image.Rect(0, 0, figureWidth/draftPixels, figureHeight/draftPixels))
	const side = 4 * draftPixels // in bytes
	white := bytes.Repeat([]byte{255}, side)
	for y := range g.Rect.Max.Y * draftPixels {
		row, sums := f.pixels.Pix[y*f.pixels.Stride:], g.Pix[y/draftPixels*g.Stride:]
		for x := range g.Stride {
			pixels := row[x*side : (x+1)*side]
			if bytes.Equal(pixels, white) { // most are
				sums[x] -= draftPixels // as bytes wrap around
				continue
			}
			sum := sums[x]
			for i := range draftPixels {
				sum += pixels[4*i+1]
			}
			sums[x] = sum
		}
	}
	return g
}

// writeFile lets fill write the file at path, which appears when it is complete.
func writeFile(path string, fill func(w io.Writer) error) error {
	if err := atomicfile.Write(path, fill); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// style is sans-serif text of a size in pixels.
func style(size float64, bold bool, c color.Color) vgdraw.TextStyle {
	face := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		face.Weight = xfont.WeightBold
	}
	return vgdraw.TextStyle{Font: font.From(face, vg.Length(size)), Color: c, Handler: plot.DefaultTextHandler}
}

// text draws a line of text from its baseline's start.
func (f *figure) text(s string, x, y float64, st vgdraw.TextStyle) {
	if s != "" {
		f.canvas.FillText(st, point(x, y), s)
	}
}

// textRight draws a line of text up to x.
func (f *figure) textRight(s string, x, y float64, st vgdraw.TextStyle) {
	st.XAlign = text.XRight
	f.text(s, x, y, st)
}

// textCenter draws a line of text centred on (x, y).
func (f *figure) textCenter(s string, x, y float64, st vgdraw.TextStyle) {
	st.XAlign = text.XCenter
	// Digits and capitals are about 0.72 of the size high.
	f.text(s, x, y-0.36*float64(st.Font.Size), st)
}

// point returns a point of the canvas. It lies no further outside than a
// picture's size, since drawing takes as long as what is drawn is large.
func point(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(near(x, figureWidth)), Y: vg.Length(near(y, figureHeight))}
}

// near returns the place nearest to x that lies at most a picture's size
// outside of it, and the middle for what is no number.
func near(x, size float64) float64 {
	if math.IsNaN(x) {
		return size / 2
	}
	return min(max(x, -size), 2*size)
}

func (f *figure) line(x0, y0, x1, y1, width float64, c color.Color) {
	from, to := point(x0, y0), point(x1, y1)
	f.canvas.StrokeLine2(vgdraw.LineStyle{Color: c, Width: vg.Length(width)}, from.X, from.Y, to.X, to.Y)
}

func (f *figure) box(x, y, width, height float64, c color.Color) {
	f.canvas.FillPolygon(c, []vg.Point{point(x, y), point(x+width, y), point(x+width, y+height), point(x, y+height)})
}

// disc draws a filled circle with an outline.
func (f *figure) disc(x, y, radius float64, fill, outline color.Color) {
	var circle vg.Path
	circle.Move(point(x+radius, y))
	circle.Arc(point(x, y), vg.Length(radius), 0, 2*math.Pi)
	circle.Close()
	f.canvas.SetColor(fill)
	f.canvas.Fill(circle)
	f.canvas.SetColor(outline)
	f.canvas.SetLineWidth(1.5)
	f.canvas.Stroke(circle)
}

// quantity is a number with a unit fit for its size.
type unit struct {
	name  string
	value float64 // in SI
}

var (
	speedUnits    = []unit{{"m/s", 1}, {"cm/s", 1e-2}, {"mm/s", 1e-3}, {"µm/s", 1e-6}}
	pressureUnits = []unit{{"kPa", 1e3}, {"Pa", 1}, {"mPa", 1e-3}, {"µPa", 1e-6}}
	flowUnits     = []unit{{"L/min", 1e-3 / 60}, {"mL/min", 1e-6 / 60}, {"µL/min", 1e-9 / 60}, {"nL/min", 1e-12 / 60}}
	lengthUnits   = []unit{{"m", 1}, {"mm", 1e-3}, {"µm", 1e-6}}
	timeUnits     = []unit{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}}
)

// unitFor returns the largest unit in which size is at least one half, or the
// smallest unit.
func unitFor(size float64, units []unit) unit {
	for _, u := range units {
		if math.Abs(size) >= u.value/2 {
			return u
		}
	}
	return units[len(units)-1]
}

// in writes a value in the unit with three digits.
func (u unit) in(value float64) string {
	v := value / u.value
	switch digits := math.Abs(v); {
	case digits >= 99.95:
		return fmt.Sprintf("%.0f %s", v, u.name)
	case digits >= 9.995:
		return fmt.Sprintf("%.1f %s", v, u.name)
	default:
		return fmt.Sprintf("%.2f %s", v, u.name)
	}
}

// roundStep returns the largest of 1, 2 and 5 times a power of ten that is not
// larger than size.
func roundStep(size float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(size)))
	for _, digit := range []float64{5, 2} {
		if digit*step <= size {
			return digit * step
		}
	}
	return step
}

// scaleBar draws a bar of a round length, its left end at (x, y).
func (f *figure) scaleBar(x, y, metresPerPixel float64) {
	length := roundStep(140 * metresPerPixel)
	end := x + length/metresPerPixel
	f.line(x, y, end, y, 2, ink)
	f.line(x, y-4, x, y+4, 2, ink)
	f.line(end, y-4, end, y+4, 2, ink)
	u := unitFor(length*0.6, lengthUnits)
	f.text(fmt.Sprintf("%.4g %s", length/u.value, u.name), end+8, y-5, style(14, false, ink))
}

// colourBar draws a vertical scale in a column of the given height, its lower left
// corner at (x, y), below the name of what it shows and where that is taken.
func (f *figure) colourBar(x, y, height float64, s *scale) {
	const width = 22
	low, high := s.low, s.high
	rows := int(height)
	for row := range rows {
		c := s.colours.at((float64(row) + 0.5) / height).rgba()
		if row == rows-1 {
			f.box(x, y+float64(row), width, 1.5, c) // with an end that fades
		}
		for column := range width {
			f.pixels.SetRGBA(int(x)+column, figureHeight-1-int(y)-row, c)
		}
	}
	u := unitFor(max(math.Abs(low), math.Abs(high)), s.units)
	step := roundStep((high - low) / u.value / 4)
	const mostTicks = 12
	first := math.Ceil(low/u.value/step - 1e-9)
	for i := range mostTicks {
		k := first + float64(i)
		if !(k*step <= high/u.value*(1+1e-9)) {
			break
		}
		at := y + height*(k*step*u.value-low)/(high-low)
		f.line(x+width, at, x+width+5, at, 1.2, ink)
		// Adding 0 turns −0 into 0.
		f.text(strconv.FormatFloat(k*step+0, 'g', 4, 64), x+width+10, at-5, style(14, false, ink))
	}
	f.text(u.name, x-10, y+height+13, style(14, false, ink))
	const line = 17
	above := y + height + 19 + line*float64(len(s.place))
	for i, words := range s.place {
		f.text(words, x-10, above-line*float64(i), style(13, false, faint))
	}
	f.text(s.name, x-10, above+line+2, style(15, true, ink))
}
