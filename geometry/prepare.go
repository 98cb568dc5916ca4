package geometry

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/spatial/r3"
)

// Prepared is a surface made ready for voxelization: mended, wound outwards,
// closed, with its openings found.
type Prepared struct {
	Surface *Surface
	// Opening is, for every triangle, the place from 1 in Openings of the
	// opening that it closes, 0 for wall.
	Opening []uint16
	// Openings are numbered from 1 in this order; where some were dropped or
	// merged their numbers are missing.
	Openings []Opening
	// InletGuess says why the inlet is a guess, empty where it is none.
	InletGuess string
	// Evidence says of every opening how much it looks like the end of a tube.
	Evidence []Evidence
	// Mended says what was changed.
	Mended Mended
	// Closed says whether the surface was closed after welding, Loops how many
	// boundary loops it had, Components of how many pieces it was.
	Closed     bool
	Loops      int
	Components int
	// Method is the voxelizer that suits the surface, or the one forced.
	Method Method
	// Volume enclosed in cubic metres and area of wall and openings in square
	// metres.
	Volume, Area float64
	// DoubleWalled says that the surface had an outer wall, which was dropped.
	DoubleWalled bool
	// PartlyDoubleWalled says that it had one only in a part, and that the rest
	// was kept.
	PartlyDoubleWalled bool
	// Obstacles is how many closed bodies stand in the lumen. They are walls
	// with fluid outside and none inside.
	Obstacles int
	// Warnings are sentences about what may spoil a simulation.
	Warnings []string
	// holes are the triangles that close holes, patched is their area.
	holes       []int32
	patched     float64
	largestHole patch
	// part is set where the surface was double only in a part.
	part *partLumen
	// finder and ends are what the openings were found with, until Evidence is
	// gathered.
	finder *capFinder
	ends   []patch
}

// Prepare mends a surface, closes its holes and open ends, and finds its
// openings. Every change is counted in Mended.
func Prepare(s *Surface, o Options) (*Prepared, error) {
	if len(s.Triangles) == 0 {
		return nil, fmt.Errorf("the surface has no triangles")
	}
	p := &Prepared{}
	p.Surface, p.Mended = Mend(s)
	_, p.Components = newTopology(p.Surface).components(p.Surface)
	h := newHierarchy(p.Surface)
	if inner := innerWall(p.Surface, h); inner != nil {
		outer := countLoops(boundaryLoops(p.Surface))
		defer func() { p.Loops, p.Closed = outer, outer == 0 }()
		p.dropOuterWall(inner)
		if p.PartlyDoubleWalled {
			// Holes of the outer wall are gone with it.
			p.Mended.ClosedHoles += max(outer-countLoops(boundaryLoops(p.Surface)), 0)
		}
	}
	p.warnIfShrunk(s)
	loops := boundaryLoops(p.Surface)
	caps := p.closeLoops(loops)
	caps, err := p.cutDiscs(caps, o.Openings)
	if err != nil {
		return nil, err
	}
	compact(p.Surface)
	caps = p.addPartEnd(caps)
	p.Volume, p.Area = p.Surface.Volume(), p.Surface.Area()
	if h.surface != p.Surface || len(h.order) != len(p.Surface.Triangles) {
		h = newHierarchy(p.Surface)
	}
	patches := p.findOpenings(h, caps)
	if len(patches) > math.MaxUint16 {
		return nil, fmt.Errorf("%d openings are more than the %d possible", len(patches), math.MaxUint16)
	}
	p.Closed = p.Loops == 0
	p.number(patches)
	p.chooseMethod(o.Method)
	if err := p.chooseOpenings(&o); err != nil {
		return nil, err
	}
	p.gatherEvidence()
	p.warnOfLargeHole(s.Unit)
	if err := p.extend(&o); err != nil {
		return nil, err
	}
	return p, nil
}

// dropOuterWall leaves the inner wall and what has but one wall.
func (p *Prepared) dropOuterWall(inner []int32) {
	before := len(p.Surface.Triangles)
	p.DoubleWalled = true
	if p.part = pocketLumen(p.Surface, inner); p.part != nil {
		p.PartlyDoubleWalled = true
		p.Surface = p.part.surface
	} else {
		p.Surface = innerLumen(p.Surface, inner)
	}
	p.Mended.DroppedTriangles = max(before-len(p.Surface.Triangles), 0)
}

// closeLoops closes every boundary loop and returns the triangles of each.
func (p *Prepared) closeLoops(loops [][]int32) []patch {
	if len(loops) == 0 {
		return nil
	}
	// The caps are a solid of their own, so that they mix with none of the
	// file's.
	solid := int32(len(p.Surface.Solids))
	p.Surface.Solids = append(slices.Clone(p.Surface.Solids), "")
	caps := make([]patch, 0, len(loops))
	for _, loop := range loops {
		if t := capLoop(p.Surface, loop, solid); len(t) > 0 {
			caps = append(caps, patch{triangles: t, loop: loop})
		}
	}
	return partNotches(p.Surface, caps)
}

// cutDiscs cuts the surface at the openings placed by hand and adds their caps
// to those of the boundary loops.
func (p *Prepared) cutDiscs(caps []patch, discs []Disc) ([]patch, error) {
	if len(discs) == 0 {
		return caps, nil
	}
	h, t := newHierarchy(p.Surface), newTopology(p.Surface)
	cuts := make([]*cut, len(discs))
	for i := range discs {
		var err error
		if cuts[i], err = discs[i].place(p.Surface, h, t); err != nil {
			return nil, err
		}
	}
	surface, closed, kept, err := applyCuts(p.Surface, cuts)
	if err != nil {
		return nil, err
	}
	p.Surface = surface
	caps = renumber(caps, kept)
	for i, d := range discs {
		if d.Name == "" {
			d.Name = fmt.Sprintf("opening_%02d", i+1)
		}
		caps = append(caps, patch{triangles: closed[i], name: d.Name, byHand: true})
	}
	return caps, nil
}

// renumber follows triangles to their new numbers, -1 for those that are gone,
// and drops patches that lost any.
func renumber(patches []patch, kept []int32) []patch {
	out := patches[:0]
	for _, p := range patches {
		whole := true
		for i, t := range p.triangles {
			p.triangles[i] = kept[t]
			whole = whole && kept[t] >= 0
		}
		if whole {
			out = append(out, p)
		}
	}
	return out
}

// findOpenings returns the ends of the lumen, largest first: loops that were
// the open ends of tubes, and the flat solids that the file names, or else the
// flat ends found by shape.
func (p *Prepared) findOpenings(h *hierarchy, caps []patch) []patch {
	f := newCapFinder(h, newTopology(p.Surface))
	p.Obstacles = f.reserveObstacles()
	p.reserveStep(f)
	found := f.namedSolids()
	open, holes := f.sortCaps(caps)
	if len(found) == 0 {
		found, open, holes = f.flatBeside(open, holes)
	}
	for i := range open {
		if !open[i].byHand {
			p.Mended.CappedOpenings++
		}
	}
	p.countHoles(f, holes)
	var loops [][]int32
	for _, c := range caps {
		if !c.byHand && c.area >= noArea*f.typical*f.typical {
			loops = append(loops, c.loop)
		}
	}
	p.Loops = countLoops(loops)
	found = append(open, found...)
	sortPatches(found)
	found = f.distinct(found)
	sortPatches(found)
	p.finder, p.ends = f, found
	return found
}

// namedSolids returns the flat solids of a file that names its wall apart
// from its ends.
func (f *capFinder) namedSolids() []patch {
	if len(f.surface.Solids) < 2 {
		return nil
	}
	by := make([]patch, len(f.surface.Solids))
	for t := range f.surface.Triangles {
		i := f.surface.Triangles[t].Solid
		by[i].triangles = append(by[i].triangles, int32(t))
	}
	var named []patch
	for i := range by {
		p := &by[i]
		p.name = f.surface.Solids[i]
		if len(p.triangles) == 0 || p.name == "" || strings.Contains(strings.ToLower(p.name), "wall") {
			continue
		}
		f.fit(p)
		p.core = plane{p.center, p.normal}
		var sum r3.Vec
		for _, t := range p.triangles {
			sum = r3.Add(sum, f.area[t])
		}
		// A flat solid's vector area is as long as its area; a wall's is not.
		if r3.Norm(sum) > flatSolid*p.area {
			named = append(named, *p)
		}
	}
	return named
}

const (
	// flatSolid is how long the vector area of a solid must be, as a share of
	// its area, to take it for a flat end.
	flatSolid = 0.9
	// A cap of less than so many squared edge lengths closes nothing.
	noArea = 1e-3
)

// countLoops counts loops, those that touch at a vertex as one.
func countLoops(loops [][]int32) int {
	d := newDisjoint(len(loops))
	by := map[int32]int32{}
	for i, loop := range loops {
		for _, v := range loop {
			if other, ok := by[v]; ok {
				d.union(int32(i), other)
			}
			by[v] = int32(i)
		}
	}
	count := 0
	for i := range loops {
		if d.find(int32(i)) == int32(i) {
			count++
		}
	}
	return count
}

// patchedShare is the area of closed holes, as a share of the whole, from
// which on their flat caps are no longer trusted to be the missing wall.
const patchedShare = 0.05

// chooseMethod takes the method that the user forces, or the one that suits
// the surface.
func (p *Prepared) chooseMethod(forced Method) {
	switch {
	case forced != Automatic:
		p.Method = forced
	case p.patched > patchedShare*p.Area:
		p.Method = Winding
	default:
		p.Method = Rows
	}
}

// number turns the patches into openings, in their order.
func (p *Prepared) number(patches []patch) {
	p.Opening = make([]uint16, len(p.Surface.Triangles))
	for i, e := range patches {
		var area r3.Vec
		for _, t := range e.triangles {
			p.Opening[t] = uint16(i + 1)
			area = r3.Add(area, p.Surface.areaVector(int(t)))
		}
		p.Openings = append(p.Openings, Opening{
			Number: i + 1, Name: e.name, Role: Outlet, Center: e.center, Normal: e.normal, Area: r3.Norm(area),
		})
	}
}
