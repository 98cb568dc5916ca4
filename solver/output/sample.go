package output

import "math"

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
