package geometry

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// Narrow is a place inside the lumen that is narrower than the openings on either side of
// it, so that they do not tell how fast the air is there.
type Narrow struct {
	Center r3.Vec
	// Area is that of its section, in square metres.
	Area float64
	// Behind are the numbers of the openings on one side of it.
	Behind []int
}

const (
	// narrowerPart is the part of the area of all openings on either side below which a
	// place is narrow.
	narrowerPart = 0.5
	// narrowCells is the most cells of which narrow places are looked for: of finer
	// grids a coarser one of the same lumen tells them.
	narrowCells = 200_000
	// slowPart is the part of the velocity in the openings below which air in a narrow
	// place is slow.
	slowPart = 0.5
)

// narrowOf finds the narrow places of a grid, or on a coarser one of the same surface.
func narrowOf(ctx context.Context, p *Prepared, o Options, g *Grid) ([]Narrow, error) {
	if g.Cells() <= narrowCells {
		return g.findNarrow(), nil
	}
	o.Spacing, o.FluidCells, o.Directions, o.Progress = 0, narrowCells/2, 0, nil
	coarse, _, err := voxelizePrepared(ctx, p, o)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, nil // where no cell of so large ones reaches the inlet, nothing is known
	}
	return coarse.findNarrow(), nil
}

// Widest is the index of the widest inlet or, without one, of the widest opening.
func (g *Grid) Widest() int {
	widest := 0
	for i, o := range g.Openings {
		best := &g.Openings[widest]
		if inlet := o.Role == Inlet; inlet != (best.Role == Inlet) && inlet || inlet == (best.Role == Inlet) && o.Area > best.Area {
			widest = i
		}
	}
	return widest
}

// findNarrow finds the narrow places of a grid.
func (g *Grid) findNarrow() []Narrow {
	if len(g.Openings) < 2 {
		return nil
	}
	root, ends := g.Widest(), g.Ends()
	if len(ends[root].Cells) == 0 {
		return nil
	}
	tips := map[int32]int{}
	for i := range ends {
		if tip, ok := ends[i].Tip(tips); ok && i != root {
			tips[tip] = i + 1
		}
	}
	var list []Narrow
	for _, s := range g.Lumen().Sections(ends[root].Cells, tips) {
		n := Narrow{Center: r3.Add(g.Origin, r3.Scale(g.Spacing, s.Center)), Area: s.Area * g.Spacing * g.Spacing}
		for _, i := range s.Behind {
			n.Behind = append(n.Behind, g.Openings[i-1].Number)
		}
		if g.isNarrow(&n) {
			list = append(list, n)
		}
	}
	return list
}

// isNarrow tells whether a section is narrow, and not in a branch through which so little
// flows, by the widths of the openings, that air is slow there all the same.
func (g *Grid) isNarrow(n *Narrow) bool {
	var area, flow [2]float64 // of the openings on either side
	var fastest float64
	for i := range g.Openings {
		o := &g.Openings[i]
		side, width := 0, math.Sqrt(o.Area)
		if slices.Contains(n.Behind, o.Number) {
			side = 1
		}
		area[side] += o.Area
		flow[side] += width * o.Area
		fastest = max(fastest, width)
	}
	return n.Area < narrowerPart*min(area[0], area[1]) && min(flow[0], flow[1]) > slowPart*fastest*n.Area
}
