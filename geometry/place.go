package geometry

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// A flat wall across an axis counts as lying in a plane of cell centres when it is
// nearer than nearPlane, in cells: links of less have hardly a length, and cells so
// near to a wall move no air but count as much as others. A grid is moved when
// such walls make up a share of leastShare of all.
const (
	nearPlane  = 0.06
	leastShare = 0.05
)

// shifts are the parts of a cell by which a grid may be moved, the first preferred.
var shifts = [8]float64{0, 1. / 2, 1. / 4, 3. / 4, 1. / 8, 7. / 8, 3. / 8, 5. / 8}

// place lays the box of cells around a surface: centred, or moved along an axis by a
// part of a cell, where flat walls would lie in planes of cell centres otherwise, so
// that they lie between such planes. The place of the cells in a surface so follows
// from its shape, and not from where it lies. It returns the box.
func (g *Grid) place(p *Prepared) (box [3]float64) {
	low, high := p.Surface.Bounds()
	rounding := roundingOf(&p.Surface.Mesh, g.Spacing)
	bottom, top := array(low), array(high)
	var origin [3]float64
	for i := range box {
		box[i] = max(math.Ceil((top[i]-bottom[i])/g.Spacing-rounding), 1)
		origin[i] = 0.5*(bottom[i]+top[i]) - g.Spacing/2*box[i]
	}
	for i, shift := range betterShifts(p, origin, g.Spacing, rounding) {
		if shift == 0 {
			continue
		}
		centre := origin[i] + (0.5+shift)*g.Spacing
		first := math.Ceil((bottom[i]-centre)/g.Spacing - rounding)
		last := math.Floor((top[i]-centre)/g.Spacing + rounding)
		origin[i] += (first + shift) * g.Spacing
		box[i] = max(last-first+1, 1)
	}
	g.Origin = r3.Vec{X: origin[0], Y: origin[1], Z: origin[2]}
	return box
}

// betterShifts are by which part of a cell a grid is better moved along each axis:
// where flat walls lie farther from planes of cell centres, by their areas.
func betterShifts(p *Prepared, origin [3]float64, spacing, rounding float64) (better [3]float64) {
	var walls float64
	var across [3]float64
	// cost tells how near the walls would be to planes, excess the volume of the cells
	// over that between the walls, both in areas.
	var cost, excess [3][len(shifts)]float64
	for t := range p.Surface.Triangles {
		if p.Opening[t] > 0 {
			continue
		}
		vector := p.Surface.AreaVector(t)
		area := r3.Norm(vector)
		walls += area
		a, b, c := p.Surface.Corners(t)
		for i, component := range array(vector) {
			const flat = 1e-6
			if math.Abs(component) < (1-flat)*area {
				continue
			}
			x, y, z := array(a)[i], array(b)[i], array(c)[i]
			if max(x, y, z)-min(x, y, z) > 2*rounding*spacing {
				continue
			}
			at := (x-origin[i])/spacing - 0.5
			for k, shift := range shifts {
				d := math.Abs(at - shift - math.Round(at-shift))
				cost[i][k] += area * math.Pow(1-2*d, 4)
				inward := at - shift
				if component < 0 {
					inward = -inward
				}
				excess[i][k] += area * (0.5 - (inward - math.Floor(inward)))
				if k == 0 && d < nearPlane {
					across[i] += area
				}
			}
		}
	}
	for i := range better {
		if across[i] < leastShare*walls {
			continue
		}
		best := 0
		for k := range shifts {
			if isBetter(cost[i][k], cost[i][best], excess[i][k], excess[i][best], walls) {
				best = k
			}
		}
		better[i] = shifts[best]
	}
	return better
}

// isBetter compares two shifts by their costs; where these are alike by the volume, and
// of too little and as much too much takes the latter, as a mirror image would, too.
func isBetter(cost, than, excess, best, walls float64) bool {
	const clearly = 0.95
	if cost < clearly*than || than < clearly*cost {
		return cost < than
	}
	slack := 1e-2 * walls
	error, least := math.Abs(excess), math.Abs(best)
	return error < least-slack || error < least+slack && excess > best+2*slack
}
