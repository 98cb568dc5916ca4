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
