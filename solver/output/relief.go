package output

import (
	"image"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// relief is a surface seen from the front: a depth for every column, rows
// from the bottom up. Depths are in columns.
type relief struct {
	width, height int
	// near and far bound what is solid behind a column; near is NaN where
	// nothing is. Neighbouring columns belong to one surface if they overlap.
	near, far []float32
	// inside is how far a column lies within the outline, in columns.
	inside []float32
	// neighbours has bit i set where the column's neighbour at around[i]
	// belongs to the same surface.
	neighbours []uint8
	// slope is how near changes to the right and upwards.
	slope [][2]float32
	// occlusion is how much the surroundings stand before the column, 0 to 1.
	occlusion []float32
}

// reliefOf is the relief of a layer, smoothed so that the steps of the cells
// do not show.
func reliefOf(l *Layer) *relief {
	v := &l.View
	r := &relief{width: int(v.Width), height: int(v.Height)}
	r.near, r.far = make([]float32, len(l.head)), make([]float32, len(l.head))
	for pixel, at := range l.head {
		if at < 0 {
			r.near[pixel] = nan32
			continue
		}
		s := &l.stretches[at]
		r.near[pixel] = float32(s.near) / float32(v.Bin)
		r.far[pixel] = float32(s.far) / float32(v.Bin)
	}
	r.finish()
	return r
}

// finish rounds and measures a relief that has only near and far.
func (r *relief) finish() {
	r.findNeighbours()
	r.roundOutline()
	r.roundSurface()
	r.measureSlope()
	r.measureOcclusion()
}

// The steps of the cells are smoothed by diffusion that may not move the
// surface further than the cells leave it uncertain (R. Whitaker, "Reducing
// aliasing artifacts in iso-surfaces of binary volumes", 2000).
// Depths may move further than the outline, whose place is known better.
const (
	depthUncertainty   = 0.9 // columns
	outlineUncertainty = 0.6 // columns
)

// roundings is how often to diffuse: the finer the columns, the longer are
// the steps of a surface that is nearly parallel to them.
func (r *relief) roundings() int { return min(max(max(r.width, r.height)/4, 12), 120) }

// roundSurface smooths near.
func (r *relief) roundSurface() {
	measured := slices.Clone(r.near)
	next := slices.Clone(r.near)
	for range r.roundings() {
		r.smooth(next, r.near)
		for i, d := range measured {
			next[i] = min(max(next[i], d-depthUncertainty), d+depthUncertainty)
		}
		r.near, next = next, r.near
	}
}

// roundOutline fills inside with the smoothed distance to the outline.
func (r *relief) roundOutline() {
	measured := r.outlineDistance()
	r.inside = slices.Clone(measured)
	next := slices.Clone(measured)
	// Only a band along the outline moves.
	var band []int
	for y := 1; y < r.height-1; y++ {
		for x := 1; x < r.width-1; x++ {
			if here := y*r.width + x; math.Abs(float64(measured[here])) < -outside {
				band = append(band, here)
			}
		}
	}
	ridge := r.ridges(measured)
	for range 3 * r.roundings() {
		for _, here := range band {
			sum := middle * r.inside[here]
			for _, a := range around {
				sum += a.weight * r.inside[here+a.dy*r.width+a.dx]
			}
			lowest := measured[here] - outlineUncertainty
			if ridge[here] {
				lowest = min(measured[here], 1)
			}
			next[here] = min(max(sum, lowest), measured[here]+outlineUncertainty)
		}
		r.inside, next = next, r.inside
	}
}

// ridges marks the columns in the middle of what is inside, which keep thin
// tubes from vanishing.
func (r *relief) ridges(distance []float32) []bool {
	ridge := make([]bool, len(distance))
	r.eachRow(func(y int) {
		for x := range r.width {
			here := y*r.width + x
			ridge[here] = distance[here] > 0
			for _, a := range around {
				if x+a.dx >= 0 && x+a.dx < r.width && y+a.dy >= 0 && y+a.dy < r.height {
					ridge[here] = ridge[here] && distance[here+a.dy*r.width+a.dx] <= distance[here]
				}
			}
		}
	})
	return ridge
}

// outside is the distance given to columns far from the outline.
const outside = -2.5

// outlineDistance returns how far the centre of every column lies within the
// outline, negative beyond it, in columns and up to ±2.5.
func (r *relief) outlineDistance() []float32 {
	const reach = 3
	distance := make([]float32, len(r.near))
	r.eachRow(func(y int) {
		for x := range r.width {
			here := y*r.width + x
			empty := isNaN(r.near[here])
			nearest := reach * reach
			for dy := -reach; dy <= reach; dy++ {
				for dx := -reach; dx <= reach; dx++ {
					there := true
					if x+dx >= 0 && x+dx < r.width && y+dy >= 0 && y+dy < r.height {
						there = isNaN(r.near[here+dy*r.width+dx])
					}
					if there != empty {
						nearest = min(nearest, dx*dx+dy*dy)
					}
				}
			}
			// The outline runs half-way between two columns.
			distance[here] = float32(math.Sqrt(float64(nearest))) - 0.5
			if empty {
				distance[here] = -distance[here]
			}
		}
	})
	return distance
}

var nan32 = float32(math.NaN())

func isNaN(v float32) bool { return v != v }

// joined reports whether two columns belong to one surface.
func (r *relief) joined(a, b int) bool {
	return r.near[a] < r.far[b] && r.near[b] < r.far[a]
}

// eachRow calls row for all rows, in parallel.
func (r *relief) eachRow(row func(y int)) {
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			for y := w; y < r.height; y += workers {
				row(y)
			}
		})
	}
	group.Wait()
}

// around are the steps to the eight neighbours of a column, with the weight
// that smoothing gives them: the binomial kernel.
var around = [8]struct {
	dx, dy int
	weight float32
}{
	{-1, -1, 1. / 16}, {0, -1, 2. / 16}, {1, -1, 1. / 16}, {-1, 0, 2. / 16},
	{1, 0, 2. / 16}, {-1, 1, 1. / 16}, {0, 1, 2. / 16}, {1, 1, 1. / 16},
}

// The weight of the column itself.
const middle = 4. / 16

// findNeighbours fills neighbours.
func (r *relief) findNeighbours() {
	r.neighbours = make([]uint8, len(r.near))
	r.eachRow(func(y int) {
		for x := range r.width {
			here := y*r.width + x
			for i, a := range around {
				if x+a.dx < 0 || x+a.dx >= r.width || y+a.dy < 0 || y+a.dy >= r.height {
					continue
				}
				if r.joined(here, here+a.dy*r.width+a.dx) {
					r.neighbours[here] |= 1 << i
				}
			}
		}
	})
}

// smooth sets out to values averaged with those of the neighbours that belong
// to the same surface.
func (r *relief) smooth(out, values []float32) {
	var step [8]int
	for i, a := range around {
		step[i] = a.dy*r.width + a.dx
	}
	r.eachRow(func(y int) {
		for here := y * r.width; here < (y+1)*r.width; here++ {
			sum, weight := middle*values[here], float32(middle)
			for joined := r.neighbours[here]; joined != 0; joined &= joined - 1 {
				i := bits.TrailingZeros8(joined)
				sum += around[i].weight * values[here+step[i]]
				weight += around[i].weight
			}
			out[here] = sum / weight
		}
	})
}

// measureSlope takes differences to the neighbours of the same surface.
func (r *relief) measureSlope() {
	r.slope = make([][2]float32, len(r.near))
	r.eachRow(func(y int) {
		for x := range r.width {
			here := y*r.width + x
			// back and ahead are bits of neighbours.
			difference := func(back, ahead uint8, step int) float32 {
				before := r.neighbours[here]&back != 0
				after := r.neighbours[here]&ahead != 0
				switch {
				case before && after:
					return (r.near[here+step] - r.near[here-step]) / 2
				case before:
					return r.near[here] - r.near[here-step]
				case after:
					return r.near[here+step] - r.near[here]
				}
				return 0
			}
			r.slope[here] = [2]float32{
				difference(1<<3, 1<<4, 1),
				difference(1<<1, 1<<6, r.width),
			}
		}
	})
}

// measureOcclusion compares every depth with the mean of its surroundings:
// what lies behind them is darkened (T. Luft et al., "Image enhancement by
// unsharp masking the depth buffer", 2006).
func (r *relief) measureOcclusion() {
	radius := max(3, max(r.width, r.height)/40)
	// Sums over all columns to the left of and below a corner.
	sums := make([][2]float64, (r.width+1)*(r.height+1))
	for y := range r.height {
		var row [2]float64
		for x := range r.width {
			if d := r.near[y*r.width+x]; !isNaN(d) {
				row[0] += float64(d)
				row[1]++
			}
			below := sums[y*(r.width+1)+x+1]
			sums[(y+1)*(r.width+1)+x+1] = [2]float64{below[0] + row[0], below[1] + row[1]}
		}
	}
	r.occlusion = make([]float32, len(r.near))
	r.eachRow(func(y int) {
		y0, y1 := max(0, y-radius), min(r.height, y+radius+1)
		for x := range r.width {
			x0, x1 := max(0, x-radius), min(r.width, x+radius+1)
			corner := func(x, y int) [2]float64 { return sums[y*(r.width+1)+x] }
			a, b, c, d := corner(x0, y0), corner(x1, y0), corner(x0, y1), corner(x1, y1)
			count := d[1] - b[1] - c[1] + a[1]
			if here := y*r.width + x; !isNaN(r.near[here]) && count > 0 {
				mean := (d[0] - b[0] - c[0] + a[0]) / count
				behind := (float64(r.near[here]) - mean) / float64(radius)
				r.occlusion[here] = float32(min(max(behind/2, 0), 1))
			}
		}
	})
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

// supersampling is the number of samples along the side of a picture's pixel.
const supersampling = 3

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
	for j := range supersampling {
		for i := range supersampling {
			if !r.at(&s, (left+(float64(i)+0.5)/supersampling)/scale, (low+(float64(j)+0.5)/supersampling)/scale) {
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
		sum[k] = (sum[k] + (supersampling*supersampling-hits)*float64(b)/255) / (supersampling * supersampling)
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

func unit3(v [3]float64) [3]float64 {
	n := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	return [3]float64{v[0] / n, v[1] / n, v[2] / n}
}

func (l lighting) shade(c colour, slope [2]float64, occlusion, depth float64) colour {
	n := unit3([3]float64{slope[0], slope[1], 1})
	diffuse := n[0]*lamp[0] + n[1]*lamp[1] + n[2]*lamp[2]
	// Blinn's half vector between the lamp and the viewer, who is at (0, 0, 1).
	half := unit3([3]float64{lamp[0], lamp[1], lamp[2] + 1})
	glint := math.Pow(max(0, n[0]*half[0]+n[1]*half[1]+n[2]*half[2]), 40)
	brightness := l.ambient + (1-l.ambient)*max(0, 0.25+0.85*diffuse)
	brightness *= 1 - 0.4*occlusion
	for i := range c {
		c[i] = min(1, c[i]*brightness+l.shine*glint)
	}
	return c.mix(colour{1, 1, 1}, l.fade*depth)
}
