package geometry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"carina/geometry/branch"
	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// suggestCells is the size of the grid on which branches are followed.
	suggestCells = 300_000
	// A lumen whose volume over its area is less than so many of that grid's
	// cells is no tree of tubes. The grid takes so many bytes at most.
	suggestDepth, suggestMemory = 0.4, 400 << 20
	// A radius farther, the section of a branch has grown by no more than this
	// factor.
	tubeGrowth = 3.0
	// A suggested radius exceeds the section's by this factor.
	suggestMargin = 1.2
)

// SuggestOpenings finds where a lumen without flat ends could be cut: behind
// the tip of every branch, the widest first. The suggestions can be passed on
// as Options.Openings.
//
// Branches are found on a coarse grid, by package branch.
func SuggestOpenings(ctx context.Context, p *Prepared) ([]Disc, error) {
	cells := int64(suggestCells)
	if p.Method == Winding {
		// Each of its cells costs much more.
		cells /= 10
	}
	if p.Volume < suggestDepth*p.Area*math.Cbrt(p.Volume/float64(cells)) {
		return nil, errors.New("the lumen is too narrow for its area to follow its branches")
	}
	f, err := fillLumen(ctx, p, &Options{FluidCells: cells, MemoryLimit: suggestMemory}, &Filled{Method: p.Method})
	if err != nil {
		return nil, err
	}
	g, h := f.grid, p.hierarchy()
	type end struct {
		disc Disc
		area float64
	}
	var ends []end
	for _, e := range g.lumen(f.index).Ends() {
		center := r3.Add(g.Origin, r3.Scale(g.Spacing, e.Center))
		if d, area, ok := discAround(h, mesh.Plane{At: center, Normal: e.Axis}, 2*e.Radius*g.Spacing); ok {
			ends = append(ends, end{d, area})
		}
	}
	if len(ends) < 2 {
		return nil, nil
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

// Lumen lists the cells, by their numbers, and their neighbours.
func (g *Grid) Lumen() *branch.Lumen { return g.lumen(newRowIndex(g.Runs, g.Size)) }

func (g *Grid) lumen(index *rowIndex) *branch.Lumen {
	starts := g.Starts()
	l := &branch.Lumen{Cells: make([][3]int32, 0, g.Cells())}
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			l.Cells = append(l.Cells, [3]int32{x, r.Y, r.Z})
		}
	}
	l.Next = make([][6]int32, len(l.Cells))
	for i, cell := range l.Cells {
		for face, o := range branch.Faces {
			x := cell[0] + o[0]
			l.Next[i][face] = -1
			if run := index.find(g.Runs, x, cell[1]+o[1], cell[2]+o[2]); run >= 0 {
				l.Next[i][face] = int32(starts[run]) + x - g.Runs[run].X0
			}
		}
	}
	return l
}

// discAround puts a disc around the section by a plane that is about right and
// moves it into the middle of that, where the smallest section must be narrow.
func discAround(h *mesh.Hierarchy, across mesh.Plane, radius float64) (Disc, float64, bool) {
	for range 4 {
		cut := h.SectionWithin(across, radius)
		if cut == nil {
			_, cut = h.SmallestSection(across.At, radius)
		}
		if cut != nil {
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

// staysNarrow reports whether the lumen's sections a radius to both sides of a
// plane are not much larger than the one there, as in a tube and unlike in a
// corner.
func staysNarrow(h *mesh.Hierarchy, p mesh.Plane, area float64) bool {
	radius := math.Sqrt(area / math.Pi)
	for _, side := range [2]float64{-radius, radius} {
		moved := mesh.Plane{At: r3.Add(p.At, r3.Scale(side, p.Normal)), Normal: p.Normal}
		if s := h.SectionAround(moved, 16*radius); s != nil && s.Area > tubeGrowth*area {
			return false
		}
	}
	return true
}
