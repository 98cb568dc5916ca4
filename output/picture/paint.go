package picture

import (
	"image"
	"image/color"
	"math"
	"runtime"
	"sync"

	"carina/internal/crash"
)

// Draft makes pictures of one sample for several pixels, for programs that draw
// many that nobody looks at.
var Draft = false

// supersampling is the number of samples along the side of a pixel, draftPixels
// how many pixels are the side of a draft's.
const (
	supersampling = 3
	draftPixels   = 6
)

// painter draws a relief into the part box of a picture, scale pixels a column,
// its lower left corner at box's.
type painter struct {
	*relief
	img     *image.RGBA
	box     image.Rectangle
	scale   float64
	samples int // along the side of a pixel
	deepest float32
	light   lighting
	// colourAt gives the colour of the surface before light falls on it.
	colourAt func(s *sample) colour
	// across and up are the places of the samples of all columns and rows of pixels.
	across, up []along
	// steep is that of the outline between columns; nil is not asked.
	steep []float32
}

// paint draws the relief; depth is shown by fading towards the background up to
// the light's fade. Apart tells columns between which the colour jumps; nil says that
// it never does.
func (r *relief) paint(img *image.RGBA, box image.Rectangle, scale float64, light lighting, apart func(a, b int) bool, colourAt func(s *sample) colour) {
	p := r.painter(img, box, scale, light, apart, colourAt)
	var group sync.WaitGroup
	workers, side := runtime.GOMAXPROCS(0), 1
	if Draft {
		side = draftPixels
	}
	for w := range workers {
		group.Go(func() {
			defer crash.Guard()
			var s sample
			for y := p.box.Min.Y + w*side; y < p.box.Max.Y; y += workers * side {
				for x := p.box.Min.X; x < p.box.Max.X; x += side {
					p.fill(&s, image.Rect(x, y, x+side, y+side).Intersect(p.box))
				}
			}
		})
	}
	group.Wait()
}

// painter is what paints the relief as paint does.
func (r *relief) painter(img *image.RGBA, box image.Rectangle, scale float64, light lighting, apart func(a, b int) bool, colourAt func(s *sample) colour) *painter {
	p := &painter{relief: r, img: img, box: box.Intersect(img.Bounds()), scale: scale, samples: supersampling, deepest: 1, light: light, colourAt: colourAt}
	for _, d := range r.near {
		if d > p.deepest {
			p.deepest = d
		}
	}
	if Draft {
		p.samples = 1
	}
	p.across, p.up = p.places(p.box.Dx()), p.places(p.box.Dy())
	if scale >= evenPixels && !Draft {
		p.steep = r.steepness(apart)
	}
	return p
}

// places are where the samples of so many pixels lie.
func (p *painter) places(pixels int) []along {
	places, side := make([]along, pixels*p.samples), float64(p.samples)
	for i := range places {
		places[i] = alongOf((float64(i/p.samples) + (float64(i%p.samples)+0.5)/side) / p.scale)
	}
	return places
}

// fill paints pixels like the first of them, the average of its samples.
func (p *painter) fill(s *sample, pixels image.Rectangle) {
	x, y := pixels.Min.X, pixels.Min.Y
	left, low := x-p.box.Min.X, p.box.Max.Y-1-y
	if p.beyond(float64(left)/p.scale, float64(low)/p.scale, p.scale) {
		return
	}
	if shown, ok := p.shown(s, left, low, p.img.RGBAAt(x, y)); ok {
		for y := pixels.Min.Y; y < pixels.Max.Y; y++ {
			for x := pixels.Min.X; x < pixels.Max.X; x++ {
				p.img.SetRGBA(x, y, shown)
			}
		}
	}
}

// shown is the colour of a pixel at (left, low) from the lower left one before a
// background, if anything of the surface is there.
func (p *painter) shown(s *sample, left, low int, back color.RGBA) (shown color.RGBA, ok bool) {
	if c, even := p.middle(s, left, low); even {
		return c.rgba(), true
	}
	sum, hits := p.sum(s, left, low)
	if hits == 0 {
		return back, false
	}
	side := float64(p.samples)
	for k, b := range [3]uint8{back.R, back.G, back.B} {
		sum[k] = (sum[k] + (side*side-hits)*float64(b)/255) / (side * side)
	}
	return sum.rgba(), true
}

// sum adds the colours of those samples that hit the surface, of the pixel whose
// lower left corner lies at (left, low) pixels from that of the relief.
func (p *painter) sum(s *sample, left, low int) (sum colour, hits float64) {
	for _, y := range p.up[low*p.samples : (low+1)*p.samples] {
		for _, x := range p.across[left*p.samples : (left+1)*p.samples] {
			c, ok := p.seen(s, x, y)
			if !ok {
				continue
			}
			for k := range sum {
				sum[k] += c[k]
			}
			hits++
		}
	}
	return sum, hits
}

// seen is the colour of the surface at a place, if it is there.
func (p *painter) seen(s *sample, x, y along) (c colour, ok bool) {
	if !p.at(s, x, y) {
		return c, false
	}
	var slope [2]float64
	for k := range s.count {
		slope[0] += float64(s.weight[k] * p.slope[s.column[k]][0])
		slope[1] += float64(s.weight[k] * p.slope[s.column[k]][1])
	}
	return p.light.shade(p.colourAt(s), slope, float64(s.mean(p.occlusion)), float64(s.mean(p.near)/p.deepest)), true
}

// beyond reports whether a pixel at (x, y), in columns, is too far from the
// outline to show anything.
func (r *relief) beyond(x, y, scale float64) bool {
	column, row := int(x), int(y)
	// Larger pixels would reach further than outside is.
	return scale >= 1 && column < r.width && row < r.height && r.inside[row*r.width+column] <= outside
}

// lighting is how a surface's colour turns into what is seen: a lamp at the
// upper left beside the viewer, a weaker one opposite, and some shine.
type lighting struct {
	// ambient is the brightness where no light falls, 0 to 1.
	ambient float64
	// shine is the strength of the highlight.
	shine float64
	// fade is how much of the background the deepest point takes on.
	fade float64
}

var lamp = unit3([3]float64{-0.45, 0.55, 0.75})

// half is Blinn's half vector between the lamp and the viewer, who is at
// (0, 0, 1).
var half = unit3([3]float64{lamp[0], lamp[1], lamp[2] + 1})

func unit3(v [3]float64) [3]float64 {
	n := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	return [3]float64{v[0] / n, v[1] / n, v[2] / n}
}

func (l lighting) shade(c colour, slope [2]float64, occlusion, depth float64) colour {
	n := unit3([3]float64{slope[0], slope[1], 1})
	diffuse := n[0]*lamp[0] + n[1]*lamp[1] + n[2]*lamp[2]
	glint := power40(max(0, n[0]*half[0]+n[1]*half[1]+n[2]*half[2]))
	brightness := l.ambient + (1-l.ambient)*max(0, 0.25+0.85*diffuse)
	brightness *= 1 - 0.4*occlusion
	for i := range c {
		c[i] = min(1, c[i]*brightness+l.shine*glint)
	}
	return c.mix(colour{1, 1, 1}, l.fade*depth)
}

func power40(v float64) float64 {
	v *= v * v * v * v
	v *= v
	v *= v
	return v * v
}

// sample is a point of a relief between columns: the columns around it that
// belong to the surface seen there, with weights that sum to 1.
type sample struct {
	column [16]int
	weight [16]float32
	count  int
	// inside is how far it lies within the outline, in columns.
	inside float32
	// around is what the next sample shares with this one if it lies between the same
	// columns.
	around vicinity
}

// vicinity are the four by four columns around a place.
type vicinity struct {
	known     bool
	left, low int
	// inside are theirs, and place and column those of the ones that are not empty.
	inside [16]float32
	place  [16]uint8
	column [16]int
	count  int
	// nearest marks those that belong to the nearest surface.
	nearest [16]bool
}

// along is a place between columns or rows: the first of the four around it and
// their weights.
type along struct {
	first  int
	weight [4]float32
}

func alongOf(x float64) along {
	left := math.Floor(x - 0.5)
	return along{int(left) - 1, bspline(float32(x - 0.5 - left))}
}

// bspline returns the weights of the four columns around a point, at fraction
// t between the middle two: the uniform cubic B-spline, which is smooth.
func bspline(t float32) [4]float32 {
	s := 1 - t
	return [4]float32{s * s * s / 6, (4 - 6*t*t + 3*t*t*t) / 6, (4 - 6*s*s + 3*s*s*s) / 6, t * t * t / 6}
}

// look fills in the vicinity that begins at a column and row.
func (r *relief) look(v *vicinity, left, low int) {
	*v = vicinity{known: true, left: left, low: low}
	first := 0
	for i := range v.inside {
		x, y := left+i%4, low+i/4
		if x < 0 || y < 0 || x >= r.width || y >= r.height {
			v.inside[i] = outside
			continue
		}
		column := y*r.width + x
		v.inside[i] = r.inside[column]
		if isNaN(r.near[column]) {
			continue
		}
		v.place[v.count], v.column[v.count] = uint8(i), column
		if r.near[column] < r.near[v.column[first]] {
			first = v.count
		}
		v.count++
	}
	for i := range v.count {
		v.nearest[i] = i == first || r.joined(v.column[i], v.column[first])
	}
}

// at fills s with the sample at (x, y), in columns from the lower left corner,
// and reports whether anything is there.
func (r *relief) at(s *sample, x, y along) bool {
	v := &s.around
	if !v.known || v.left != x.first || v.low != y.first {
		r.look(v, x.first, y.first)
	}
	s.count = 0
	if v.count == 0 {
		return false
	}
	var weight [16]float32
	var inside float32
	for j, vertical := range y.weight {
		for i, horizontal := range x.weight {
			w := horizontal * vertical
			weight[4*j+i] = w
			inside += w * v.inside[4*j+i]
		}
	}
	if inside < 0 {
		return false
	}
	s.inside = inside
	s.count = v.count
	s.column = v.column
	for i := range v.count {
		s.weight[i] = weight[v.place[i]&15]
	}
	s.choose()
	return true
}

// choose keeps the columns of one surface, where a nearer and a farther one
// meet that with more weight, and lets the weights sum to 1.
func (s *sample) choose() {
	var total, nearer float32
	for i, w := range s.weight[:s.count] {
		total += w
		if s.around.nearest[i] {
			nearer += w
		}
	}
	keep := nearer >= total/2
	if !keep {
		nearer = total - nearer
	}
	for i := range s.count {
		if s.around.nearest[i] == keep {
			s.weight[i] /= nearer
		} else {
			s.weight[i] = 0
		}
	}
}

// mean returns the weighted mean of values.
func (s *sample) mean(values []float32) float32 {
	var sum float32
	for i := range s.count {
		if s.weight[i] > 0 {
			sum += s.weight[i] * values[s.column[i]]
		}
	}
	return sum
}

// majority returns the label with most weight.
func (s *sample) majority(labelOf func(column int) int32) int32 {
	var labels [16]int32
	for i := range s.count {
		labels[i] = labelOf(s.column[i])
	}
	best, most := int32(0), float32(-1)
	for i, label := range labels[:s.count] {
		if i > 0 && label == best {
			continue
		}
		var weight float32
		for j := range s.count {
			if labels[j] == label {
				weight += s.weight[j]
			}
		}
		if weight > most {
			best, most = label, weight
		}
	}
	return best
}
