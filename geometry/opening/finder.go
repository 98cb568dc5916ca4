package opening

import (
	"cmp"
	"math"
	"slices"

	"carina/geometry/mesh"
	"carina/internal/crash"

	"gonum.org/v1/gonum/spatial/r3"
)

// A flat end of a tube is recognised by what surrounds it: a patch of nearly
// coplanar triangles whose neighbours, all around, turn away and go back along
// the tube. The rim between the two may be bevelled, as it is in surfaces that
// were smoothed or thinned out.
var (
	cosCore = math.Cos(6 * math.Pi / 180)
	cosRim  = math.Cos(20 * math.Pi / 180)
)

const (
	// Triangles of a core lie within this share of the local edge length of
	// its plane, those of the rim within the second.
	coreDepth = 0.08
	rimDepth  = 0.45
	// The cosine beyond which two normals count as equal.
	coplanar = 1 - 1e-9
	// Around any end the wall must be seen in so many sectors.
	fewSectors = 6
	// A core of so many squared edge lengths, and of this share of the core in
	// question, is more than a piece of its rim.
	otherCore, otherShare = 2.5, 0.1
	// In surfaces with open ends, only ends this flat count.
	strictFlat = 0.7
	// What touches an end, lies within so many of its radii from its axis and
	// faces another way belongs to its rim.
	rimWide, rimCos = 1.4, 0.94
	// A facet of an end reaches so many of its radii from its axis (1.0 to 1.3
	// was found; a small end grown to a large one 1.5), lies so many from its
	// plane and is turned by less than 45°.
	facetReach, facetHeight, facetCos = 1.35, 0.25, 0.7
)

// endRules are the combinations of signs that make an end: at least so many
// Triangles, sectors with wall, share of the area in one plane, and
// slenderness of the lumen behind. They were chosen on decimated and smoothed
// airways with ends of 4 to 100 triangles, partly grown into one another, and
// on a segmented airway without flat ends.
var endRules = []struct {
	triangles, sectors int
	flat, slender      float64
}{
	{4, 10, 0.15, 4.2},
	{4, 7, 0.15, 5},
	{4, 8, 0.3, 3.5},
	{3, 7, 0.5, 4.2},
	{3, 6, 0.9, 4.2},
	{4, 13, 0.3, 2.1},
	{4, 11, 0.5, 1.8},
	{6, 7, 0.6, 2},
	{4, 8, 0.75, 2.5},
	{20, 6, 0.8, 2.5},
	{4, 13, 0.6, 1.5},
	{1, 16, 0.7, 1},
}

// Patch is a set of triangles that may close the lumen.
type Patch struct {
	Triangles []int32
	Center    r3.Vec
	Normal    r3.Vec
	Area      float64
	core      mesh.Plane // of the part in one plane
	coreID    int32      // of that part, among the cores
	flat      float64    // share of the area that lies in one plane
	Name      string     // of the solid in the file
	Loop      []int32    // the boundary that it closes
	ByHand    bool       // at a place that the user gave
	sure      float64    // that it is an end, from 0 to 1
	fits      float64    // its tube, from 0 to 1
	known     bool       // a piece that other signs tell
	axis      r3.Vec     // of its tube
	closed    bool       // the lumen behind it is as a body's
}

// Finder searches for flat ends in a surface.
type Finder struct {
	mesh      *mesh.Mesh
	topology  *mesh.Topology
	hierarchy *mesh.Hierarchy
	center    []r3.Vec        // of the triangles
	area      []r3.Vec        // vector areas
	size      []float64       // their lengths
	unit      []r3.Vec        // normals, zero for degenerate triangles
	edge      []float64       // mean lengths of the triangles' sides
	longest   []float64       // the longest of them
	typical   float64         // the median of the triangles' edge lengths
	open      []Patch         // the open ends
	perhaps   []Patch         // what may be an end beside those found
	strict    bool            // only plain ends count
	taken     []bool          // by ends
	cores     []Patch         // nil until they were searched for
	pieces    *flatPieces     // nil until they were searched for
	graph     *mesh.EdgeGraph // nil until it was needed
	signs     []signs         // of the ends that grew from them
	coreOf    []int32
	coreArea  []float64
	seen      []int32 // the last search that came by
	search    int32
	grown     []int32 // memory of the last search
}

// NewFinder returns a finder of ends in the closed mesh of a hierarchy.
func NewFinder(h *mesh.Hierarchy, t *mesh.Topology) *Finder {
	s := h.Mesh
	n := len(s.Triangles)
	f := &Finder{mesh: s, topology: t, hierarchy: h}
	f.center, f.area, f.unit = make([]r3.Vec, n), make([]r3.Vec, n), make([]r3.Vec, n)
	f.size, f.edge, f.longest = make([]float64, n), make([]float64, n), make([]float64, n)
	f.taken, f.seen = make([]bool, n), make([]int32, n)
	for i := range s.Triangles {
		a, b, c := s.Corners(i)
		f.center[i] = r3.Scale(1.0/3, r3.Add(a, r3.Add(b, c)))
		f.area[i] = s.AreaVector(i)
		f.size[i] = r3.Norm(f.area[i])
		if f.size[i] > 0 {
			f.unit[i] = r3.Scale(1/f.size[i], f.area[i])
		}
		f.edge[i], f.longest[i] = s.Sides(i)
	}
	edges := slices.Clone(f.edge)
	slices.Sort(edges)
	if len(edges) > 0 {
		f.typical = edges[len(edges)/2]
	}
	return f
}

// find returns the flat ends, largest first.
//
// The largest flat cores come first and keep their triangles, so that two
// ends that touch stay two.
func (f *Finder) find() []Patch {
	var found []Patch
	reserved := slices.Clone(f.taken)
	type byShape struct {
		ends, perhaps []Patch
		pieces        *flatPieces
	}
	shapes := make(chan byShape, 1)
	go func(g Finder) {
		defer crash.Guard()
		g.taken, g.seen, g.search, g.grown = reserved, make([]int32, len(f.seen)), 0, nil
		ends, perhaps := g.findPieces()
		shapes <- byShape{ends, perhaps, g.pieces}
	}(*f)
	if f.cores == nil {
		f.cores = f.findCores()
		f.signs = make([]signs, len(f.cores))
	}
	cores := f.cores
	for id := range cores {
		if f.taken[cores[id].Triangles[0]] || f.areaAmong(&cores[id], reserved) > cores[id].Area/2 {
			continue
		}
		if end := f.growEnd(&cores[id], int32(id)); f.isEnd(&end, &f.signs[id]) || f.endsPrism(&end) {
			found = append(found, end)
			for _, t := range end.Triangles {
				f.taken[t] = true
			}
		}
	}
	f.settle(found)
	sortPatches(found)
	found = f.withoutBoxes(f.withoutRims(found))
	found = f.findRagged(found, cores)
	sortPatches(found)
	copy(f.taken, reserved)
	f.outline(found)
	copy(f.taken, reserved)
	found = slices.DeleteFunc(found, func(p Patch) bool { return (!f.closesTube(&p) || f.goesBack(&p) < shallow) && !f.endsPrism(&p) })
	found = f.withoutSides(found)
	copy(f.taken, reserved)
	shape := <-shapes
	f.pieces = shape.pieces
	found, scraps := f.withPieces(found, shape.ends)
	f.perhaps = f.perhapsBeside(found, slices.Concat(shape.perhaps, scraps))
	sortPatches(found)
	return found
}

// areaAmong returns the area of a patch's triangles that are marked.
func (f *Finder) areaAmong(p *Patch, marked []bool) float64 {
	var area float64
	for _, t := range p.Triangles {
		if marked[t] {
			area += f.size[t]
		}
	}
	return area
}

// sortPatches puts the largest first.
func sortPatches(p []Patch) {
	slices.SortStableFunc(p, func(a, b Patch) int { return cmp.Compare(b.Area, a.Area) })
}

// growEnd takes a core and the rim around it for an end.
func (f *Finder) growEnd(core *Patch, id int32) Patch {
	end := f.grow(core.Triangles, func(t int32) bool {
		return f.joinsRim(t, id) && f.facing(t, core.Normal, core.Center, cosRim, rimDepth)
	})
	end.flat = core.Area / end.Area
	end.core = mesh.Plane{At: core.Center, Normal: core.Normal}
	end.coreID = id
	return end
}

// facing reports whether a triangle faces as a plane does and lies close to
// it, measured by the length of its edges.
func (f *Finder) facing(t int32, normal, center r3.Vec, cos, share float64) bool {
	if !(r3.Dot(f.unit[t], normal) >= cos) {
		return false
	}
	length := f.typical
	if f.edge[t] < length {
		length = f.edge[t]
	}
	return f.within(t, center, normal, share*length)
}

// joinsRim reports whether a triangle may belong to the rim around a core:
// not when it is part of another core of some size, a neighbouring end.
// Triangles without area are part of no core.
func (f *Finder) joinsRim(t, core int32) bool {
	other := f.coreOf[t]
	return other == core || other < 0 || f.coreArea[other] < max(otherCore*f.typical*f.typical, otherShare*f.coreArea[core])
}

// grow collects the triangles that are connected to the seeds and accepted.
func (f *Finder) grow(seeds []int32, accept func(t int32) bool) Patch {
	f.search++
	grown := append(f.grown[:0], seeds...)
	for _, t := range seeds {
		f.seen[t] = f.search
	}
	for i := 0; i < len(grown); i++ {
		for _, m := range f.topology.Beside(grown[i]) {
			if m < 0 {
				continue
			}
			t := m / 3
			if f.seen[t] == f.search || f.taken[t] {
				continue
			}
			f.seen[t] = f.search
			if accept(t) {
				grown = append(grown, t)
			}
		}
	}
	f.grown = grown
	p := Patch{Triangles: slices.Clone(grown)}
	slices.Sort(p.Triangles)
	f.fit(&p)
	return p
}

// fit sets the patch's area, centre and mean normal.
func (f *Finder) fit(p *Patch) {
	var m moments
	m.add(f, p.Triangles...)
	m.fit(p)
}

// moments are the sums over triangles from which a patch is fitted.
type moments struct {
	area           float64
	normal, center r3.Vec
}

func (m *moments) add(f *Finder, triangles ...int32) {
	area, normal, center := m.area, m.normal, m.center
	for _, t := range triangles {
		a := f.size[t]
		area += a
		normal = r3.Add(normal, f.area[t])
		center = r3.Add(center, r3.Scale(a, f.center[t]))
	}
	*m = moments{area, normal, center}
}

func (m *moments) fit(p *Patch) {
	p.Area = m.area
	p.Center = r3.Scale(1/m.area, m.center)
	p.Normal = r3.Unit(m.normal)
}

// within reports whether a triangle's corners lie so near to a plane.
func (f *Finder) within(t int32, center, normal r3.Vec, limit float64) bool {
	v, vertices := &f.mesh.Triangles[t].V, f.mesh.Vertices
	near := func(v int32) bool { return math.Abs(r3.Dot(normal, r3.Sub(vertices[v], center))) <= limit }
	return near(v[0]) && near(v[1]) && near(v[2])
}

// signs are the costly signs of an end, with its triangles.
type signs struct {
	triangles []int32
	sectors   int
	slender   float64
}

// signsOf returns the signs of an end. They are those known if they are of the same
// triangles, and become known.
func (f *Finder) signsOf(p *Patch, known *signs) signs {
	if known.triangles == nil || !slices.Equal(known.triangles, p.Triangles) {
		*known = signs{triangles: slices.Clone(p.Triangles), sectors: f.wallSectors(p)}
		if known.sectors >= fewSectors {
			known.slender = f.slenderness(p, p.core.Normal)
			if p.Normal != p.core.Normal {
				known.slender = min(known.slender, f.slenderness(p, p.Normal))
			}
		}
	}
	return *known
}

// isEnd reports whether the patch closes a tube. Two signs count, each of
// which some ends lack that have grown into a neighbour: the surface goes back
// from a flat patch on nearly all sides, or the lumen behind it goes on much
// farther than it is wide. known are the signs of what grew from its core before.
func (f *Finder) isEnd(p *Patch, known *signs) bool {
	asked := false
	var s signs
	for _, rule := range endRules {
		if len(p.Triangles) < rule.triangles || p.flat < rule.flat || f.strict && rule.flat < strictFlat {
			continue
		}
		// The costly signs are looked for once some rule asks.
		if !asked {
			if s, asked = f.signsOf(p, known), true; s.sectors < fewSectors {
				return false
			}
		}
		if s.sectors >= rule.sectors && s.slender >= rule.slender {
			return true
		}
	}
	return !f.strict && s.sectors >= bluntSectors && p.flat >= bluntFlat && f.endsEvenTube(p)
}
