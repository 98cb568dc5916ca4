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
	f := &fitter{grid: g, starts: g.Starts(), pressure: pressure, velocity: velocity}
	const chunk = 256
	parallel.New(runtime.GOMAXPROCS(0)).RangesOf(n, chunk, func(from, to int) {
		var a accumulator
		for t := from; t < to; t++ {
			gradient, p, ok := f.at(&a, w.Center[t], w.Normal[t])
			if !ok {
				continue
			}
			s.Known[t], s.Pressure[t] = true, p
			// The normal points out of the lumen, so that the air drags the wall along by
			// −μ ∂u/∂n.
			shear := r3.Scale(-viscosity, gradient)
			s.Shear[t] = r3.Sub(shear, r3.Scale(r3.Dot(shear, w.Normal[t]), w.Normal[t]))
		}
	})
	return s
}

// fitter knows the fields of cells.
type fitter struct {
	grid     *geometry.Grid
	starts   []int64
	pressure []float32
	velocity *[3][]float32
}

// accumulator are normal equations: for the velocity of second order, and for the
// pressure of first.
type accumulator struct {
	matrix [terms][terms]float64
	right  [terms][3]float64
	plane  [4][5]float64
}

// at fits around a place on the wall and returns ∂u/∂n along the normal, in 1/s, and the
// pressure there.
func (f *fitter) at(a *accumulator, at, normal r3.Vec) (gradient r3.Vec, pressure float64, ok bool) {
	*a = accumulator{}
	h := f.grid.Spacing
	local := r3.Scale(1/h, r3.Sub(at, f.grid.Origin))
	cells := 0
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
					cells++
					f.add(a, f.starts[run]+int64(x-r.X0), d)
				}
			}
		}
	}
	if cells == 0 {
		return gradient, 0, false
	}
	pressure = a.pressure()
	return r3.Scale(1/h, a.gradient(normal, cells >= fewest)), pressure, true
}

var reachVector = r3.Vec{X: within, Y: within, Z: within}

func floors(v r3.Vec) [3]int32 {
	return [3]int32{int32(math.Floor(v.X)), int32(math.Floor(v.Y)), int32(math.Floor(v.Z))}
}

// add adds a cell so far from the place, and the places where its links meet the wall.
func (f *fitter) add(a *accumulator, cell int64, d r3.Vec) {
	u := [3]float64{float64(f.velocity[0][cell]), float64(f.velocity[1][cell]), float64(f.velocity[2][cell])}
	a.addPressure(d, float64(f.pressure[cell]))
	links := &f.grid.Links
	i := sort.Search(len(links.Cells), func(i int) bool { return links.Cells[i] >= cell })
	if i == len(links.Cells) || links.Cells[i] != cell {
		a.add(d, u, 1)
		return
	}
	a.add(d, u, rimWeight)
	link := links.First[i]
	for mask := links.Mask[i]; mask != 0; mask &= mask - 1 {
		o := geometry.Directions[bits.TrailingZeros32(mask)]
		if links.Opening(link) == 0 {
			q := links.Fraction(link)
			a.add(r3.Add(d, r3.Vec{X: q * float64(o.X), Y: q * float64(o.Y), Z: q * float64(o.Z)}), [3]float64{}, wallWeight)
		}
		link++
	}
}

// add adds a value at a place; what is nearer counts more.
func (a *accumulator) add(d r3.Vec, u [3]float64, weight float64) {
	far := r3.Norm2(d) / (within * within)
	weight *= math.Exp(-2 * far)
	t := [terms]float64{1, d.X, d.Y, d.Z, d.X * d.X, d.Y * d.Y, d.Z * d.Z, d.X * d.Y, d.X * d.Z, d.Y * d.Z}
	for i := range terms {
		w := weight * t[i]
		for j := i; j < terms; j++ {
			a.matrix[i][j] += w * t[j]
		}
		for k := range u {
			a.right[i][k] += w * u[k]
		}
	}
}

func (a *accumulator) addPressure(d r3.Vec, p float64) {
	t := [4]float64{1, d.X, d.Y, d.Z}
	for i := range t {
		for j := range t {
			a.plane[i][j] += t[i] * t[j]
		}
		a.plane[i][4] += t[i] * p
	}
}

// gradient is ∂u/∂n at the place, in m/s per cell.
func (a *accumulator) gradient(normal r3.Vec, second bool) r3.Vec {
	n := terms
	if !second {
		n = 4
	}
	// A little is added to the diagonal, for cells in a plane or a line.
	const little = 1e-9
	for i := range n {
		a.matrix[i][i] += little * a.matrix[0][0]
		for j := range i {
			a.matrix[i][j] = a.matrix[j][i]
		}
	}
	for i := range n {
		for r := i + 1; r < n; r++ {
			factor := a.matrix[r][i] / a.matrix[i][i]
			for c := i; c < n; c++ {
				a.matrix[r][c] -= factor * a.matrix[i][c]
			}
			for k := range 3 {
				a.right[r][k] -= factor * a.right[i][k]
			}
		}
	}
	for i := n - 1; i > 0; i-- {
		for k := range 3 {
			for c := i + 1; c < n; c++ {
				a.right[i][k] -= a.matrix[i][c] * a.right[c][k]
			}
			a.right[i][k] /= a.matrix[i][i]
		}
	}
	along := func(k int) float64 {
		return normal.X*a.right[1][k] + normal.Y*a.right[2][k] + normal.Z*a.right[3][k]
	}
	return r3.Vec{X: along(0), Y: along(1), Z: along(2)}
}

// pressure is that of the plane at the place.
func (a *accumulator) pressure() float64 {
	m := &a.plane
	const little = 1e-6
	for i := range 4 {
		m[i][i] += little * m[0][0]
	}
	m[0][0] -= little * m[0][0]
	for i := range 3 {
		// The constant is eliminated last.
		row := 3 - i
		for r := range row {
			factor := m[r][row] / m[row][row]
			for c := range 5 {
				m[r][c] -= factor * m[row][c]
			}
		}
	}
	return m[0][4] / m[0][0]
}
