package geometry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"carina/geometry/mesh"
	"carina/geometry/scan"
	"carina/internal/quantity"
)

// Method is a way to decide which cells are inside a surface.
type Method string

// The methods of voxelization.
const (
	// Automatic chooses by the state of the surface.
	Automatic Method = ""
	// Rows counts the crossings along rows; needs a closed surface.
	Rows Method = "rows"
	// Vote takes the majority of the counts along x, y and z.
	Vote Method = "vote"
	// Winding takes the generalised winding number (Barill et al. 2018), for
	// surfaces with holes that could not be mended.
	Winding Method = "winding"
)

// Methods lists those that can be asked for.
var Methods = []Method{Rows, Vote, Winding}

// Options says how to voxelize a surface. The zero value of everything but
// Spacing and FluidCells is a sensible default.
type Options struct {
	// Spacing is the side of a cell in metres; 0 derives it from FluidCells.
	Spacing float64
	// FluidCells is the number of fluid cells wanted, reached within some percent.
	FluidCells int64
	// Inlet is the number of the opening to make the inlet; 0 leaves the
	// surface's own name for it, or the largest. Roles are those of single
	// openings, by number, and have the last word: with an inlet among them, only
	// they and Inlet are inlets.
	Inlet int
	Roles map[int]Role
	// DropOpenings are the numbers of openings to close. MergeOpenings are
	// groups of openings that act as one, which keeps the number of the first.
	// All other openings keep theirs.
	DropOpenings  []int
	MergeOpenings [][]int
	// Method forces a voxelizer.
	Method Method
	// Openings cut the lumen by hand.
	Openings []Disc
	// ExtendDiameters lengthens every opening by so many of its diameters,
	// ExtendLength by so many metres.
	ExtendDiameters, ExtendLength float64
	// Directions is how many directions have links: 18 (the default) or 26.
	Directions int
	// MemoryLimit refuses grids whose voxelization would need more bytes; 0
	// means what the machine has free.
	MemoryLimit int64
	// Workers is the number of goroutines; 0 means GOMAXPROCS. The result does
	// not depend on it.
	Workers int
	// Progress, if set, hears the share done of each stage.
	Progress func(stage string, done float64)
}

func (o *Options) check() error {
	switch {
	case o.Spacing < 0 || math.IsNaN(o.Spacing) || math.IsInf(o.Spacing, 0):
		return fmt.Errorf("the spacing must be a positive length, not %s", quantity.FormatLength(o.Spacing))
	case o.FluidCells < 0:
		return fmt.Errorf("the number of fluid cells must be positive, not %d", o.FluidCells)
	case o.Spacing == 0 && o.FluidCells == 0:
		return errors.New("say how fine the grid is to be: a spacing such as 0.25mm, or a number of fluid cells")
	case o.Spacing > 0 && o.FluidCells > 0:
		return errors.New("give either a spacing or a number of fluid cells, not both")
	case o.Directions != 0 && o.Directions != 18 && o.Directions != 26:
		return fmt.Errorf("links go in 18 or 26 directions, not %d", o.Directions)
	}
	return nil
}

func (o *Options) stage(name string) func(float64) {
	if o.Progress == nil {
		return nil
	}
	return func(done float64) { o.Progress(name, done) }
}

func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Voxelize fills the lumen of a surface with cells. See Prepare for what is
// done to the surface before, and VoxelizePrepared.
func Voxelize(ctx context.Context, s *Surface, o Options) (*Grid, error) {
	p, err := Prepare(s, o)
	if err != nil {
		return nil, err
	}
	g, _, err := VoxelizePrepared(ctx, p, o)
	return g, err
}

// Filled says what VoxelizePrepared did besides the grid it made.
type Filled struct {
	Method Method
	// DroppedCells lay in DroppedParts islands without contact to the inlet.
	DroppedCells int64
	DroppedParts int
	// JoinedPairs counts the pairs of neighbouring fluid cells between which a
	// wall thinner than a cell was lost. Some along sharp crotches are normal;
	// many mean that branches touch that should not.
	JoinedPairs int64
	// LostOpenings are the openings that no link of the grid reaches.
	LostOpenings []LostOpening
}

// fewestCells is the least that counts as a grid: what holds fewer was meant
// to be finer, or the unit is wrong.
const fewestCells = 8

// VoxelizePrepared fills the lumen of a prepared surface with cells. Two
// grids made from the same surface and options are equal bit for bit.
func VoxelizePrepared(ctx context.Context, p *Prepared, o Options) (*Grid, Filled, error) {
	g, filled, err := voxelizePrepared(ctx, p, o)
	if err == nil {
		g.Narrow, err = narrowOf(ctx, p, o, g)
	}
	return g, filled, err
}

// voxelizePrepared is VoxelizePrepared but for the narrow places.
func voxelizePrepared(ctx context.Context, p *Prepared, o Options) (*Grid, Filled, error) {
	filled := Filled{Method: p.Method}
	if o.Method != Automatic {
		filled.Method = o.Method
	}
	f, err := fillLumen(ctx, p, &o, &filled)
	if err != nil {
		return nil, filled, err
	}
	g := f.grid
	directions := o.Directions
	if directions == 0 {
		directions = 18
	}
	g.Links, filled.JoinedPairs, err = f.lattice.buildLinks(ctx, g.Runs, f.index, directions, o.workers(), o.stage("links"))
	if err != nil {
		return nil, filled, err
	}
	g.Openings, g.Perhaps = append([]Opening(nil), p.Openings...), append([]Place(nil), p.Perhaps...)
	filled.LostOpenings = g.lostOpenings(f.cutOff)
	for _, lost := range filled.LostOpenings {
		if lost.Role == Inlet {
			return nil, filled, fmt.Errorf("no cell of %s reaches the inlet (opening %d): choose a smaller spacing or another inlet", quantity.FormatLength(g.Spacing), lost.Number)
		}
	}
	return g, filled, nil
}

// filling is a grid without links, with what they are made from; cutOff tells,
// by the openings' indices from 1, which of them a dropped part touches.
type filling struct {
	grid    *Grid
	lattice *lattice
	index   *rowIndex
	cutOff  []bool
}

// fillLumen finds the cells of a grid and says what was dropped on the way.
func fillLumen(ctx context.Context, p *Prepared, o *Options, filled *Filled) (*filling, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	g, err := newGrid(p, o)
	if err != nil {
		return nil, err
	}
	l, runs, err := g.fill(ctx, p, filled.Method, o)
	if err != nil {
		return nil, err
	}
	switch n := (&Grid{Runs: runs}).Cells(); {
	case n == 0:
		return nil, fmt.Errorf("the lumen has no room for a cell of %s: choose a smaller spacing", quantity.FormatLength(g.Spacing))
	case n < fewestCells:
		return nil, fmt.Errorf("the lumen has room for only %s of %s: choose a smaller spacing", quantity.Count(n, "cell"), quantity.FormatLength(g.Spacing))
	}
	f := &filling{grid: g, lattice: l}
	g.Runs, f.index, f.cutOff = l.dropIslands(runs, newRowIndex(runs, g.Size), p, filled)
	if p.Method == Rows {
		kept := float64(g.Cells())
		g.Enclosed = max(0, p.Volume*kept/max(kept, kept+float64(filled.DroppedCells+l.repeated)))
	}
	return f, nil
}

// fill decides which cells are inside.
func (g *Grid) fill(ctx context.Context, p *Prepared, method Method, o *Options) (*lattice, []Run, error) {
	surface, opening := &p.Surface.Mesh, p.Opening
	if method == Winding && len(p.holes) > 0 {
		// The winding number bridges holes better than flat caps do.
		surface, opening = surface.Without(p.holes, opening)
	}
	l := newLattice(surface, opening, g.Origin, g.Spacing, g.Size)
	var runs []Run
	var err error
	switch method {
	case Winding:
		runs, err = l.fillWinding(ctx, mesh.NewWindingField(surface), l.beside(g), o.workers(), o.stage("fill"))
	case Vote:
		runs, err = l.fillVote(ctx, o.workers(), o.stage("fill"))
	case Rows:
		runs, _, err = l.fillRows(ctx, nonzero, o.workers(), o.stage("fill"))
	default:
		err = fmt.Errorf("unknown voxelizer %q: use one of %s", method, quantity.Either(Methods))
	}
	return l, runs, err
}

// leastDepth is the volume of a lumen over its area, in cells, below which no
// number of cells makes a grid of it: a lumen so flat has many more cells at
// its wall than inside.
const leastDepth = 0.1

// newGrid lays an empty grid around the surface.
func newGrid(p *Prepared, o *Options) (*Grid, error) {
	spacing := o.Spacing
	if spacing == 0 {
		spacing = math.Cbrt(p.Volume / float64(o.FluidCells))
	}
	if !(spacing > 0) {
		return nil, errors.New("the surface encloses no volume: see inspect for what is wrong with it")
	}
	if o.Spacing == 0 && p.Volume < leastDepth*p.Area*spacing {
		return nil, fmt.Errorf("the surface is nearly flat: %s behind %s leave no room for cells: see inspect for what is wrong with it, or give a spacing",
			quantity.FormatVolume(p.Volume), quantity.FormatArea(p.Area))
	}
	g := &Grid{Spacing: spacing}
	box := g.place(p)
	if err := checkMemory(p, spacing, box, o.MemoryLimit); err != nil {
		return nil, err
	}
	for i := range box {
		g.Size[i] = int32(box[i])
	}
	return g, nil
}

// dropIslands keeps the part of the fluid that has most contact with the
// inlets, or the largest part when there is no inlet. It tells, by the
// openings' indices from 1, which of them a dropped part touches.
func (l *lattice) dropIslands(runs []Run, index *rowIndex, p *Prepared, filled *Filled) ([]Run, *rowIndex, []bool) {
	cutOff := make([]bool, len(p.Openings)+1)
	part, cells := lumens(runs, index)
	if len(cells) == 1 {
		return runs, index, cutOff
	}
	contact := make([]int64, len(cells))
	type touch struct {
		part    int32
		opening uint16
	}
	touched := map[touch]bool{}
	l.contacts(runs, index, func(run int32, opening uint16) {
		if p.Openings[opening-1].Role == Inlet {
			contact[part[run]]++
		}
		touched[touch{part[run], opening}] = true
	})
	keep := 0
	for i := range cells {
		if contact[i] > contact[keep] || contact[i] == contact[keep] && cells[i] > cells[keep] {
			keep = i
		}
	}
	for i, n := range cells {
		if i != keep {
			filled.DroppedCells += n
			filled.DroppedParts++
		}
	}
	for t := range touched {
		cutOff[t.opening] = cutOff[t.opening] || t.part != int32(keep)
	}
	runs = keepPart(runs, part, int32(keep))
	return runs, newRowIndex(runs, l.size), cutOff
}

// contacts calls visit for every pair of face neighbours that a triangle of
// an opening separates, with the run that either lies in.
func (l *lattice) contacts(runs []Run, index *rowIndex, visit func(run int32, opening uint16)) {
	for t := range l.triangles {
		opening := l.opening[t]
		if opening == 0 {
			continue
		}
		for _, f := range families(6) {
			var p scan.Triangle
			for i, v := range l.triangles[t].V {
				p[i] = f.project(&l.points[v]).Settle(l.within)
			}
			from, to := p.Planes(math.MinInt32, math.MaxInt32)
			for k := from; k < to; k++ {
				s, ok := p.Cut(float64(k), l.within)
				if !ok {
					continue
				}
				for u := s.First; u < s.End; u++ {
					behind := int32(math.Ceil(s.At(u)))
					for _, t := range [2]int32{behind - 1, behind} {
						c := f.cell(int32(u), int32(k), t)
						if run := index.find(runs, c[0], c[1], c[2]); run >= 0 {
							visit(run, opening)
						}
					}
				}
			}
		}
	}
}
