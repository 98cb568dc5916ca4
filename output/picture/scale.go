package picture

import (
	"math"
	"slices"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// scale is what the colours of a picture mean.
type scale struct {
	colours *colourMap
	// name is that of the quantity, place says in a few lines where it is taken.
	name  string
	place []string
	units []unit
	// low and high are the values of the first and the last colour, in SI.
	low, high float64
}

// The quantities that flow pictures show.
var (
	speedScale    = scale{colours: &viridis, name: "Speed", place: []string{"largest along the", "line of sight"}, units: speedUnits}
	pressureScale = scale{colours: &plasma, name: "Wall pressure", place: []string{"in the cells", "beside the wall"}, units: pressureUnits}
)

// colour returns that of a value.
func (s *scale) colour(value float64) colour {
	return s.colours.at((value - s.low) / (s.high - s.low))
}

// Extremes returns the range of values that a scale of a field shows: without the
// outermost thousandth at either end, so that one odd cell does not bleach a
// picture, and without what is no number. Where means over the openings are given,
// they belong to the range, and what lies at the rims of openings does not. At
// returns where each value was taken.
func Extremes(values []float32, at func(i int) r3.Vec, openings []geometry.Opening, means []float64) (low, high float64) {
	all := usable(values, func(i int) bool { return len(means) == 0 || !atRim(openings, at(i)) })
	if len(all) == 0 {
		// A short piece may lie at openings whole.
		all = usable(values, func(int) bool { return true })
	}
	if len(all) > 0 {
		slices.Sort(all)
		cut := len(all) / 1000
		low, high = float64(all[cut]), float64(all[len(all)-1-cut])
	} else if len(means) > 0 {
		low, high = means[0], means[0]
	}
	for _, mean := range means {
		if !math.IsNaN(mean) && !math.IsInf(mean, 0) {
			low, high = min(low, mean), max(high, mean)
		}
	}
	return low, high
}

// usable are the numbers among values that keep wants.
func usable(values []float32, keep func(i int) bool) (all []float32) {
	for i, v := range values {
		if !isNaN(v) && !math.IsInf(float64(v), 0) && keep(i) {
			all = append(all, v)
		}
	}
	return all
}

// atRim tells whether a place lies at an opening: within a quarter of its diameter
// from its plane. Where air enters everywhere as fast, up to the wall at rest, the
// pressure at the rim is that of the jump and not that of the flow.
func atRim(openings []geometry.Opening, at r3.Vec) bool {
	for i := range openings {
		o := &openings[i]
		d := r3.Sub(at, o.Center)
		square := r3.Norm2(d)
		// Of the disc's area π·r².
		r2 := o.Area / math.Pi
		if square > 2.5*r2 {
			continue
		}
		away := r3.Dot(d, o.Normal)
		if away*away < r2/4 && square-away*away < 2.25*r2 {
			return true
		}
	}
	return false
}
