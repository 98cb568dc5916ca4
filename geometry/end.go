package geometry

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// End is the cells that have a link to an opening, by their global numbers.
type End struct {
	Cells []int32
	// far are the distances of their middles from that of the opening, in cells.
	far []float64
}

// Ends lists the cells at all openings.
func (g *Grid) Ends() []End {
	ends := make([]End, len(g.Openings))
	starts := g.Starts()
	cell, run := 0, 0
	for _, o := range g.Links.Openings {
		for g.Links.First[cell+1] <= o.Link {
			cell++
		}
		at := g.Links.Cells[cell]
		e := &ends[o.Number-1]
		if n := len(e.Cells); n > 0 && e.Cells[n-1] == int32(at) {
			continue
		}
		for starts[run+1] <= at {
			run++
		}
		r := &g.Runs[run]
		e.Cells = append(e.Cells, int32(at))
		center := r3.Vec{X: float64(r.X0) + float64(at-starts[run]) + 0.5, Y: float64(r.Y) + 0.5, Z: float64(r.Z) + 0.5}
		e.far = append(e.far, r3.Norm(r3.Sub(center, r3.Scale(1/g.Spacing, r3.Sub(g.Openings[o.Number-1].Center, g.Origin)))))
	}
	return ends
}

// Tip is the cell next to the middle of the opening among those that are not taken, false
// where there is none.
func (e *End) Tip(taken map[int32]int) (tip int32, ok bool) {
	nearest := math.Inf(1)
	for i, cell := range e.Cells {
		if _, is := taken[cell]; !is && e.far[i] < nearest {
			tip, nearest, ok = cell, e.far[i], true
		}
	}
	return tip, ok
}
