package geometry

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// windingField evaluates the generalised winding number of a surface: the
// share of the sphere around a point that the surface covers from inside, 1
// inside and 0 outside of closed surfaces and in between near holes (Jacobson
// et al. 2013). Far groups of triangles count as one dipole (Barill et al.
// 2018, eq. 6, without the higher terms).
type windingField struct {
	hierarchy *hierarchy
	dipoles   []dipole
}

// dipole stands for the triangles of a node: their summed vector area at their
// centre of area, with the reach of the node from there.
type dipole struct {
	area   r3.Vec
	center r3.Vec
	reach  float64
}

// farAway is the distance, in reaches of a node, beyond which its dipole
// stands for it: the β of Barill et al., who use 2 with higher terms.
const farAway = 2.5

func newWindingField(s *Surface) *windingField {
	w := &windingField{hierarchy: newHierarchy(s)}
	w.dipoles = make([]dipole, len(w.hierarchy.nodes))
	for i := range w.hierarchy.nodes {
		n := &w.hierarchy.nodes[i]
		d := &w.dipoles[i]
		var area float64
		for _, t := range w.hierarchy.order[n.from:n.to] {
			v := s.areaVector(int(t))
			a := r3.Norm(v)
			p, q, r := s.Corners(int(t))
			area += a
			d.area = r3.Add(d.area, v)
			d.center = r3.Add(d.center, r3.Scale(a/3, r3.Add(p, r3.Add(q, r))))
		}
		if area > 0 {
			d.center = r3.Scale(1/area, d.center)
		} else {
			d.center = r3.Scale(0.5, r3.Add(n.low, n.high))
		}
		far := maxVec(r3.Sub(n.high, d.center), r3.Sub(d.center, n.low))
		d.reach = r3.Norm(far)
	}
	return w
}

// at returns the winding number around a point.
func (w *windingField) at(p r3.Vec) float64 {
	var sum float64
	var stack [64]int32
	for depth := 1; depth > 0; {
		depth--
		i := stack[depth]
		d := &w.dipoles[i]
		to := r3.Sub(d.center, p)
		distance := r3.Norm2(to)
		if distance > farAway*farAway*d.reach*d.reach {
			sum += r3.Dot(d.area, to) / (distance * math.Sqrt(distance))
			continue
		}
		n := &w.hierarchy.nodes[i]
		if n.second != 0 {
			stack[depth], stack[depth+1] = n.second, i+1
			depth += 2
			continue
		}
		for _, t := range w.hierarchy.order[n.from:n.to] {
			sum += w.hierarchy.surface.solidAngle(t, p)
		}
	}
	return sum / (4 * math.Pi)
}

// fillWinding returns the runs of cells whose centres have a winding number
// above one half. It is evaluated where rows cross the surface and, in
// between, at the ends and the middle of every piece of row: away from the
// surface it only changes across holes, and there halving finds the place.
func (l *lattice) fillWinding(ctx context.Context, w *windingField, center func(x, y, z int32) r3.Vec, workers int, progress func(float64)) ([]Run, error) {
	perSlab := make([][]Run, l.slabCount())
	err := l.eachSlab(ctx, workers, progress, func(slab int) error {
		crossings := l.rowCrossings(slab)
		slices.Sort(crossings)
		z0, _ := l.layers(slab)
		var runs []Run
		for i := 0; i < len(crossings); {
			row := crossings[i].row()
			r := windingRow{field: w, center: center, y: int32(row % int(l.size[1])), z: z0 + int32(row/int(l.size[1])), size: l.size[0]}
			var places []int32
			for ; i < len(crossings) && crossings[i].row() == row; i++ {
				if x := int32(crossings[i].cell()); len(places) == 0 || places[len(places)-1] != x {
					places = append(places, x)
				}
			}
			runs = r.fill(places, runs)
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
	field  *windingField
	center func(x, y, z int32) r3.Vec
	y, z   int32
	size   int32
}

func (r *windingRow) inside(x int32) bool { return r.field.at(r.center(x, r.y, r.z)) > 0.5 }

// fill appends the runs of the row, cut into pieces at the given cells.
func (r *windingRow) fill(places []int32, runs []Run) []Run {
	from := places[0] - 1
	for from >= 0 && r.inside(from) {
		from--
	}
	runs = r.piece(from+1, places[0], runs)
	for i, x := range places {
		if i+1 < len(places) {
			runs = r.piece(x, places[i+1], runs)
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

// solidAngle returns the signed solid angle of triangle t seen from a point,
// positive from inside (van Oosterom and Strackee 1983, eq. 8).
func (s *Surface) solidAngle(t int32, from r3.Vec) float64 {
	a, b, c := s.Corners(int(t))
	a, b, c = r3.Sub(a, from), r3.Sub(b, from), r3.Sub(c, from)
	la, lb, lc := r3.Norm(a), r3.Norm(b), r3.Norm(c)
	det := r3.Dot(a, r3.Cross(b, c))
	div := la*lb*lc + r3.Dot(a, b)*lc + r3.Dot(b, c)*la + r3.Dot(c, a)*lb
	return 2 * math.Atan2(det, div)
}
