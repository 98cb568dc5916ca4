package geometry

import (
	"context"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// fillWinding returns the runs of cells whose centres have a winding number
// above one half. It is evaluated where rows cross the surface and, in
// between, at the ends and the middle of every piece of row: away from the
// surface it only changes across holes, and there halving finds where.
func (l *lattice) fillWinding(ctx context.Context, w *mesh.WindingField, center func(x, y, z int32) r3.Vec, workers int, progress func(float64)) ([]Run, error) {
	perSlab := make([][]Run, l.slabCount())
	err := l.eachSlab(ctx, workers, progress, func(slab int) error {
		crossings := l.rowCrossings(slab)
		slices.Sort(crossings)
		z0, _ := l.layers(slab)
		var runs []Run
		for i := 0; i < len(crossings); {
			row := crossings[i].row()
			r := windingRow{field: w, center: center, y: int32(row % int(l.size[1])), z: z0 + int32(row/int(l.size[1])), size: l.size[0]}
			var cells []int32
			for ; i < len(crossings) && crossings[i].row() == row; i++ {
				if x := int32(crossings[i].cell()); len(cells) == 0 || cells[len(cells)-1] != x {
					cells = append(cells, x)
				}
			}
			runs = r.fill(cells, runs)
		}
		perSlab[slab] = runs
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(perSlab...), nil
}

// windingRow fills one row.
type windingRow struct {
	field  *mesh.WindingField
	center func(x, y, z int32) r3.Vec
	y, z   int32
	size   int32
}

func (r *windingRow) inside(x int32) bool { return r.field.At(r.center(x, r.y, r.z)) > 0.5 }

// fill appends the runs of the row, cut into pieces at the given cells.
func (r *windingRow) fill(cells []int32, runs []Run) []Run {
	from := cells[0] - 1
	for from >= 0 && r.inside(from) {
		from--
	}
	runs = r.piece(from+1, cells[0], runs)
	for i, x := range cells {
		if i+1 < len(cells) {
			runs = r.piece(x, cells[i+1], runs)
			continue
		}
		to := x
		for to < r.size && r.inside(to) {
			to++
		}
		runs = r.piece(x, to, runs)
	}
	return runs
}

// piece appends the cells a ≤ x < b that are inside; no triangle lies between
// them.
func (r *windingRow) piece(a, b int32, runs []Run) []Run {
	if a >= b {
		return runs
	}
	return r.halve(a, b-1, r.inside(a), r.inside(b-1), runs)
}

// sureLength is the number of cells between two equal samples that are taken
// for equal as well.
const sureLength = 32

// halve appends the cells a ≤ x ≤ b that are inside, given the ends.
func (r *windingRow) halve(a, b int32, atA, atB bool, runs []Run) []Run {
	if atA == atB && b-a <= sureLength || a == b {
		if atA {
			runs = appendRun(runs, Run{X0: a, X1: b + 1, Y: r.y, Z: r.z})
		}
		return runs
	}
	if b-a == 1 {
		runs = r.halve(a, a, atA, atA, runs)
		return r.halve(b, b, atB, atB, runs)
	}
	m := a + (b-a)/2
	atM := r.inside(m)
	runs = r.halve(a, m, atA, atM, runs)
	return r.halve(m+1, b, r.inside(m+1), atB, runs)
}

// beside gives the places at which cells are asked for: their centres, or where
// triangles may lie in planes of them so far behind, most along x and least along z,
// that these are surely passed. That is the tie rule of rows.
func (l *lattice) beside(g *Grid) func(x, y, z int32) r3.Vec {
	if !l.inPlane && l.within == 0 {
		return g.Center
	}
	aside := r3.Scale(2*l.rounding*g.Spacing, r3.Vec{X: 1, Y: 0.5, Z: 0.25})
	return func(x, y, z int32) r3.Vec { return r3.Add(g.Center(x, y, z), aside) }
}
