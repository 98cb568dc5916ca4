package geometry

import (
	"context"
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// Walls gives the boundary cells their parts of the wall, for shear stress and
// forces. Both slices go with the boundary cells of Links.
type Walls struct {
	// Area is the wall's area that belongs to the cell, in square metres; 0
	// for cells whose links cross only openings.
	Area []float32
	// Normal is the mean unit normal of that part, pointing out of the lumen.
	Normal [][3]float32
	// Lost is the area, in square metres, of wall that no boundary cell is
	// near to: walls of islands that were dropped.
	Lost float64
}

// sampleSide is the side, in cells, of the pieces that triangles are divided
// into before each piece goes to the nearest boundary cell.
const sampleSide = 0.7

// MeasureWalls divides the surface's wall among the grid's boundary cells:
// every small piece of a triangle goes to the boundary cell whose centre is
// nearest, so that the areas sum to the surface's. The grid must be made from
// the prepared surface.
func MeasureWalls(ctx context.Context, p *Prepared, g *Grid, workers int) (*Walls, error) {
	l := newLattice(&p.Surface.Mesh, p.Opening, g.Origin, g.Spacing, g.Size)
	index := newRowIndex(g.Runs, g.Size)
	starts := g.Starts()
	w := &Walls{Area: make([]float32, g.Links.Len()), Normal: make([][3]float32, g.Links.Len())}
	lost := make([]float64, l.slabCount())
	err := l.eachSlab(ctx, workers, nil, func(slab int) error {
		lost[slab] = l.measureSlab(slab, g, index, starts, w)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, a := range lost {
		w.Lost += a
	}
	return w, nil
}

// measureSlab adds the pieces that belong to the boundary cells of one slab,
// triangle by triangle, so that sums do not depend on the workers. It returns
// the area of the pieces in the slab that belong nowhere.
func (l *lattice) measureSlab(slab int, g *Grid, index *rowIndex, starts []int64, w *Walls) (lost float64) {
	z0, z1 := l.layers(slab)
	from, to := l.slabRuns(index, slab)
	begin, _ := g.Links.Search(starts[from])
	end, _ := g.Links.Search(starts[to])
	normals := make([]r3.Vec, end-begin)
	side := g.Spacing * g.Spacing
	finder := boundaryFinder{grid: g, index: index, starts: starts}
	for _, t := range l.inSlab(slab) {
		if l.opening[t] > 0 {
			continue
		}
		l.eachPiece(t, func(at [3]float64, area r3.Vec) {
			i, ok := finder.nearest(at)
			if !ok {
				if z := int32(math.Floor(at[2] + 0.5)); z >= z0 && z < z1 {
					lost += r3.Norm(area) * side
				}
				return
			}
			if i < begin || i >= end {
				return
			}
			w.Area[i] += float32(r3.Norm(area) * side)
			normals[i-begin] = r3.Add(normals[i-begin], area)
		})
	}
	for i, n := range normals {
		if length := r3.Norm(n); length > 0 {
			n = r3.Scale(1/length, n)
			w.Normal[begin+i] = [3]float32{float32(n.X), float32(n.Y), float32(n.Z)}
		}
	}
	return lost
}

// eachPiece divides a triangle into equal pieces of about the sample side and
// visits their centres with their vector areas, in cells.
func (l *lattice) eachPiece(t int32, visit func(at [3]float64, area r3.Vec)) {
	v := l.triangles[t].V
	a, b, c := l.points[v[0]], l.points[v[1]], l.points[v[2]]
	e1 := r3.Vec{X: b[0] - a[0], Y: b[1] - a[1], Z: b[2] - a[2]}
	e2 := r3.Vec{X: c[0] - a[0], Y: c[1] - a[1], Z: c[2] - a[2]}
	longest := max(r3.Norm(e1), r3.Norm(e2), r3.Norm(r3.Sub(e2, e1)))
	n := max(int(math.Ceil(longest/sampleSide)), 1)
	area := r3.Scale(0.5/float64(n*n), r3.Cross(e1, e2))
	at := func(p, q float64) [3]float64 {
		p, q = p/float64(n), q/float64(n)
		return [3]float64{a[0] + p*e1.X + q*e2.X, a[1] + p*e1.Y + q*e2.Y, a[2] + p*e1.Z + q*e2.Z}
	}
	for i := 0; i < n; i++ {
		for j := 0; i+j < n; j++ {
			visit(at(float64(i)+1.0/3, float64(j)+1.0/3), area)
			if i+j+1 < n {
				visit(at(float64(i)+2.0/3, float64(j)+2.0/3), area)
			}
		}
	}
}

// boundaryFinder finds the boundary cell nearest to a point.
type boundaryFinder struct {
	grid   *Grid
	index  *rowIndex
	starts []int64
}

// nearest returns the place in the links of the boundary cell whose centre is
// nearest, among those around the point.
func (f *boundaryFinder) nearest(at [3]float64) (int, bool) {
	base := [3]int32{int32(math.Floor(at[0])), int32(math.Floor(at[1])), int32(math.Floor(at[2]))}
	for reach := int32(0); reach <= 1; reach++ {
		best, found := math.Inf(1), -1
		for z := base[2] - reach; z <= base[2]+1+reach; z++ {
			for y := base[1] - reach; y <= base[1]+1+reach; y++ {
				for x := base[0] - reach; x <= base[0]+1+reach; x++ {
					d := square(float64(x)-at[0]) + square(float64(y)-at[1]) + square(float64(z)-at[2])
					if d >= best {
						continue
					}
					if i, ok := f.boundary(x, y, z); ok {
						best, found = d, i
					}
				}
			}
		}
		if found >= 0 {
			return found, true
		}
	}
	return 0, false
}

func square(x float64) float64 { return x * x }

// boundary returns the place in the links of cell (x, y, z) if it is a boundary
// cell.
func (f *boundaryFinder) boundary(x, y, z int32) (int, bool) {
	run := f.index.find(f.grid.Runs, x, y, z)
	if run < 0 {
		return 0, false
	}
	return f.grid.Links.Search(f.starts[run] + int64(x-f.grid.Runs[run].X0))
}
