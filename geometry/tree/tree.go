package tree

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"carina/geometry"
	"carina/geometry/branch"

	"gonum.org/v1/gonum/spatial/r3"
)

// Tree is the branches of a lumen.
type Tree struct {
	// Branches are ordered by generation, then along their parents; the first one
	// begins at the inlet, and Branches[n-1] has Number n.
	Branches []Branch
	// Of are the numbers of the branches of all cells, by the grid's numbers.
	Of []int32
	// Inlet is the number of the opening at which the first branch begins.
	Inlet int
	// Missing are the numbers of openings that no cell reaches, which so have no
	// branch.
	Missing []int
}

// Branch is a tube between two divisions, or between one and an opening. Lengths are
// in metres.
type Branch struct {
	// Number counts from 1; Parent is that of the branch before, 0 for the first.
	Number, Parent int
	Daughters      []int
	// Generation is 0 for the branch at the inlet.
	Generation int
	// Opening is the number of the opening at its end, 0 where it divides.
	Opening int
	// Line is the centre line, from where it leaves the parent's to where the
	// daughters' leave it, or to the openings.
	Line []r3.Vec
	// Length is along the centre line.
	Length float64
	// Diameter is that of a circle of the median area of its cross-sections between the
	// ridge where it begins and the place where it divides.
	Diameter float64
	// Angle is between its direction and that of its parent, in radians, 0 for the
	// first.
	Angle float64
	// Volume is that of its cells, in cubic metres.
	Volume float64
	// CellsAcross is the diameter in cells.
	CellsAcross float64
}

// ErrNoOpenings says that a grid has no way in or none out.
var ErrNoOpenings = errors.New("branches are followed from an inlet to the other openings, and there are fewer than two openings")

// Find finds the branches of a grid that has links.
func Find(g *geometry.Grid) (*Tree, error) {
	if len(g.Openings) < 2 {
		return nil, ErrNoOpenings
	}
	if g.Cells() > math.MaxInt32/2 {
		return nil, fmt.Errorf("branches of %d cells cannot be found: choose a larger spacing", g.Cells())
	}
	f := &finder{grid: g, lumen: g.Lumen()}
	if err := f.findTips(); err != nil {
		return nil, err
	}
	f.follow()
	f.draw()
	f.measure()
	for f.joinShort() {
		f.draw()
		f.measure()
	}
	return f.tree(), nil
}

// finder holds what is known of a tree while it is found. All lengths are in cells.
type finder struct {
	grid  *geometry.Grid
	lumen *branch.Lumen
	// sources are cells at the inlet, tips one cell at each other opening.
	sources []int32
	tips    map[int32]int
	root    int // the inlet's place in the grid's list, from 1
	missing []int
	// distance from the inlet, in steps, of all cells, and these in its order.
	distance, order []int32
	// part is the index of each cell's draft by fronts, of by planes across the ends.
	part, of []int32
	drafts   []*draft
	lists    map[*draft][]int32
}

// draft is a branch being made.
type draft struct {
	parent    int // index, −1 for the first
	daughters []int
	opening   int
	// ridge is the cell at which its daughters join, −1 for none; top is the distance
	// of that cell, or of the opening, bottom that of the parent's ridge.
	ridge       int32
	top, bottom int32
	gone        bool
	cells       int64
	line        polyline
	slices      slices
	// Between stations from and to it is a tube of its own, with a median area, the area
	// before it grows where it divides, and its directions at both.
	from, to     float64
	area, before float64
	out, in      axis
	// It leaves its parent's line at start on an arc, which ends at station lineFrom,
	// and divides at end.
	start, end r3.Vec
	arc        []r3.Vec
	lineFrom   float64
	angle      float64
	length     float64
}

// radius is that of a circle of the median area.
func (d *draft) radius() float64 { return math.Sqrt(d.area / math.Pi) }

// findTips finds the cells at openings.
func (f *finder) findTips() error {
	g := f.grid
	root := g.Widest()
	// Within, openings are numbered by their places in the grid's list, as links do.
	f.root = root + 1
	ends := g.Ends()
	if f.sources = ends[root].Cells; len(f.sources) == 0 {
		return fmt.Errorf("no cell lies at the inlet (opening %d): choose a smaller spacing", g.Openings[root].Number)
	}
	f.tips = map[int32]int{}
	for i := range ends {
		if i == root {
			continue
		}
		if tip, ok := ends[i].Tip(f.tips); ok {
			f.tips[tip] = i + 1
		} else {
			f.missing = append(f.missing, g.Openings[i].Number)
		}
	}
	if len(f.tips) == 0 {
		return errors.New("no cell lies at another opening than the inlet: choose a smaller spacing")
	}
	return nil
}

// center is that of a cell, in cells.
func (f *finder) center(cell int32) r3.Vec { return f.lumen.Center(cell) }

// inCells are a place's coordinates in cells, inMetres the way back.
func (f *finder) inCells(at r3.Vec) r3.Vec {
	return r3.Scale(1/f.grid.Spacing, r3.Sub(at, f.grid.Origin))
}

func (f *finder) inMetres(at r3.Vec) r3.Vec {
	return r3.Add(f.grid.Origin, r3.Scale(f.grid.Spacing, at))
}

// tree numbers the branches: generation by generation, daughters in the order of the
// lowest opening behind them.
func (f *finder) tree() *Tree {
	t := &Tree{Inlet: f.grid.Openings[f.root-1].Number, Missing: f.missing}
	lowest := make([]int, len(f.drafts))
	var find func(i int) int
	find = func(i int) int {
		lowest[i] = f.drafts[i].opening
		for _, d := range f.drafts[i].daughters {
			if n := find(d); lowest[i] == 0 || n < lowest[i] {
				lowest[i] = n
			}
		}
		return lowest[i]
	}
	root := f.first()
	find(root)
	number := make([]int32, len(f.drafts))
	queue := []int{root}
	for k := 0; k < len(queue); k++ {
		d := f.drafts[queue[k]]
		number[queue[k]] = int32(k + 1)
		sort.Slice(d.daughters, func(a, b int) bool { return lowest[d.daughters[a]] < lowest[d.daughters[b]] })
		queue = append(queue, d.daughters...)
	}
	h := f.grid.Spacing
	for k, i := range queue {
		d := f.drafts[i]
		b := Branch{
			Number: k + 1, Length: d.length * h, Diameter: 2 * d.radius() * h, Angle: d.angle,
			Volume: float64(d.cells) * h * h * h, CellsAcross: 2 * d.radius(),
		}
		if d.opening > 0 {
			b.Opening = f.grid.Openings[d.opening-1].Number
		}
		if d.parent >= 0 {
			b.Parent = int(number[d.parent])
			b.Generation = t.Branches[b.Parent-1].Generation + 1
		}
		for _, n := range d.daughters {
			b.Daughters = append(b.Daughters, int(number[n]))
		}
		for _, at := range d.path() {
			b.Line = append(b.Line, f.inMetres(at))
		}
		t.Branches = append(t.Branches, b)
	}
	t.Of = f.of
	for cell, i := range t.Of {
		t.Of[cell] = number[i]
	}
	return t
}

// first is the index of the branch at the inlet.
func (f *finder) first() int {
	for i, d := range f.drafts {
		if d.parent < 0 && !d.gone {
			return i
		}
	}
	return 0
}

// path are the places of a branch's centre line.
func (d *draft) path() []r3.Vec {
	path := append([]r3.Vec{d.start}, d.arc...)
	for k, at := range d.line.nodes {
		if s := d.line.stations[k]; s > d.lineFrom && s < d.to {
			path = append(path, at)
		}
	}
	return append(path, d.end)
}
