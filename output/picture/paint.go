package picture

import (
	"image"
	"math"
	"runtime"
	"sync"

	"carina/internal/crash"
)

// Supersampling is the number of samples along the side of a picture's pixel.
// Programs that draw many pictures nobody looks at may set it to 1.
var Supersampling = 3

// paint draws the relief into box of img, scale pixels a column, its lower
// left corner at box's. colourAt gives the colour of the surface before light
// falls on it; depth is shown by fading towards the background up to fade.
func (r *relief) paint(img *image.RGBA, box image.Rectangle, scale float64, light lighting, colourAt func(s *sample) colour) {
	box = box.Intersect(img.Bounds())
	deepest := float32(1)
	for _, d := range r.near {
		if d > deepest {
			deepest = d
		}
	}
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			defer crash.Guard()
			for y := box.Min.Y + w; y < box.Max.Y; y += workers {
				for x := box.Min.X; x < box.Max.X; x++ {
					r.paintPixel(img, x, y, float64(x-box.Min.X), float64(box.Max.Y-1-y), scale, deepest, light, colourAt)
				}
			}
		})
	}
	group.Wait()
}

// paintPixel averages the samples of one pixel whose lower left corner lies at
// (left, low) pixels from that of the relief.
func (r *relief) paintPixel(img *image.RGBA, x, y int, left, low, scale float64, deepest float32, light lighting, colourAt func(s *sample) colour) {
	if r.beyond(left/scale, low/scale, scale) {
		return
	}
	var s sample
	var sum colour
	hits := 0.0
	side := float64(Supersampling)
	for j := range Supersampling {
		for i := range Supersampling {
			if !r.at(&s, (left+(float64(i)+0.5)/side)/scale, (low+(float64(j)+0.5)/side)/scale) {
				continue
			}
			var slope [2]float64
			for k := range s.count {
				slope[0] += float64(s.weight[k] * r.slope[s.column[k]][0])
				slope[1] += float64(s.weight[k] * r.slope[s.column[k]][1])
			}
			c := light.shade(colourAt(&s), slope, float64(s.mean(r.occlusion)), float64(s.mean(r.near)/deepest))
			for k := range sum {
				sum[k] += c[k]
			}
			hits++
		}
	}
	if hits == 0 {
		return
	}
	back := img.RGBAAt(x, y)
	for k, b := range [3]uint8{back.R, back.G, back.B} {
		sum[k] = (sum[k] + (side*side-hits)*float64(b)/255) / (side * side)
	}
	img.SetRGBA(x, y, sum.rgba())
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
}

// bspline returns the weights of the four columns around a point, at fraction
// t between the middle two: the uniform cubic B-spline, which is smooth.
func bspline(t float32) [4]float32 {
	s := 1 - t
	return [4]float32{s * s * s / 6, (4 - 6*t*t + 3*t*t*t) / 6, (4 - 6*s*s + 3*s*s*s) / 6, t * t * t / 6}
}

// at fills s with the sample at (x, y), in columns from the lower left corner,
// and reports whether anything is there.
func (r *relief) at(s *sample, x, y float64) bool {
	left, low := math.Floor(x-0.5), math.Floor(y-0.5)
	wx, wy := bspline(float32(x-0.5-left)), bspline(float32(y-0.5-low))
	s.count = 0
	var inside, total float32
	for j, v := range wy {
		for i, u := range wx {
			cx, cy := int(left)-1+i, int(low)-1+j
			if cx < 0 || cy < 0 || cx >= r.width || cy >= r.height {
				inside += u * v * outside
				continue
			}
			column := cy*r.width + cx
			inside += u * v * r.inside[column]
			if !isNaN(r.near[column]) {
				s.column[s.count], s.weight[s.count] = column, u*v
				s.count++
				total += u * v
			}
		}
	}
	if inside < 0 || s.count == 0 {
		return false
	}
	r.choose(s, total)
	return true
}

// choose keeps the columns of one surface, where a nearer and a farther one
// meet that with more weight, and lets the weights sum to 1.
func (r *relief) choose(s *sample, total float32) {
	first := 0
	for i := range s.count {
		if r.near[s.column[i]] < r.near[s.column[first]] {
			first = i
		}
	}
	var nearer float32
	var belongs [16]bool
	for i := range s.count {
		belongs[i] = i == first || r.joined(s.column[i], s.column[first])
		if belongs[i] {
			nearer += s.weight[i]
		}
	}
	keep := nearer >= total/2
	if !keep {
		nearer = total - nearer
	}
	for i := range s.count {
		if belongs[i] == keep {
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
