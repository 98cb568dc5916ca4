package geometry

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// coreSeed is a triangle and the area of the core around it.
type coreSeed struct {
	triangle int32
	area     float64
}

// A core of more than largeCore triangles is looked for around so many of them
// and no more.
const largeCore, coreSamples = 1000, 32

// coreSeeds returns all triangles by the areas of their cores, the largest
// first.
//
// Large flat faces would cost the square of their triangles. So exactly
// coplanar triangles share their core, and of the triangles of large cores in
// noise only some are tried, before the others.
func (f *capFinder) coreSeeds() []coreSeed {
	seeds := make([]coreSeed, 0, len(f.unit))
	known := make([]float64, len(f.unit))
	tried := make([]uint8, len(f.unit))
	for i := range f.unit {
		if f.unit[i] == (r3.Vec{}) {
			continue
		}
		if known[i] == 0 {
			core := f.core(int32(i))
			large := len(core.triangles) > largeCore
			for _, t := range core.triangles {
				if r3.Dot(f.unit[t], f.unit[i]) > coplanar {
					known[t] = core.area
				} else if large && known[t] == 0 {
					if tried[t]++; tried[t] >= coreSamples {
						known[t] = core.area / 2
					}
				}
			}
			known[i] = core.area
		}
		seeds = append(seeds, coreSeed{int32(i), known[i]})
	}
	slices.SortStableFunc(seeds, func(a, b coreSeed) int { return cmp.Compare(b.area, a.area) })
	return seeds
}

// findCores divides the surface into flat pieces, the largest first.
func (f *capFinder) findCores() []patch {
	seeds := f.coreSeeds()
	f.coreOf = make([]int32, len(f.unit))
	for i := range f.coreOf {
		f.coreOf[i] = -1
	}
	f.coreArea = nil
	var cores []patch
	for _, s := range seeds {
		if f.coreOf[s.triangle] >= 0 {
			continue
		}
		core := f.core(s.triangle)
		for _, t := range core.triangles {
			if f.coreOf[t] < 0 {
				f.coreOf[t] = int32(len(cores))
			}
		}
		f.coreArea = append(f.coreArea, core.area)
		cores = append(cores, core)
	}
	return f.joinCores(cores)
}

// core returns the flat piece of the surface around a triangle.
func (f *capFinder) core(seed int32) patch {
	center, normal := f.centroid(seed), f.unit[seed]
	return f.grow([]int32{seed}, func(t int32) bool {
		return f.facing(t, normal, center, cosCore, coreDepth)
	})
}

// joinCores makes one core of neighbouring ones in one plane. A core follows
// the plane of its first triangle, so that noise in a flat end of many
// triangles leaves several.
func (f *capFinder) joinCores(cores []patch) []patch {
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
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(cores[b].area, cores[a].area) })
	number := make([]int32, len(cores))
	kept := make([]patch, len(order))
	f.coreArea = make([]float64, len(order))
	for i, id := range order {
		number[id], kept[i], f.coreArea[i] = int32(i), cores[id], cores[id].area
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
func (f *capFinder) extendCore(cores []patch, id int32, joined []bool) {
	core := &cores[id]
	g := growingCore{finder: f, core: core}
	var parts []int32
	for i := 0; i < len(core.triangles); i++ {
		for side := 3 * core.triangles[i]; side < 3*core.triangles[i]+3; side++ {
			m := f.topology.mate[side]
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
	slices.Sort(core.triangles)
	core.triangles = slices.Compact(core.triangles)
	f.fit(core)
	for _, other := range parts {
		for _, t := range cores[other].triangles {
			if f.coreOf[t] == other {
				f.coreOf[t] = id
			}
		}
	}
}

// growingCore is a core to which others are joined. What it keeps spares
// looking at all of its triangles each time.
type growingCore struct {
	finder *capFinder
	core   *patch
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
func (g *growingCore) add(other *patch) {
	core := g.core
	core.triangles = append(core.triangles, other.triangles...)
	for ; g.summed < len(core.triangles); g.summed++ {
		g.sum.add(g.finder, core.triangles[g.summed])
	}
	g.sum.fit(core)
}

// joinedReach is how far a joined core's triangles lie from its centre at most,
// in radii of the disc of its area: facets of an end make a round whole, those
// along a wall a strip.
const joinedReach = 1.8

// continues reports whether the plane of the core goes on in another one, and
// the two together are no strip.
func (g *growingCore) continues(other *patch) bool {
	f, core := g.finder, g.core
	p := plane{core.center, core.normal}
	if r3.Dot(core.normal, other.normal) < cosCore || math.Abs(p.height(other.center)) > rimDepth*f.typical {
		return false
	}
	area := core.area + other.area
	center := r3.Scale(1/area, r3.Add(r3.Scale(core.area, core.center), r3.Scale(other.area, other.center)))
	limit := joinedReach * math.Sqrt(area/math.Pi)
	beyond := func(t int32) bool { return r3.Norm(r3.Sub(f.centroid(t), center)) > limit }
	return !g.anyBeyond(center, limit, beyond) && !slices.ContainsFunc(other.triangles, beyond)
}

// anyBeyond reports whether any triangle of the core lies beyond the limit
// from a centre.
func (g *growingCore) anyBeyond(center r3.Vec, limit float64, beyond func(t int32) bool) bool {
	triangles := g.core.triangles
	if g.seen == 0 {
		g.from, g.far = g.core.center, triangles[0]
	}
	for ; g.seen < len(triangles); g.seen++ {
		g.reach = max(g.reach, r3.Norm(r3.Sub(g.finder.centroid(triangles[g.seen]), g.from)))
	}
	// The last digits of a distance are left to the look at every triangle.
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
