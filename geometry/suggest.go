package geometry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"carina/geometry/mesh"
	"carina/internal/disjoint"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// suggestCells is the size of the grid on which branches are followed.
	suggestCells = 300_000
	// A lumen whose volume over its area is less than so many of that grid's
	// cells is no tree of tubes. The grid takes so many bytes at most.
	suggestDepth, suggestMemory = 0.4, 400 << 20
	// A branch ends where one must go back from its tip by so many of its
	// widths to reach a place farther along the lumen.
	tipWidths = 2.0
	// The cut lies so many radii before the tip, or halfway along the branch.
	cutRadii = 3.0
	// A diameter deeper, the section of a branch has grown by no more than this
	// factor.
	tubeGrowth = 3.0
	// A suggested radius exceeds the section's by this factor.
	suggestMargin = 1.2
)

// SuggestOpenings finds where a lumen without flat ends could be cut: behind
// the tip of every branch, the widest first. The suggestions can be passed on
// as Options.Openings.
//
// Branches are found on a coarse grid as the persistent maxima of the distance
// along the lumen from its far end.
func SuggestOpenings(ctx context.Context, p *Prepared) ([]Disc, error) {
	cells := int64(suggestCells)
	if p.Method == Winding {
		// Each of its cells costs much more.
		cells /= 10
	}
	if p.Volume < suggestDepth*p.Area*math.Cbrt(p.Volume/float64(cells)) {
		return nil, errors.New("the lumen is too narrow for its area to follow its branches")
	}
	g, _, err := VoxelizePrepared(ctx, p, Options{FluidCells: cells, MemoryLimit: suggestMemory})
	if err != nil {
		return nil, err
	}
	c := newCellGraph(g)
	if len(c.cells) == 0 {
		return nil, nil
	}
	wall := c.walk(c.boundary())
	// From any cell to the farthest, and from there to all others.
	first := c.walk([]int32{0})
	source := first.last()
	from := c.walk([]int32{source})
	// Ways back to the source start with the way to the other far end.
	to := c.walk([]int32{from.last()})
	tips := append(c.tips(from), branchTip{source, from.distance[from.last()]})
	h := p.hierarchy()
	type end struct {
		disc Disc
		area float64
	}
	var ends []end
	for _, tip := range tips {
		way := from
		if tip.cell == source {
			way = to
		}
		if d, area, ok := c.cutBehind(h, tip, way.parent, wall.distance); ok {
			ends = append(ends, end{d, area})
		}
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(b.area, a.area) })
	var discs []Disc
	for i, e := range ends {
		e.disc.Name = fmt.Sprintf("outlet_%02d", i+1)
		if i == 0 {
			e.disc.Name = "inlet"
		}
		discs = append(discs, e.disc)
	}
	return discs, nil
}

// cellGraph is the fluid cells and their face neighbours.
type cellGraph struct {
	grid  *Grid
	cells [][3]int32
	// next are the neighbours in the first six Directions, -1 for none.
	next [][6]int32
}

func newCellGraph(g *Grid) *cellGraph {
	index, starts := newRowIndex(g.Runs, g.Size), g.Starts()
	c := &cellGraph{grid: g}
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			c.cells = append(c.cells, [3]int32{x, r.Y, r.Z})
		}
	}
	c.next = make([][6]int32, len(c.cells))
	for i, cell := range c.cells {
		for d := range c.next[i] {
			o := Directions[d]
			x := cell[0] + int32(o.X)
			c.next[i][d] = -1
			if run := index.find(g.Runs, x, cell[1]+int32(o.Y), cell[2]+int32(o.Z)); run >= 0 {
				c.next[i][d] = int32(starts[run]) + x - g.Runs[run].X0
			}
		}
	}
	return c
}

// boundary lists the cells that lack a neighbour.
func (c *cellGraph) boundary() []int32 {
	var out []int32
	for i := range c.next {
		if slices.Contains(c.next[i][:], -1) {
			out = append(out, int32(i))
		}
	}
	return out
}

// walk is a breadth-first search: cells in the order reached, their distance
// in steps from the sources, and where they were reached from.
type walk struct {
	order    []int32
	distance []int32
	parent   []int32
}

func (w *walk) last() int32 { return w.order[len(w.order)-1] }

func (c *cellGraph) walk(sources []int32) walk {
	w := walk{order: slices.Clone(sources), distance: make([]int32, len(c.cells)), parent: make([]int32, len(c.cells))}
	for i := range w.distance {
		w.distance[i], w.parent[i] = -1, -1
	}
	for _, s := range sources {
		w.distance[s] = 0
	}
	for k := 0; k < len(w.order); k++ {
		at := w.order[k]
		for _, n := range c.next[at] {
			if n >= 0 && w.distance[n] < 0 {
				w.distance[n], w.parent[n] = w.distance[at]+1, at
				w.order = append(w.order, n)
			}
		}
	}
	return w
}

// branchTip is the far end of a branch, which is length steps long.
type branchTip struct {
	cell   int32
	length int32
}

// tips returns the maxima of the distance with their persistence: the level
// sinks from the far end, and where two uncovered parts join, the lower
// maximum's branch begins.
func (c *cellGraph) tips(w walk) []branchTip {
	parent := disjoint.New(len(c.cells))
	top := make([]int32, len(c.cells))
	uncovered := make([]bool, len(c.cells))
	var found []branchTip
	for k := len(w.order) - 1; k >= 0; k-- {
		at := w.order[k]
		uncovered[at], top[at] = true, at
		for _, n := range c.next[at] {
			if n < 0 || !uncovered[n] {
				continue
			}
			a, b := parent.Find(at), parent.Find(n)
			if a == b {
				continue
			}
			high, low := top[a], top[b]
			if w.distance[high] < w.distance[low] || w.distance[high] == w.distance[low] && high > low {
				high, low = low, high
			}
			if low != at {
				found = append(found, branchTip{low, w.distance[low] - w.distance[at]})
			}
			parent.Union(a, b)
			top[parent.Find(a)] = high
		}
	}
	return append(found, branchTip{w.last(), w.distance[w.last()]})
}

// cutBehind goes back from a tip until the branch has its width, and places a
// disc there. It reports whether the branch is long enough for its width.
func (c *cellGraph) cutBehind(h *mesh.Hierarchy, tip branchTip, parent, wall []int32) (Disc, float64, bool) {
	at, widest := tip.cell, int32(1)
	for back := int32(0); parent[at] >= 0; back++ {
		// The way may hug the wall, so the width is that of the middle nearby.
		middle := c.climb(at, wall, 4*widest+4)
		widest = max(widest, wall[middle]+1)
		if float64(back) >= cutRadii*float64(widest) || back >= tip.length/2 {
			break
		}
		at = parent[at]
	}
	if float64(tip.length) < 2*tipWidths*float64(widest) {
		return Disc{}, 0, false
	}
	at = c.climb(at, wall, 2*widest)
	center := c.grid.Center(c.cells[at][0], c.cells[at][1], c.cells[at][2])
	return c.disc(h, center, 2.5*float64(wall[at]+1)*c.grid.Spacing)
}

// disc puts a disc around the smallest section through a point and moves it
// into the middle of that, where it must find a section again.
func (c *cellGraph) disc(h *mesh.Hierarchy, center r3.Vec, radius float64) (Disc, float64, bool) {
	for range 4 {
		if _, cut := h.SmallestSection(center, radius); cut != nil {
			d := Disc{}
			d.Center, _ = mesh.LoopPlane(cut.Corners)
			for _, corner := range cut.Corners {
				d.Radius = max(d.Radius, suggestMargin*r3.Norm(r3.Sub(corner, d.Center)))
			}
			if p, again := h.SmallestSection(d.Center, d.Radius); again != nil {
				return d, again.Area, staysNarrow(h, p, again.Area)
			}
		}
		radius *= 1.5
	}
	return Disc{}, 0, false
}

// staysNarrow reports whether the lumen's sections a diameter to both sides of
// a plane are not much larger than the one there, as in a tube and unlike in a
// corner.
func staysNarrow(h *mesh.Hierarchy, p mesh.Plane, area float64) bool {
	diameter := 2 * math.Sqrt(area/math.Pi)
	for _, side := range [2]float64{-diameter, diameter} {
		moved := mesh.Plane{At: r3.Add(p.At, r3.Scale(side, p.Normal)), Normal: p.Normal}
		if s := h.SectionAround(moved, 8*diameter); s != nil && s.Area > tubeGrowth*area {
			return false
		}
	}
	return true
}

// climb goes to the middle of the lumen near a cell: uphill in the distance
// from the wall, at most so many steps.
func (c *cellGraph) climb(at int32, wall []int32, steps int32) int32 {
	for ; steps > 0; steps-- {
		best := at
		for _, n := range c.next[at] {
			if n >= 0 && wall[n] > wall[best] {
				best = n
			}
		}
		if best == at {
			return at
		}
		at = best
	}
	return at
}
