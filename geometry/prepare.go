package geometry

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"carina/geometry/mend"
	"carina/geometry/mesh"
	"carina/geometry/opening"
	"carina/internal/disjoint"
	"carina/internal/quantity"
	"carina/internal/terminal"

	"gonum.org/v1/gonum/spatial/r3"
)

// Prepared is a surface made ready for voxelization: mended, wound outwards,
// closed, with its openings found.
type Prepared struct {
	Surface *Surface
	// Opening is, for every triangle, the index from 1 in Openings of the
	// opening that it closes, 0 for wall.
	Opening []uint16
	// Openings are numbered from 1 in this order; where some were dropped or
	// merged their numbers are missing.
	Openings []Opening
	// Dropped is how many openings the user has dropped.
	Dropped int
	// inletReplaced says that an opening is no inlet since others are.
	inletReplaced string
	// InletGuess says why the inlet is a guess, empty where it is none.
	InletGuess string
	// Evidence says of every opening how much it looks like the end of a tube.
	Evidence []Evidence
	// Mended says what was changed.
	Mended mend.Changes
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
	// InnerEnds is how many ends lie inside of other bodies and are no openings.
	InnerEnds int
	// Warnings are sentences about what may spoil a simulation.
	Warnings []string
	// Perhaps are places where the lumen may end beside the openings, the largest
	// first.
	Perhaps []Place
	// faces are flat faces of which any may be an end, where none is told to be.
	faces []opening.Patch
	// holes are the triangles that close holes, patched is their area.
	holes       []int32
	patched     float64
	largestHole opening.Patch
	// part is set where the surface was double only in a part.
	part *mend.PartLumen
	// finder and ends are what the openings were found with, until Evidence is
	// gathered.
	finder *opening.Finder
	ends   []opening.Patch
	// tree is the hierarchy of Surface, nil where it was not made.
	tree *mesh.Hierarchy
}

// Prepare mends a surface, closes its holes and open ends, and finds its
// openings. Every change is counted in Mended.
func Prepare(s *Surface, o Options) (*Prepared, error) {
	if len(s.Triangles) == 0 {
		return nil, fmt.Errorf("the surface has no triangles")
	}
	p := &Prepared{Surface: s}
	var mended *mesh.Mesh
	mended, p.Mended = mend.Mend(&s.Mesh)
	if len(mended.Triangles) == 0 {
		return nil, fmt.Errorf("none of its %s has an area: export the surface again from the program that made it", quantity.Count(len(s.Triangles), "triangle"))
	}
	if p.Mended.LooseTriangles > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d of the surface's %d triangles are not joined to their neighbours, not even within %s: join them (Merge by distance in Blender, Merge close vertices in MeshLab), or export the surface as one mesh",
			p.Mended.LooseTriangles, len(s.Triangles), quantity.FormatLength(p.Mended.WeldTolerance)))
	}
	if len(mended.Solids) == 0 {
		// All triangles are of one solid, with no name.
		mended.Solids = []string{""}
	}
	p.setMesh(mended)
	_, p.Components = mended.Components()
	h := mesh.NewHierarchy(&p.Surface.Mesh)
	whole := p.Surface
	if inner, small := mend.InnerWall(&p.Surface.Mesh, h); inner != nil && p.dropOuterWall(inner, small) {
		outer := countLoops(mesh.BoundaryLoops(&whole.Mesh))
		defer func() { p.Loops, p.Closed = outer, outer == 0 }()
		if p.PartlyDoubleWalled {
			// Holes of the outer wall are gone with it.
			p.Mended.ClosedHoles += max(outer-countLoops(mesh.BoundaryLoops(&p.Surface.Mesh)), 0)
		}
	}
	p.warnIfShrunk(s)
	loops := mesh.BoundaryLoops(&p.Surface.Mesh)
	caps := p.closeLoops(loops)
	caps, err := p.cutDiscs(caps, o.Openings)
	if err != nil {
		return nil, err
	}
	p.Surface.Compact()
	caps = p.addPartEnd(caps)
	p.Volume, p.Area = p.Surface.Volume(), p.Surface.Area()
	if h.Mesh != &p.Surface.Mesh || h.Size() != len(p.Surface.Triangles) {
		h = mesh.NewHierarchy(&p.Surface.Mesh)
	}
	p.tree = h
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

// setMesh exchanges the mesh of the surface, not in its place: a hierarchy of
// the last one stays whole.
func (p *Prepared) setMesh(m *mesh.Mesh) {
	s := *p.Surface
	s.Mesh = *m
	p.Surface = &s
}

// hierarchy returns the hierarchy of the surface.
func (p *Prepared) hierarchy() *mesh.Hierarchy {
	if p.tree != nil {
		return p.tree
	}
	return mesh.NewHierarchy(&p.Surface.Mesh)
}

// dropOuterWall leaves the inner wall and what has but one wall. It reports
// whether it did so: a small inner wall must make a pocket.
func (p *Prepared) dropOuterWall(inner []int32, small bool) bool {
	before := len(p.Surface.Triangles)
	p.part = mend.PocketLumen(&p.Surface.Mesh, inner)
	switch {
	case p.part != nil:
		p.PartlyDoubleWalled = true
		p.setMesh(p.part.Mesh)
	case small:
		return false
	default:
		p.setMesh(mend.InnerLumen(&p.Surface.Mesh, inner))
	}
	p.DoubleWalled = true
	p.Mended.DroppedTriangles = max(before-len(p.Surface.Triangles), 0)
	return true
}

// closeLoops closes every boundary loop and returns the triangles of each.
func (p *Prepared) closeLoops(loops [][]int32) []opening.Patch {
	if len(loops) == 0 {
		return nil
	}
	// The caps are a solid of their own, so that they mix with none of the
	// file's.
	solid := int32(len(p.Surface.Solids))
	p.Surface.Solids = append(slices.Clone(p.Surface.Solids), "")
	caps := make([]opening.Patch, 0, len(loops))
	for _, loop := range loops {
		if t := mesh.CapLoop(&p.Surface.Mesh, loop, solid); len(t) > 0 {
			caps = append(caps, opening.Patch{Triangles: t, Loop: loop})
		}
	}
	return opening.PartNotches(&p.Surface.Mesh, caps)
}

// cutDiscs cuts the surface at the openings placed by hand and adds their caps
// to those of the boundary loops.
func (p *Prepared) cutDiscs(caps []opening.Patch, discs []Disc) ([]opening.Patch, error) {
	if len(discs) == 0 {
		return caps, nil
	}
	cuts, names, caps, err := p.placeDiscs(caps, discs)
	if err != nil {
		return nil, err
	}
	if len(cuts) == 0 {
		return caps, nil
	}
	cutOff, closed, kept, err := mesh.ApplyCuts(&p.Surface.Mesh, cuts)
	if err != nil {
		return nil, err
	}
	p.setMesh(cutOff)
	caps = renumber(caps, kept)
	for i, name := range names {
		caps = append(caps, opening.Patch{Triangles: closed[i], Name: name, ByHand: true})
	}
	return caps, nil
}

// Triangles that two discs cut are halved until each has its own, so often at
// most: then they are a thousandth as long, and it is the discs that cut each other.
const mostHalvings = 20

// placeDiscs finds what discs cut off. Those on flat faces add these to the caps
// instead. Triangles that two discs cut are halved before.
func (p *Prepared) placeDiscs(caps []opening.Patch, discs []Disc) (cuts []*mesh.Cut, names []string, _ []opening.Patch, err error) {
	found := len(caps)
	for halvings := 0; ; halvings++ {
		cuts, names, caps = nil, nil, caps[:found]
		h, t := mesh.NewHierarchy(&p.Surface.Mesh), mesh.NewTopology(&p.Surface.Mesh)
		for i := range discs {
			d := &discs[i]
			name := d.Name
			if name == "" {
				name = fmt.Sprintf("opening_%02d", i+1)
			}
			if face := d.face(&p.Surface.Mesh, t); face != nil {
				caps = append(caps, opening.Patch{Triangles: face, Name: name, ByHand: true})
				continue
			}
			cut, err := d.place(&p.Surface.Mesh, h, t)
			if err != nil {
				return nil, nil, nil, err
			}
			cuts, names = append(cuts, cut), append(names, name)
		}
		shared := mesh.Shared(cuts)
		if len(shared) == 0 || halvings == mostHalvings {
			return cuts, names, caps, nil
		}
		halved, other := mesh.Halved(&p.Surface.Mesh, t, shared)
		p.setMesh(halved)
		for i := range caps[:found] {
			for _, t := range caps[i].Triangles {
				if half, is := other[t]; is {
					caps[i].Triangles = append(caps[i].Triangles, half)
				}
			}
		}
	}
}

// renumber follows triangles to their new numbers, -1 for those that are gone,
// and drops patches that lost any.
func renumber(patches []opening.Patch, kept []int32) []opening.Patch {
	out := patches[:0]
	for _, p := range patches {
		whole := true
		for i, t := range p.Triangles {
			p.Triangles[i] = kept[t]
			whole = whole && kept[t] >= 0
		}
		if whole {
			out = append(out, p)
		}
	}
	return out
}

// findOpenings returns the ends of the lumen, largest first, and counts what
// the caps close.
func (p *Prepared) findOpenings(h *mesh.Hierarchy, caps []opening.Patch) []opening.Patch {
	t := mesh.NewTopology(h.Mesh)
	var inObstacle []bool
	inObstacle, p.Obstacles = mend.Obstacles(h.Mesh, t)
	if p.Obstacles > 0 {
		// What stands in a tube makes it no narrower.
		h = mesh.NewHierarchyWithout(h.Mesh, inObstacle)
	}
	f := opening.NewFinder(h, t)
	f.Reserve(inObstacle)
	f.Reserve(p.stepTriangles())
	found := f.Ends(caps)
	found.Ends, p.InnerEnds = dropInnerEnds(h.Mesh, found.Ends)
	p.Mended.CappedOpenings += found.Opened
	p.countHoles(f, found.Holes)
	p.Loops = countLoops(found.Loops)
	p.finder, p.ends, p.faces = f, found.Ends, found.Faces
	perhaps, _ := dropInnerEnds(h.Mesh, found.Perhaps)
	for i := range perhaps {
		p.Perhaps = append(p.Perhaps, Place{perhaps[i].Center, math.Sqrt(perhaps[i].Area / math.Pi)})
	}
	slices.SortStableFunc(p.Perhaps, func(a, b Place) int { return cmp.Compare(b.Radius, a.Radius) })
	return found.Ends
}

// countLoops counts loops, those that touch at a vertex as one.
func countLoops(loops [][]int32) int {
	d := disjoint.New(len(loops))
	by := map[int32]int32{}
	for i, loop := range loops {
		for _, v := range loop {
			if other, ok := by[v]; ok {
				d.Union(int32(i), other)
			}
			by[v] = int32(i)
		}
	}
	count := 0
	for i := range loops {
		if d.Find(int32(i)) == int32(i) {
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
func (p *Prepared) number(patches []opening.Patch) {
	p.Opening = make([]uint16, len(p.Surface.Triangles))
	for i, e := range patches {
		var area r3.Vec
		for _, t := range e.Triangles {
			p.Opening[t] = uint16(i + 1)
			area = r3.Add(area, p.Surface.AreaVector(int(t)))
		}
		p.Openings = append(p.Openings, Opening{
			Number: i + 1, Name: terminal.Line(e.Name), Role: Outlet, Center: e.Center, Normal: e.Normal, Area: r3.Norm(area),
		})
	}
}

// gatherEvidence examines the openings that were found and remain, and warns of
// branches that are pinched shut.
func (p *Prepared) gatherEvidence() {
	for i := range p.Openings {
		o := &p.Openings[i]
		e := p.finder.Evidence(&p.ends[o.Number-1])
		p.Evidence = append(p.Evidence, Evidence{o.Number, e})
		o.Doubt = math.Round(100*(1-e.Sure)) / 100
		if e.Pinched() {
			p.Warnings = append(p.Warnings, fmt.Sprintf("the branch of opening %d (%s) is pinched to %.2g %% of its area %s behind its end: hardly any air will pass, so mend the surface there, or leave it out with --drop-opening %d",
				o.Number, o.Name, 100*e.Narrowest, quantity.FormatLength(e.NarrowestAt), o.Number))
		}
	}
	p.finder, p.ends = nil, nil
}

// addPartEnd adds the end at the pocket's mouth to the caps.
func (p *Prepared) addPartEnd(caps []opening.Patch) []opening.Patch {
	if p.part == nil {
		return caps
	}
	var end opening.Patch
	for i, t := range p.Surface.Triangles {
		if t.Solid == p.part.End {
			end.Triangles = append(end.Triangles, int32(i))
		}
	}
	if len(end.Triangles) == 0 {
		return caps
	}
	end.ByHand = true
	return append(caps, end)
}

// stepTriangles marks the step between pocket and rest, which is no end.
func (p *Prepared) stepTriangles() []bool {
	marked := make([]bool, len(p.Surface.Triangles))
	for i, t := range p.Surface.Triangles {
		marked[i] = p.part != nil && t.Solid == p.part.Step
	}
	return marked
}
