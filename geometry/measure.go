package geometry

import (
	"math"

	"carina/geometry/scan"
)

// tie is the distance, in cells, below which a triangle counts as lying at a
// cell's centre: both links that end there cross it. Coordinates of a billion
// cells are rounded by less than 1e-11.
const tie = 1e-9

// family is one direction and its opposite, seen as a set of parallel lattice
// lines. A line's cells are whole numbers T along axis; its U and W are the
// other two coordinates less what the direction adds to them.
type family struct {
	direction  int
	step       Offset
	axis, u, w int
}

// families pairs the first directions with their opposites. Lines that climb
// run along z, so that a slab's part of a line is a short range of T; the
// others stay within a layer.
func families(directions int) []family {
	var list []family
	for d := 0; d < directions; d += 2 {
		o := Directions[d]
		f := family{direction: d, step: o}
		switch {
		case o.Z != 0:
			f.axis, f.u, f.w = 2, 0, 1
		case o.X != 0:
			f.axis, f.u, f.w = 0, 1, 2
		default:
			f.axis, f.u, f.w = 1, 0, 2
		}
		if f.along() < 0 {
			f.direction, f.step = d^1, Directions[d^1]
		}
		list = append(list, f)
	}
	return list
}

func (o Offset) component(axis int) int32 {
	return [3]int32{int32(o.X), int32(o.Y), int32(o.Z)}[axis]
}

func (f *family) along() int32 { return f.step.component(f.axis) }

// project shows a point of the lattice as the family's lines see it.
func (f *family) project(p *[3]float64) scan.Point {
	t := p[f.axis]
	return scan.Point{
		U: p[f.u] - float64(f.step.component(f.u))*t,
		W: p[f.w] - float64(f.step.component(f.w))*t,
		T: t,
	}
}

// cell returns the cell number t on line (u, w).
func (f *family) cell(u, w, t int32) (c [3]int32) {
	c[f.axis] = t
	c[f.u] = u + f.step.component(f.u)*t
	c[f.w] = w + f.step.component(f.w)*t
	return c
}

// measure finds where the slab's links cross the surface: it draws every
// triangle along the lines of every family of directions, so that each
// crossing is found once and links are never searched for triangles.
func (w *slabLinks) measure() {
	for _, f := range families(w.links.Directions) {
		for _, t := range w.lattice.inSlab(int(w.z0 / w.lattice.thickness)) {
			w.draw(&f, t)
		}
	}
}

// draw records all links of one family that triangle t cuts.
func (w *slabLinks) draw(f *family, t int32) {
	var p scan.Triangle
	for i, v := range w.lattice.triangles[t].V {
		p[i] = f.project(&w.lattice.points[v]).Settle(w.lattice.within)
	}
	opening := w.lattice.opening[t]
	low, high := math.MinInt32, math.MaxInt32
	if f.w == 2 {
		low, high = int(w.z0), int(w.z1)
	}
	from, to := p.Planes(low, high)
	for k := from; k < to; k++ {
		s, ok := p.Cut(float64(k), w.lattice.within)
		if !ok {
			continue
		}
		first, end := s.First, s.End
		if f.axis == 2 {
			first, end = s.Within(float64(w.z0)-2, float64(w.z1)+1)
		}
		for u := first; u < end; u++ {
			w.crossLine(f, int32(u), int32(k), s.At(u), opening)
		}
	}
}

// crossLine records a crossing at t on line (u, v) for the two cells around it,
// and for their neighbours as well where it lies at a cell's centre.
func (w *slabLinks) crossLine(f *family, u, v int32, t float64, opening uint16) {
	behind := math.Ceil(t)
	w.crossPair(f, u, v, int32(behind), t-(behind-1), opening)
	if behind-t < tie {
		w.crossPair(f, u, v, int32(behind)+1, 0, opening)
	} else if t-(behind-1) < tie {
		w.crossPair(f, u, v, int32(behind)-1, 1, opening)
	}
}

// crossPair records a crossing for the links between cells behind−1 and behind,
// the fraction q after the former.
func (w *slabLinks) crossPair(f *family, u, v, behind int32, q float64, opening uint16) {
	a, b := f.cell(u, v, behind-1), f.cell(u, v, behind)
	crossed := w.cross(a[0], a[1], a[2], f.direction, q, opening)
	if w.cross(b[0], b[1], b[2], f.direction^1, 1-q, opening) || crossed {
		return
	}
	// Both cells are fluid, or neither.
	if f.direction < 6 && a[2] >= w.z0 && a[2] < w.z1 && q > tie && q < 1-tie &&
		w.index.find(w.runs, a[0], a[1], a[2]) >= 0 && w.index.find(w.runs, b[0], b[1], b[2]) >= 0 {
		w.joined++
	}
}
