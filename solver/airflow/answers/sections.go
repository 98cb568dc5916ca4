package answers

import (
	"math"

	"carina/geometry"
	"carina/solver/airflow"

	"gonum.org/v1/gonum/spatial/r3"
)

// Section is a square across a branch, in the middle of where it is a tube of its own.
type Section struct {
	Branch int
	// Side is how long the square is, in metres; Speed are Rows rows of as many values, in
	// m/s, no number outside the branch.
	Side  float64
	Rows  int
	Speed []float32
}

// Sections are those of the first branches, at most so many.
func (a *Answers) Sections(g *geometry.Grid, f *airflow.Fields, most int) []Section {
	const rows, room = 100, 1.6 // values, diameters
	starts := g.Starts()
	var list []Section
	for i := range a.Tree.Branches[:min(most, len(a.Tree.Branches))] {
		b := &a.Tree.Branches[i]
		within := func(at r3.Vec) (int64, bool) {
			p := r3.Scale(1/g.Spacing, r3.Sub(at, g.Origin))
			cell, ok := cellAt(g, starts, int32(math.Floor(p.X)), int32(math.Floor(p.Y)), int32(math.Floor(p.Z)))
			return cell, ok && int(a.Tree.Of[cell]) == b.Number
		}
		middle, along := middleOf(b.Line, func(at r3.Vec) bool { _, ok := within(at); return ok })
		// Two directions across, the first as level as there is one.
		u := r3.Cross(r3.Vec{Z: 1}, along)
		if r3.Norm(u) < 0.1 {
			u = r3.Cross(r3.Vec{Y: 1}, along)
		}
		u = r3.Unit(u)
		v := r3.Cross(along, u)
		s := Section{Branch: b.Number, Side: room * b.Diameter, Rows: rows}
		if !(b.Diameter > 0) {
			s.Side = room * g.Spacing // too short for a width
		}
		for row := range rows {
			for column := range rows {
				at := r3.Add(middle, r3.Add(r3.Scale(s.Side*((float64(column)+0.5)/rows-0.5), u), r3.Scale(s.Side*((float64(row)+0.5)/rows-0.5), v)))
				speed := math.NaN()
				if cell, ok := within(at); ok {
					speed = math.Sqrt(square(f.Velocity[0][cell]) + square(f.Velocity[1][cell]) + square(f.Velocity[2][cell]))
				}
				s.Speed = append(s.Speed, float32(speed))
			}
		}
		list = append(list, s)
	}
	return list
}

func square(v float32) float64 { return float64(v) * float64(v) }

// middleOf is the middle one of the places along a line that lie within something, and the
// direction there; where none does, of all places.
func middleOf(line []r3.Vec, within func(r3.Vec) bool) (at, along r3.Vec) {
	const parts = 20 // of each straight piece
	type place struct{ at, along r3.Vec }
	var all, inside []place
	for i := range line[1:] {
		step := r3.Sub(line[i+1], line[i])
		if r3.Norm(step) == 0 {
			continue
		}
		for k := range parts {
			p := place{r3.Add(line[i], r3.Scale((float64(k)+0.5)/parts, step)), r3.Unit(step)}
			if all = append(all, p); within(p.at) {
				inside = append(inside, p)
			}
		}
	}
	if len(inside) == 0 {
		inside = all
	}
	if len(inside) == 0 {
		return line[0], r3.Vec{Z: 1}
	}
	p := inside[len(inside)/2]
	return p.at, p.along
}
