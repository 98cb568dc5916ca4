package tree

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// nodeRadii and sliceRadii are the distance of nodes and the thickness of slices, in
	// radii of the branch.
	nodeRadii, sliceRadii = 1.0, 0.3
	// redraws is how often lines are drawn anew through the middles of slices.
	redraws = 2
	// cutReach is how far from a ridge, in radii of the parent, cells may change the
	// branch.
	cutReach = 4.0
	// rest is over how many radii before a ridge the line goes on straight.
	rest = 0.9
)

// slices are cells of equal stations.
type slices struct {
	first, thickness float64
	cells            []float64
	sums             []r3.Vec
}

func newSlices(first, last, thickness float64) slices {
	n := max(int(math.Ceil((last-first)/thickness)), 1)
	return slices{first, thickness, make([]float64, n), make([]r3.Vec, n)}
}

func (s *slices) add(station float64, at r3.Vec) {
	if k := int(math.Floor((station - s.first) / s.thickness)); k >= 0 && k < len(s.cells) {
		s.cells[k]++
		s.sums[k] = r3.Add(s.sums[k], at)
	}
}

// spread adds a cell as far as it lies in each slice, where stations count cells: else slices
// along a grid's axis would hold one layer of cells more or less.
func (s *slices) spread(station float64, at r3.Vec) {
	low, high := (station-0.5-s.first)/s.thickness, (station+0.5-s.first)/s.thickness
	for k := max(int(math.Floor(low)), 0); k < len(s.cells) && float64(k) < high; k++ {
		part := (min(high, float64(k+1)) - max(low, float64(k))) * s.thickness
		s.cells[k] += part
		s.sums[k] = r3.Add(s.sums[k], r3.Scale(part, at))
	}
}

// middle is the station of the middle of a slice.
func (s *slices) middle(k int) float64 { return s.first + (float64(k)+0.5)*s.thickness }

// between are the slices that lie between two stations as a whole, and if there are
// none the one in the middle.
func (s *slices) between(from, to float64) (first, end int) {
	first = max(int(math.Ceil((from-s.first)/s.thickness-1e-9)), 0)
	end = min(int(math.Floor((to-s.first)/s.thickness+1e-9)), len(s.cells))
	if end <= first {
		first = min(max(int(((from+to)/2-s.first)/s.thickness), 0), len(s.cells)-1)
		end = first + 1
	}
	return first, end
}

// area is a quantile of those of slices, each taken with those beside it.
func (s *slices) area(from, to, quantile float64) float64 {
	const together = 3
	first, end := s.between(from, to)
	n := min(together, end-first)
	var areas []float64
	for k := first; k+n <= end; k++ {
		sum := 0.0
		for i := range n {
			sum += s.cells[k+i]
		}
		areas = append(areas, sum/float64(n)/s.thickness)
	}
	sort.Float64s(areas)
	at := quantile * float64(len(areas)-1)
	below := math.Floor(at)
	return areas[int(below)] + (at-below)*(areas[int(math.Ceil(at))]-areas[int(below)])
}

// axis fits a straight line to the middles of slices.
func (s *slices) axis(from, to float64, otherwise axis) axis {
	first, end := s.between(from, to)
	var weight, mean, square float64
	var middle, product r3.Vec
	for k := first; k < end; k++ {
		weight += s.cells[k]
		mean += s.cells[k] * s.middle(k)
		middle = r3.Add(middle, s.sums[k])
	}
	if weight == 0 {
		return otherwise
	}
	mean, middle = mean/weight, r3.Scale(1/weight, middle)
	filled := 0
	for k := first; k < end; k++ {
		if s.cells[k] == 0 {
			continue
		}
		filled++
		d := s.middle(k) - mean
		square += s.cells[k] * d * d
		product = r3.Add(product, r3.Scale(d, r3.Sub(s.sums[k], r3.Scale(s.cells[k], middle))))
	}
	if filled < 2 || r3.Norm(product) == 0 {
		return axis{middle, otherwise.along}
	}
	return axis{middle, r3.Unit(product)}
}

// eachCell visits the cells of all branches with their stations.
func (f *finder) eachCell(label []int32, visit func(d *draft, station float64, at r3.Vec)) {
	for cell, i := range label {
		d := f.drafts[i]
		at := f.center(int32(cell))
		share := float64(f.distance[cell]-d.bottom) / float64(max(d.top-d.bottom, 1))
		visit(d, d.line.station(at, int(share*float64(len(d.line.nodes)-1))), at)
	}
}

// draw draws centre lines: first through fronts, then through slices across them, of
// cells that belong to the branches by planes across their ends.
func (f *finder) draw() {
	f.of = append(f.of[:0], f.part...)
	f.drawFronts()
	for range redraws {
		f.cut()
		f.redraw()
	}
	f.cut()
	for _, d := range f.drafts {
		if !d.gone {
			low, high := f.ends(d)
			d.slices = newSlices(low, high, max(1, sliceRadii*d.radius()))
			d.cells = 0
		}
	}
	f.eachCell(f.of, func(d *draft, s float64, at r3.Vec) {
		d.slices.add(s, at)
		d.cells++
	})
}

// drawFronts draws lines through the middles of fronts.
func (f *finder) drawFronts() {
	for _, d := range f.drafts {
		d.cells = 0
	}
	for _, i := range f.part {
		f.drafts[i].cells++
	}
	fronts := make([]slices, len(f.drafts))
	for i, d := range f.drafts {
		length := max(float64(d.top-d.bottom), 1)
		d.area = float64(max(d.cells, 1)) / max(length/3, 1)
		n := max(math.Round(length/3/(nodeRadii*d.radius())), 2)
		fronts[i] = newSlices(float64(d.bottom), float64(d.bottom)+length, length/n)
	}
	for cell, i := range f.part {
		s := &fronts[i]
		s.add(min(max(float64(f.distance[cell]), s.first), s.middle(len(s.cells)-1)), f.center(int32(cell)))
	}
	for i, d := range f.drafts {
		if !d.gone {
			d.line = newPolyline(f.through(&fronts[i], d))
		}
	}
}

// through are the middles of slices, two at least.
func (f *finder) through(s *slices, d *draft) []r3.Vec {
	var nodes []r3.Vec
	for k, cells := range s.cells {
		if cells == 0 {
			continue
		}
		at := r3.Scale(1/cells, s.sums[k])
		if n := len(nodes); n == 0 || r3.Norm(r3.Sub(at, nodes[n-1])) > 0.1 {
			nodes = append(nodes, at)
		}
	}
	for _, at := range []r3.Vec{f.begin(d), f.finish(d)} {
		if len(nodes) < 2 && (len(nodes) == 0 || r3.Norm(r3.Sub(at, nodes[0])) > 0.1) {
			nodes = append(nodes, at)
		}
	}
	if len(nodes) < 2 {
		nodes = append(nodes, r3.Add(nodes[0], r3.Vec{X: 1}))
	}
	return nodes
}

// begin is the ridge where a branch begins, or the inlet; finish that where its
// daughters begin, or its opening.
func (f *finder) begin(d *draft) r3.Vec {
	if d.parent < 0 {
		return f.inCells(f.grid.Openings[f.root-1].Center)
	}
	return f.center(f.drafts[d.parent].ridge)
}

func (f *finder) finish(d *draft) r3.Vec {
	if d.opening > 0 {
		return f.inCells(f.grid.Openings[d.opening-1].Center)
	}
	return f.center(d.ridge)
}

// ends are the stations of begin and finish, in order.
func (f *finder) ends(d *draft) (low, high float64) {
	low, high = d.line.station(f.begin(d), 0), d.line.station(f.finish(d), len(d.line.nodes))
	return low, max(high, low+1)
}

// redraw draws lines through the middles of slices of the cells of each branch.
func (f *finder) redraw() {
	all := make([]slices, len(f.drafts))
	of := map[*draft]*slices{}
	for i, d := range f.drafts {
		if d.gone {
			continue
		}
		low, high := f.ends(d)
		n := max(math.Round((high-low)/(nodeRadii*d.radius())), 2)
		all[i] = newSlices(low, high, (high-low)/n)
		of[d] = &all[i]
	}
	f.eachCell(f.of, func(d *draft, s float64, at r3.Vec) { of[d].add(s, at) })
	for i, d := range f.drafts {
		if s := &all[i]; !d.gone && d.opening == 0 {
			// Between the daughters' planes there are rests of sections only.
			_, end := s.between(s.first, s.first+float64(len(s.cells))*s.thickness-rest*d.radius())
			s.cells = s.cells[:max(end, min(2, len(s.cells)))]
		}
	}
	for i, d := range f.drafts {
		if !d.gone {
			d.line = newPolyline(f.through(&all[i], d))
		}
	}
}

// cut gives the cells around every ridge to the daughters that lie behind the planes
// through the ridge across their lines, and what lies before them to the parent.
func (f *finder) cut() {
	type side struct {
		index  int32
		line   axis
		radius float64
	}
	sides := make([][]side, len(f.drafts))
	for i, d := range f.drafts {
		for _, n := range d.daughters {
			if d.gone {
				continue
			}
			line := &f.drafts[n].line
			first := r3.Unit(r3.Sub(line.nodes[1], line.nodes[0]))
			sides[i] = append(sides[i], side{int32(n), axis{line.nodes[0], first}, f.drafts[n].radius()})
		}
	}
	for cell, i := range f.part {
		f.of[cell] = i
		at := f.center(int32(cell))
		for _, parent := range [2]int{int(i), f.drafts[i].parent} {
			if parent < 0 || len(sides[parent]) == 0 {
				continue
			}
			d := f.drafts[parent]
			away := r3.Sub(at, f.center(d.ridge))
			if r3.Norm2(away) > cutReach*cutReach*d.area/math.Pi {
				continue
			}
			best, nearest := int32(parent), math.Inf(1)
			for _, s := range sides[parent] {
				if r3.Dot(away, s.line.along) < 0 {
					continue
				}
				v := r3.Sub(at, s.line.at)
				along := r3.Dot(v, s.line.along)
				if off := (r3.Norm2(v) - along*along) / (s.radius * s.radius); off < nearest && (off < cutReach || s.index == i) {
					best, nearest = s.index, off
				}
			}
			f.of[cell] = best
			if best != i {
				break
			}
		}
	}
}
