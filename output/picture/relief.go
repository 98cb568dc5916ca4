package picture

import (
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"carina/internal/crash"
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
func (r *relief) roundings() int {
	const least, most = 12, 120
	if Draft {
		return least
	}
	return min(max(max(r.width, r.height)/4, least), most)
}

// roundSurface smooths near.
func (r *relief) roundSurface() {
	measured := slices.Clone(r.near)
	next := slices.Clone(r.near)
	for range r.roundings() {
		r.eachRow(func(y int) {
			r.smoothRow(next, r.near, y)
			from, to := y*r.width, (y+1)*r.width
			limit(next[from:to], measured[from:to])
		})
		r.near, next = next, r.near
	}
}

// limit keeps depths within what is uncertain of those measured.
func limit(depths, measured []float32) {
	measured = measured[:len(depths)]
	for i, d := range depths {
		switch low, high := measured[i]-depthUncertainty, measured[i]+depthUncertainty; {
		case d < low:
			depths[i] = low
		case d > high:
			depths[i] = high
		}
	}
}

// roundOutline fills inside with the smoothed distance to the outline.
func (r *relief) roundOutline() {
	measured := r.outlineDistance()
	r.inside = slices.Clone(measured)
	next := slices.Clone(measured)
	lowest := r.lowest(measured)
	band := r.band(measured)
	for range 3 * r.roundings() {
		for _, s := range band {
			out, least, distance := next[s.from:s.to], lowest[s.from:s.to], measured[s.from:s.to]
			r.smoothSpan(out, r.inside, s.from)
			for i, d := range out {
				switch high := distance[i] + outlineUncertainty; {
				case d < least[i]:
					out[i] = least[i]
				case d > high:
					out[i] = high
				}
			}
		}
		r.inside, next = next, r.inside
	}
}

// span is a stretch of columns of a row.
type span struct{ from, to int }

// band is what moves of an outline: the columns along it, but for the picture's rim.
func (r *relief) band(distance []float32) (band []span) {
	for y := 1; y < r.height-1; y++ {
		for x := 1; x < r.width-1; x++ {
			here := y*r.width + x
			if d := distance[here]; !(d > outside && d < -outside) {
				continue
			}
			if last := len(band) - 1; last >= 0 && band[last].to == here {
				band[last].to++
			} else {
				band = append(band, span{here, here + 1})
			}
		}
	}
	return band
}

// lowest is how near the outline may come to every column. Those in the middle of what
// is inside stay there, which keeps thin tubes from vanishing.
func (r *relief) lowest(distance []float32) []float32 {
	lowest := make([]float32, len(distance))
	r.eachRow(func(y int) {
		for x := range r.width {
			here := y*r.width + x
			ridge := distance[here] > 0
			for i := 0; ridge && i < len(around); i++ {
				a := &around[i]
				if x+a.dx >= 0 && x+a.dx < r.width && y+a.dy >= 0 && y+a.dy < r.height {
					ridge = distance[here+a.dy*r.width+a.dx] <= distance[here]
				}
			}
			lowest[here] = distance[here] - outlineUncertainty
			if ridge {
				lowest[here] = min(distance[here], 1)
			}
		}
	})
	return lowest
}

// outside is the distance given to columns far from the outline.
const outside = -2.5

// outlineReach is how far outlineDistance looks, in columns.
const outlineReach = 3

// outlineDistance returns how far the centre of every column lies within the
// outline, negative beyond it, in columns and up to ±2.5.
func (r *relief) outlineDistance() []float32 {
	across := [2][]uint8{r.across(true), r.across(false)}
	distance := make([]float32, len(r.near))
	r.eachRow(func(y int) {
		for x := range r.width {
			here := y*r.width + x
			empty := isNaN(r.near[here])
			other, beyond := across[0], 0
			if empty {
				other, beyond = across[1], outlineReach
			}
			nearest := outlineReach * outlineReach
			for dy := -outlineReach; dy <= outlineReach; dy++ {
				dx := beyond
				if y+dy >= 0 && y+dy < r.height {
					dx = int(other[here+dy*r.width])
				}
				nearest = min(nearest, dx*dx+dy*dy)
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

// across returns how far the nearest column in the same row is that is empty, or that is
// not, at most outlineReach. Beyond the picture all is empty.
func (r *relief) across(empty bool) []uint8 {
	across := make([]uint8, len(r.near))
	r.eachRow(func(y int) {
		row, near := across[y*r.width:(y+1)*r.width], r.near[y*r.width:(y+1)*r.width]
		pass := func(x int, distance *uint8) {
			*distance = min(*distance+1, outlineReach)
			if isNaN(near[x]) == empty {
				*distance = 0
			}
			row[x] = min(row[x], *distance)
		}
		rim := uint8(outlineReach)
		if empty {
			rim = 0
		}
		for x := range row {
			row[x] = outlineReach
		}
		left, right := rim, rim
		for x := range row {
			pass(x, &left)
			pass(len(row)-1-x, &right)
		}
	})
	return across
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
			defer crash.Guard()
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
	r.eachRow(func(y int) { r.smoothRow(out, values, y) })
}

// smoothRow is smooth for one row.
func (r *relief) smoothRow(out, values []float32, y int) {
	const all = 1<<len(around) - 1
	for here, end := y*r.width, (y+1)*r.width; here < end; here++ {
		switch r.neighbours[here] {
		case 0:
			out[here] = values[here]
		case all:
			from := here
			for here+1 < end && r.neighbours[here+1] == all {
				here++
			}
			r.smoothSpan(out[from:here+1], values, from)
		default:
			out[here] = r.smoothed(values, here)
		}
	}
}

// smoothed is a value averaged with those of some neighbours.
func (r *relief) smoothed(values []float32, here int) float32 {
	sum, weight := middle*values[here], float32(middle)
	for joined := r.neighbours[here]; joined != 0; joined &= joined - 1 {
		a := &around[bits.TrailingZeros8(joined)]
		sum += a.weight * values[here+a.dy*r.width+a.dx]
		weight += a.weight
	}
	return sum / weight
}

// smoothSpan sets out to the values from an index on averaged with those of all
// neighbours, added in the order of around.
func (r *relief) smoothSpan(out, values []float32, from int) {
	n := len(out) + 2
	below, here, above := values[from-r.width-1:][:n], values[from-1:][:n], values[from+r.width-1:][:n]
	for i := range out {
		out[i] = middle*here[i+1] + below[i]/16 + below[i+1]/8 + below[i+2]/16 +
			here[i]/8 + here[i+2]/8 + above[i]/16 + above[i+1]/8 + above[i+2]/16
	}
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
