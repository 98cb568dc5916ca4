package opening

import (
	"slices"

	"carina/solver/lattice"
)

// Cell is a cell with links that end at openings.
type Cell struct {
	// Local and Global are its numbers on the rank and in the grid.
	Local  int32
	Global int64
	// Neighbour is that in every direction, −1 where there is no fluid.
	Neighbour [26]int32
	Links     []Link // those to one opening in a row
	groups    []group
	// firstLink and firstGroup are the numbers of its first link and group among
	// those of all cells.
	firstLink, firstGroup int
}

// Link is a link that ends at an opening.
type Link struct {
	Opening int // its index in the grid
	// Population is ī, the one that comes in.
	Population uint8
	// Weight is what the link counts in the mean density of the opening: the part of
	// the opening's area that it stands for, in cell faces, 6 w_i c_i·n, which adds up to
	// one over the links of a face; or nothing, see States.AtWall.
	Weight float64
	// Inflow is what enters along the link where a velocity is imposed, for a
	// factor of one, in cell volumes per step: the area times the profile, which
	// adds up to the opening's area.
	Inflow float64
	// Distance is how far inside the opening's plane the cell's centre lies, in
	// cells.
	Distance float64
	// along is the component c_n of c_ī along the opening's normal.
	along float64
}

// group is the links of a cell to one opening, first to end − 1, with what the
// projection on the span of 1 and c_n over them needs, where the scalar product is
// the sum over the links weighted by those of the lattice.
type group struct {
	opening    int
	first, end int
	// mean is the mean of c_n, weight Σw and spread Σw(c_n−mean)²; the inverse of
	// the latter is 0 where all links have the same c_n.
	mean, weight, spread, inverseWeight, inverseSpread float64
}

// leastSpread is the part of Σw below which Σw(c_n−mean)² is rounding.
const leastSpread = 1e-6

// NewCell sorts the links of a cell by opening.
func NewCell(set *lattice.Set, local int32, global int64, links []Link) Cell {
	slices.SortStableFunc(links, func(x, y Link) int { return x.Opening - y.Opening })
	return Cell{Local: local, Global: global, Links: links, groups: groupLinks(set, links)}
}

// groupLinks finds the groups of links that are sorted by opening.
func groupLinks(set *lattice.Set, links []Link) (groups []group) {
	for first := 0; first < len(links); {
		g := group{opening: links[first].Opening, first: first}
		var sum float64
		for g.end = first; g.end < len(links) && links[g.end].Opening == g.opening; g.end++ {
			w := set.Weights[links[g.end].Population]
			g.weight, sum = g.weight+w, sum+w*links[g.end].along
		}
		g.mean, g.inverseWeight = sum/g.weight, 1/g.weight
		for _, link := range links[g.first:g.end] {
			g.spread += set.Weights[link.Population] * (link.along - g.mean) * (link.along - g.mean)
		}
		if g.spread > leastSpread*g.weight {
			g.inverseSpread = 1 / g.spread
		}
		groups = append(groups, g)
		first = g.end
	}
	return groups
}

// project returns the coefficients of 1 and c_n − mean of the projection of
// values at the links.
func (g *group) project(set *lattice.Set, links []Link, values *[26]float64) (mean, slope float64) {
	for k := g.first; k < g.end; k++ {
		w := set.Weights[links[k].Population]
		mean += w * values[k]
		slope += w * (links[k].along - g.mean) * values[k]
	}
	return mean * g.inverseWeight, slope * g.inverseSpread
}

// reject subtracts the projection from values at the links and returns the
// square of what remains.
func (g *group) reject(set *lattice.Set, links []Link, values *[26]float64, mean, slope float64) (square float64) {
	for k := g.first; k < g.end; k++ {
		values[k] -= mean + slope*(links[k].along-g.mean)
		square += set.Weights[links[k].Population] * values[k] * values[k]
	}
	return square
}
