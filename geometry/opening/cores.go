package opening

import (
	"cmp"
	"math"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// coreSeed is a triangle and the area of the core around it.
type coreSeed struct {
	triangle int32
	area     float64
}

func (s coreSeed) compare(o coreSeed) int {
	return cmp.Or(cmp.Compare(o.area, s.area), cmp.Compare(s.triangle, o.triangle))
}

// A core of more than largeCore triangles is searched for around so many of them
// and no more.
const largeCore, coreSamples = 1000, 32

// keptCore is the size up to which cores are kept from one search to the next.
const keptCore = 32

// coreSeeds returns all triangles by the areas of their cores, the largest
// first, and the triangles of small cores by those that they are around.
//
// Large flat faces would cost the square of their triangles. So exactly
// coplanar triangles share their core, and of the triangles of large cores in
// noise only some are tried, before the others.
func (f *Finder) coreSeeds() (seeds []coreSeed, kept [][]int32) {
	kept = make([][]int32, len(f.unit))
	seeds = make([]coreSeed, 0, len(f.unit))
	known := make([]float64, len(f.unit))
	tried := make([]uint8, len(f.unit))
	for i := range f.unit {
		if f.unit[i] == (r3.Vec{}) {
			continue
		}
		if known[i] == 0 {
			core := f.core(int32(i))
			if len(core.Triangles) <= keptCore {
				kept[i] = core.Triangles
			}
			large := len(core.Triangles) > largeCore
			for _, t := range core.Triangles {
				if r3.Dot(f.unit[t], f.unit[i]) > coplanar {
					known[t] = core.Area
				} else if large && known[t] == 0 {
					if tried[t]++; tried[t] >= coreSamples {
						known[t] = core.Area / 2
					}
				}
			}
			known[i] = core.Area
		}
		seeds = append(seeds, coreSeed{int32(i), known[i]})
	}
	slices.SortFunc(seeds, coreSeed.compare)
	return seeds, kept
}

// findCores divides the surface into flat pieces, the largest first.
func (f *Finder) findCores() []Patch {
	seeds, kept := f.coreSeeds()
	f.coreOf = make([]int32, len(f.unit))
	for i := range f.coreOf {
		f.coreOf[i] = -1
	}
	f.coreArea = nil
	var cores []Patch
	for _, s := range seeds {
		if f.coreOf[s.triangle] >= 0 {
			continue
		}
		core := Patch{Triangles: kept[s.triangle]}
		if core.Triangles != nil {
			f.fit(&core)
		} else {
			core = f.core(s.triangle)
		}
		for _, t := range core.Triangles {
			if f.coreOf[t] < 0 {
				f.coreOf[t] = int32(len(cores))
			}
		}
		f.coreArea = append(f.coreArea, core.Area)
		cores = append(cores, core)
	}
	return f.joinCores(cores)
}

// core returns the flat piece of the surface around a triangle.
func (f *Finder) core(seed int32) Patch {
	center, normal := f.center[seed], f.unit[seed]
	return f.grow([]int32{seed}, func(t int32) bool {
		return f.facing(t, normal, center, cosCore, coreDepth)
	})
}

// joinCores makes one core of neighbouring ones in one plane. A core follows
// the plane of its first triangle, so that noise in a flat end of many
// triangles leaves several.
func (f *Finder) joinCores(cores []Patch) []Patch {
	joined := make([]bool, len(cores))
	for id := range cores {
		if !joined[id] {
			f.extendCore(cores, int32(id), joined)
		}
	}
	f.joinPlanes(cores, joined)
	order := make([]int32, 0, len(cores))
	for id := range cores {
		if !joined[id] {
			order = append(order, int32(id))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(cores[b].Area, cores[a].Area), cmp.Compare(a, b))
	})
	number := make([]int32, len(cores))
	kept := make([]Patch, len(order))
	f.coreArea = make([]float64, len(order))
	for i, id := range order {
		number[id], kept[i], f.coreArea[i] = int32(i), cores[id], cores[id].Area
	}
	for t, id := range f.coreOf {
		if id >= 0 {
			f.coreOf[t] = number[id]
		}
	}
	return kept
}

// extendCore adds to a core the smaller ones that continue it, and marks them
// as joined.
func (f *Finder) extendCore(cores []Patch, id int32, joined []bool) {
	core := &cores[id]
	g := growingCore{finder: f, core: core}
	var parts []int32
	for i := 0; i < len(core.Triangles); i++ {
		for side := 3 * core.Triangles[i]; side < 3*core.Triangles[i]+3; side++ {
			m := f.topology.Mate[side]
			if m < 0 {
				continue
			}
			other := f.coreOf[m/3]
			if other <= id || joined[other] || !g.continues(&cores[other]) {
				continue
			}
			joined[other] = true
			parts = append(parts, other)
			g.add(&cores[other])
		}
	}
	if len(parts) == 0 {
		return
	}
	// Cores overlap, so triangles may have come twice.
	slices.Sort(core.Triangles)
	core.Triangles = slices.Compact(core.Triangles)
	f.fit(core)
	for _, other := range parts {
		for _, t := range cores[other].Triangles {
			if f.coreOf[t] == other {
				f.coreOf[t] = id
			}
		}
	}
}

// growingCore is a core to which others are joined. What it keeps spares
// a walk over all of its triangles each time.
type growingCore struct {
	finder *Finder
	core   *Patch
	sum    moments
	summed int // triangles in sum
	// All centroids lie within reach of from; far is a triangle that once lay
	// beyond.
	from  r3.Vec
	reach float64
	seen  int // triangles within reach
	far   int32
}

// add joins another core.
func (g *growingCore) add(other *Patch) {
	core := g.core
	core.Triangles = append(core.Triangles, other.Triangles...)
	g.sum.add(g.finder, core.Triangles[g.summed:]...)
	g.summed = len(core.Triangles)
	g.sum.fit(core)
}

// joinedReach is how far a joined core's triangles lie from its centre at most,
// in radii of the disc of its area: facets of an end make a round whole, those
// along a wall a strip.
const joinedReach = 1.8

// continues reports whether the plane of the core goes on in another one, and
// the two together are no strip.
func (g *growingCore) continues(other *Patch) bool {
	f, core := g.finder, g.core
	p := mesh.Plane{At: core.Center, Normal: core.Normal}
	if r3.Dot(core.Normal, other.Normal) < cosCore || math.Abs(p.Height(other.Center)) > rimDepth*f.typical {
		return false
	}
	area := core.Area + other.Area
	center := r3.Scale(1/area, r3.Add(r3.Scale(core.Area, core.Center), r3.Scale(other.Area, other.Center)))
	limit := joinedReach * math.Sqrt(area/math.Pi)
	reach := mesh.NewLimit(limit)
	beyond := func(t int32) bool { return reach.ExceededBy(r3.Sub(f.center[t], center)) }
	return !g.anyBeyond(center, limit, beyond) && !slices.ContainsFunc(other.Triangles, beyond)
}

// anyBeyond reports whether any triangle of the core lies beyond the limit
// from a centre.
func (g *growingCore) anyBeyond(center r3.Vec, limit float64, beyond func(t int32) bool) bool {
	triangles := g.core.Triangles
	if g.seen == 0 {
		g.from, g.far = g.core.Center, triangles[0]
	}
	for ; g.seen < len(triangles); g.seen++ {
		g.reach = max(g.reach, r3.Norm(r3.Sub(g.finder.center[triangles[g.seen]], g.from)))
	}
	// The last digits of a distance are left to the test of every triangle.
	const rounding = 1e-9
	if g.reach+r3.Norm(r3.Sub(center, g.from)) < (1-rounding)*limit {
		return false
	}
	if beyond(g.far) {
		return true
	}
	if i := slices.IndexFunc(triangles, beyond); i >= 0 {
		g.far = triangles[i]
		return true
	}
	return false
}
