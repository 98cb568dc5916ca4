package picture

// evenPixels is from how many pixels a column on one sample shows a pixel where no rim
// and no jump of the colour is near: what is seen is twice differentiable there, and the
// mean over a pixel differs from the value in its middle by a 24th of the second
// differences between columns, divided by the square of this.
const evenPixels = 3

// uneven is the steepness of places where the surface is not one, or its colour jumps.
const uneven = -1

// steepness is, for all vicinities by the first of their columns, by how much the
// distance to the outline changes at the most over a column to the side and one up, or
// uneven.
func (r *relief) steepness(apart func(a, b int) bool) []float32 {
	steep := make([]float32, r.width*r.height)
	r.eachRow(func(y int) {
		var v vicinity
		for x := range r.width {
			r.look(&v, x, y)
			steep[y*r.width+x] = v.steepness(apart)
		}
	})
	return steep
}

func (v *vicinity) steepness(apart func(a, b int) bool) float32 {
	if v.count == 0 {
		return uneven
	}
	for i, column := range v.column[:v.count] {
		if !v.nearest[i] || apart != nil && apart(v.column[0], column) {
			return uneven
		}
	}
	// A spline is no steeper than its coefficients.
	var aside, up float32
	for i, d := range v.inside {
		if i%4 > 0 {
			aside = max(aside, d-v.inside[i-1], v.inside[i-1]-d)
		}
		if i >= 4 {
			up = max(up, d-v.inside[i-4], v.inside[i-4]-d)
		}
	}
	return aside + up
}

// middle is the colour in the middle of a pixel, if that is what its samples show: it
// reaches from its first ones to its last ones, and the outline passes it by.
func (p *painter) middle(s *sample, left, low int) (c colour, ok bool) {
	if p.steep == nil {
		return c, false
	}
	across, up := p.across[left*p.samples:][:p.samples], p.up[low*p.samples:][:p.samples]
	var steepest float32
	for _, y := range [2]int{up[0].first, up[p.samples-1].first} {
		for _, x := range [2]int{across[0].first, across[p.samples-1].first} {
			if x < 0 || y < 0 || x >= p.width || y >= p.height {
				return c, false
			}
			steep := p.steep[y*p.width+x]
			if steep == uneven {
				return c, false
			}
			steepest = max(steepest, steep)
		}
	}
	c, ok = p.seen(s, across[p.samples/2], up[p.samples/2])
	return c, ok && s.inside > steepest*float32(0.5/p.scale)
}
