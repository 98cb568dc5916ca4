package geometry

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"carina/geometry/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

// Role is what an opening is used for.
type Role string

// The roles of an opening.
const (
	Inlet  Role = "inlet"
	Outlet Role = "outlet"
)

// Evidence says how much an opening looks like the end of a tube.
type Evidence struct {
	Number int `json:"number"`
	opening.Evidence
}

// Opening is a flat end of the lumen through which air enters or leaves.
type Opening struct {
	// Number counts from 1, the largest opening first unless named otherwise.
	Number int
	// Name is the name of the solid in the surface file, or one made from the
	// role and number.
	Name string
	// Role is Inlet for one opening by default, the largest.
	Role Role
	// Center is the centroid of the opening, in metres.
	Center r3.Vec
	// Normal is the unit normal, pointing out of the lumen.
	Normal r3.Vec
	// Area is what the opening's outline encloses, seen along Normal, in square
	// metres: a bevel around it counts by its projection.
	Area float64
	// Doubt is from 0 to 1 how unsure it is that the lumen ends here, 0 for openings
	// that were open, that the file names or that were placed by hand.
	Doubt float64
}

// Doubtful reports whether an opening may be none: a flat spot of a wall, or an
// end too worn to be told from one.
func (o *Opening) Doubtful() bool { return 1-o.Doubt < opening.Sure }

// Place is a flat spot at which the lumen may end and that is no opening.
type Place struct {
	// Center is its centroid, in metres, Radius that of the circle of its area.
	Center r3.Vec
	Radius float64
}

// DoubtWords says in one line which of some openings are doubtful, how sure they are,
// how many further places may be ends, and what to do; empty where nothing is
// doubtful.
func DoubtWords(openings []Opening, perhaps []Place) string {
	words := []string{doubtfulWords(openings), perhapsWords(perhaps)}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), "; ")
}

// perhapsWords says how many further places may be ends, and what to do.
func perhapsWords(perhaps []Place) string {
	switch n := len(perhaps); n {
	case 0:
		return ""
	case 1:
		return "a further place may be an end: carina inspect says where, look at it with --picture, and name it with --opening x,y,z,radius,name if a tube ends there"
	default:
		return fmt.Sprintf("%d further places may be ends: carina inspect says where, look at them with --picture, and name with --opening x,y,z,radius,name those where a tube ends", n)
	}
}

// doubtfulWords says which of some openings are doubtful, how sure they are and what
// to do; empty where none is.
func doubtfulWords(openings []Opening) string {
	var doubtful []int
	least, most := 100.0, 0.0
	for i := range openings {
		if o := &openings[i]; o.Doubtful() {
			sure := math.Round(100 * (1 - o.Doubt))
			doubtful, least, most = append(doubtful, o.Number), min(least, sure), max(most, sure)
		}
	}
	const listed = 6
	switch n := len(doubtful); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("opening %d is doubtful, %.0f %% sure: look at it with carina inspect --picture, and leave it out with --drop-opening %d if no tube ends there",
			doubtful[0], most, doubtful[0])
	}
	which := numbers(doubtful)
	if others := len(doubtful) - (listed - 1); others > 1 {
		which = strings.Join(strings.Fields(strings.Trim(fmt.Sprint(doubtful[:listed-1]), "[]")), ", ") + fmt.Sprintf(" and %d others", others)
	}
	sure := fmt.Sprintf("%.0f", most)
	if least < most {
		sure = fmt.Sprintf("%.0f to %s", least, sure)
	}
	return fmt.Sprintf("openings %s are doubtful, %s %% sure: look at them with carina inspect --picture, and leave out with --drop-opening those where no tube ends", which, sure)
}

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
