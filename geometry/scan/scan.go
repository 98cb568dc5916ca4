package scan

import "math"

// Point is a vertex as a family of parallel lines sees it: U and W say which
// line (whole numbers are lines), T is the position along it.
type Point struct{ U, W, T float64 }

// Settle moves a point onto lines and cells that it is at but for rounding: whatever
// of it is nearer than within to a whole number becomes that.
func (p Point) Settle(within float64) Point {
	return Point{settled(p.U, within), settled(p.W, within), settled(p.T, within)}
}

// settled is x, or the whole number that is nearer to it than within.
func settled(x, within float64) float64 {
	if within > 0 {
		if whole := math.Round(x); math.Abs(x-whole) < within {
			return whole
		}
	}
	return x
}

// Triangle has its corners in the order of its winding.
type Triangle [3]Point

// Segment is what a triangle leaves on the plane of the lines of one W: it
// covers the lines First ≤ U < End, and crosses line U at T + (U−First)·Step.
// Sign is +1 where the triangle, seen along the lines, winds
// counter-clockwise in (U, W), otherwise −1.
type Segment struct {
	First, End int
	T, Step    float64
	Low, High  float64
	Sign       int8
	within     float64
}

// crossing is where an edge crosses a plane of lines.
type crossing struct{ U, T float64 }

// cross returns where the edge from a to b crosses the plane W = w. It is
// computed from the lower end, whichever way the edge is walked: both
// triangles at an edge get the same bits, and no line slips between them.
// The conversions forbid fused multiply-adds, which could differ between the
// places this is inlined into.
func cross(a, b *Point, w, within float64) crossing {
	if a.W > b.W {
		a, b = b, a
	}
	s := (w - a.W) / (b.W - a.W)
	return crossing{
		U: settled(a.U+float64(s*(b.U-a.U)), within),
		T: a.T + float64(s*(b.T-a.T)),
	}
}

// Cut cuts a triangle with the plane W = w and reports whether any line of
// that plane crosses it.
//
// The tie rule is half open in both directions: an edge crosses the planes
// lower ≤ W < upper, a cut covers the lines left ≤ U < right. Walking around
// a closed surface the cuts with one plane join into closed polygons, end to
// end with equal bits, so the signs of all crossings of a line sum to zero
// whatever was rounded.
//
// Crossings that are nearer than within to a line, or to a cell on it, lie there. Of
// what was rounded more than that the tie rule makes the same everywhere, if all
// points are settled, too; 0 takes all as it is.
func (p *Triangle) Cut(w, within float64) (Segment, bool) {
	var up, down crossing
	found := 0
	for i := range p {
		a, b := &p[i], &p[(i+1)%3]
		switch {
		case a.W <= w && w < b.W:
			up = cross(a, b, w, within)
			found |= 1
		case b.W <= w && w < a.W:
			down = cross(a, b, w, within)
			found |= 2
		}
	}
	if found != 3 {
		return Segment{}, false
	}
	left, right, sign := down, up, int8(1)
	if down.U > up.U {
		left, right, sign = up, down, -1
	}
	first, end := math.Ceil(left.U), math.Ceil(right.U)
	if first >= end {
		return Segment{}, false
	}
	step := (right.T - left.T) / (right.U - left.U)
	return Segment{
		First: int(first), End: int(end),
		T: left.T + float64((first-left.U)*step), Step: step,
		Low: min(left.T, right.T), High: max(left.T, right.T),
		Sign: sign, within: within,
	}, true
}

// At returns where the segment's triangle crosses line u. It never leaves the
// range between the segment's ends.
func (s *Segment) At(u int) float64 {
	t := s.T + float64(float64(u-s.First)*s.Step)
	return settled(min(max(t, s.Low), s.High), s.within)
}

// Planes returns the half-open range of planes that cross the triangle, within
// low ≤ W < high.
func (p *Triangle) Planes(low, high int) (from, to int) {
	a := math.Ceil(min(p[0].W, p[1].W, p[2].W))
	b := math.Ceil(max(p[0].W, p[1].W, p[2].W))
	return int(max(a, float64(low))), int(min(b, float64(high)))
}

// Within narrows the segment's lines to those that cross it at low ≤ T ≤ high,
// give or take a line.
func (s *Segment) Within(low, high float64) (first, end int) {
	if s.Low >= low && s.High <= high {
		return s.First, s.End
	}
	if s.High < low || s.Low > high {
		return s.First, s.First
	}
	if s.Step == 0 {
		return s.First, s.End
	}
	a, b := (low-s.T)/s.Step, (high-s.T)/s.Step
	if a > b {
		a, b = b, a
	}
	n := float64(s.End - s.First)
	a, b = max(math.Floor(a)-1, 0), min(math.Ceil(b)+2, n)
	if a >= b {
		return s.First, s.First
	}
	return s.First + int(a), s.First + int(b)
}
