package wallshear

import (
	"math"
	"math/bits"
	"runtime"
	"sort"

	"carina/geometry"
	"carina/internal/parallel"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// within is how near to a triangle, in cells, cells count.
	within = 2.8
	// fewest is how many cells a fit takes at least; with fewer it is a plane.
	fewest = 12
	// rimWeight is how much a cell counts that has links to the wall, wallWeight a place
	// where a link meets it. The velocity slips a little along interpolated walls and is
	// less exact in the cells beside them, so that those behind tell more; walls keep the
	// fit in bounds where few cells are near.
	rimWeight, wallWeight = 0.1, 0.002
	// terms of a polynomial of second order in three variables.
	terms = 10
)

// Stress is what the air does to triangles of a wall.
type Stress struct {
	// Shear is the tangential force of the air on the wall per area, Pressure the
	// pressure on it, in Pa. Both are 0 where no cell is near.
	Shear    []r3.Vec
	Pressure []float64
	// Known tells whether cells were near.
	Known []bool
}

// Measure finds the stress on a wall from pressure, in Pa, and velocity, in m/s, of all
// cells of a grid with links, for a dynamic viscosity in Pa·s.
func Measure(w *Wall, g *geometry.Grid, pressure []float32, velocity *[3][]float32, viscosity float64) *Stress {
	n := len(w.Triangles)
	s := &Stress{Shear: make([]r3.Vec, n), Pressure: make([]float64, n), Known: make([]bool, n)}
	eachTriangle(w, g, func(f *fitter, a *fit, t int) {
		if !f.at(a, w.Center[t], w.Normal[t]) {
			return
		}
		var gradient r3.Vec
		for k, cell := range a.cells {
			gradient = r3.Add(gradient, r3.Scale(a.slope[k], velocityOf(velocity, cell)))
			s.Pressure[t] += a.level[k] * float64(pressure[cell])
		}
		s.Known[t], s.Shear[t] = true, drag(gradient, w.Normal[t], viscosity)
	})
	return s
}

// eachTriangle calls visit for each triangle, from several goroutines, with what finds fits
// and one to be used again.
func eachTriangle(w *Wall, g *geometry.Grid, visit func(f *fitter, a *fit, t int)) {
	f := &fitter{grid: g, starts: g.Starts()}
	const chunk = 256
	parallel.New(runtime.GOMAXPROCS(0)).RangesOf(len(w.Triangles), chunk, func(from, to int) {
		var a fit
		for t := from; t < to; t++ {
			visit(f, &a, t)
		}
	})
}

func velocityOf(velocity *[3][]float32, cell int64) r3.Vec {
	return r3.Vec{X: float64(velocity[0][cell]), Y: float64(velocity[1][cell]), Z: float64(velocity[2][cell])}
}

// drag is the shear stress for a velocity that changes along the normal so. The normal
// points out of the lumen, so that the air drags the wall along by −μ ∂u/∂n.
func drag(gradient, normal r3.Vec, viscosity float64) r3.Vec {
	shear := r3.Scale(-viscosity, gradient)
	return r3.Sub(shear, r3.Scale(r3.Dot(shear, normal), normal))
}

// fitter finds the cells of fits.
type fitter struct {
	grid   *geometry.Grid
	starts []int64
}

// fit is one by least squares: for the velocity of second order, and for the pressure of
// first. What it tells is linear in the values of the cells.
type fit struct {
	// places are what the velocity is fitted to.
	places []place
	// Of each cell: its number, the vector from the place to it in cells, its weight, and
	// what it adds, times its velocity, to ∂u/∂n and, times its pressure, to that at the
	// place.
	cells        []int64
	offsets      []r3.Vec
	weights      []float64
	slope, level []float64
}

// place is one so far from that of the fit, in cells, with its weight.
type place struct {
	r3.Vec
	weight float64
}

// near finds the cells of a fit around a place on the wall.
func (f *fitter) near(a *fit, at, normal r3.Vec) {
	a.cells, a.offsets = a.cells[:0], a.offsets[:0]
	local := r3.Scale(1/f.grid.Spacing, r3.Sub(at, f.grid.Origin))
	low, high := floors(r3.Sub(local, reachVector)), floors(r3.Add(local, reachVector))
	for z := low[2]; z <= high[2]; z++ {
		for y := low[1]; y <= high[1]; y++ {
			run := f.grid.FirstOfRow(y, z)
			for ; run < len(f.grid.Runs) && f.grid.Runs[run].Y == y && f.grid.Runs[run].Z == z; run++ {
				r := &f.grid.Runs[run]
				for x := max(r.X0, low[0]); x < min(r.X1, high[0]+1); x++ {
					d := r3.Sub(r3.Vec{X: float64(x) + 0.5, Y: float64(y) + 0.5, Z: float64(z) + 0.5}, local)
					// Cells beyond the wall, of another branch, lie on the outer side.
					if r3.Norm2(d) > within*within || r3.Dot(d, normal) > 0.5 {
						continue
					}
					a.cells, a.offsets = append(a.cells, f.starts[run]+int64(x-r.X0)), append(a.offsets, d)
				}
			}
		}
	}
}

// at fits around a place on the wall; false where no cell is near.
func (f *fitter) at(a *fit, at, normal r3.Vec) bool {
	f.near(a, at, normal)
	if len(a.cells) == 0 {
		return false
	}
	a.places, a.weights, a.slope, a.level = a.places[:0], a.weights[:0], a.slope[:0], a.level[:0]
	for k, cell := range a.cells {
		f.add(a, cell, a.offsets[k])
	}
	matrix, plane := a.sum()
	n := terms
	if len(a.cells) < fewest {
		n = 4
	}
	slope, level := slopes(matrix, normal, n), levels(plane)
	for k, d := range a.offsets {
		t := termsAt(d)
		var along, here float64
		for i := range n {
			along += slope[i] * t[i]
		}
		for i := range level {
			here += level[i] * t[i]
		}
		a.slope, a.level = append(a.slope, a.weights[k]*along/f.grid.Spacing), append(a.level, here)
	}
	return true
}

var reachVector = r3.Vec{X: within, Y: within, Z: within}

func floors(v r3.Vec) [3]int32 {
	return [3]int32{int32(math.Floor(v.X)), int32(math.Floor(v.Y)), int32(math.Floor(v.Z))}
}

// add adds a cell so far from the place, and the places where its links meet the wall, at
// which air rests.
func (f *fitter) add(a *fit, cell int64, d r3.Vec) {
	links := &f.grid.Links
	i, edge := links.Search(cell)
	weight := 1.0
	if edge {
		weight = rimWeight
	}
	a.weights = append(a.weights, a.add(d, weight))
	if !edge {
		return
	}
	link := links.First(i)
	opening := sort.Search(len(links.Openings), func(i int) bool { return links.Openings[i].Link >= link })
	for mask := links.Mask[i]; mask != 0; mask &= mask - 1 {
		if opening < len(links.Openings) && links.Openings[opening].Link == link {
			opening++
		} else {
			o, q := geometry.Directions[bits.TrailingZeros32(mask)], links.Fraction(link)
			a.add(r3.Add(d, r3.Vec{X: q * float64(o.X), Y: q * float64(o.Y), Z: q * float64(o.Z)}), wallWeight)
		}
		link++
	}
}

// termsAt are those of the polynomial.
func termsAt(d r3.Vec) [terms]float64 {
	return [terms]float64{1, d.X, d.Y, d.Z, d.X * d.X, d.Y * d.Y, d.Z * d.Z, d.X * d.Y, d.X * d.Z, d.Y * d.Z}
}

// add adds a place to the velocity's fit, and returns its weight there: what is nearer
// counts more.
func (a *fit) add(d r3.Vec, weight float64) float64 {
	far := r3.Norm2(d) / (within * within)
	weight *= math.Exp(-2 * far)
	a.places = append(a.places, place{d, weight})
	return weight
}

// sum makes the normal equations of all places and of all cells, in which the matrix's
// lower half is left out.
func (a *fit) sum() (matrix [terms][terms]float64, plane [4][4]float64) {
	for k := range a.places {
		t, weight := termsAt(a.places[k].Vec), a.places[k].weight
		for i := range terms {
			w := weight * t[i]
			for j := i; j < terms; j++ {
				matrix[i][j] += w * t[j]
			}
		}
	}
	for _, d := range a.offsets {
		t := termsAt(d)
		for i := range plane {
			for j := range plane {
				plane[i][j] += t[i] * t[j]
			}
		}
	}
	return matrix, plane
}

// slopes are the solution of the first n normal equations for the derivative along the
// normal, in cells.
func slopes(matrix [terms][terms]float64, normal r3.Vec, n int) [terms]float64 {
	// A little is added to the diagonal, for cells in a plane or a line.
	const little = 1e-9
	for i := range n {
		matrix[i][i] += little * matrix[0][0]
		for j := range i {
			matrix[i][j] = matrix[j][i]
		}
	}
	right := [terms]float64{1: normal.X, 2: normal.Y, 3: normal.Z}
	for i := range n {
		for r := i + 1; r < n; r++ {
			factor := matrix[r][i] / matrix[i][i]
			for c := i; c < n; c++ {
				matrix[r][c] -= factor * matrix[i][c]
			}
			right[r] -= factor * right[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for c := i + 1; c < n; c++ {
			right[i] -= matrix[i][c] * right[c]
		}
		right[i] /= matrix[i][i]
	}
	return right
}

// levels are the solution of the plane's normal equations for its value at the place.
func levels(m [4][4]float64) [4]float64 {
	const little = 1e-6
	for i := 1; i < 4; i++ {
		m[i][i] += little * m[0][0]
	}
	right := [4]float64{1}
	for i := range 4 {
		for r := i + 1; r < 4; r++ {
			factor := m[r][i] / m[i][i]
			for c := i; c < 4; c++ {
				m[r][c] -= factor * m[i][c]
			}
			right[r] -= factor * right[i]
		}
	}
	for i := 3; i >= 0; i-- {
		for c := i + 1; c < 4; c++ {
			right[i] -= m[i][c] * right[c]
		}
		right[i] /= m[i][i]
	}
	return right
}
