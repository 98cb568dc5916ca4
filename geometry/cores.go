package geometry

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// findCores divides the surface into flat pieces, the largest first.
func (f *capFinder) findCores() []patch {
	type seed struct {
		triangle int32
		area     float64
	}
	seeds := make([]seed, 0, len(f.unit))
	known := make([]float64, len(f.unit))
	for i := range f.unit {
		if f.unit[i] == (r3.Vec{}) {
			continue
		}
		if known[i] == 0 {
			// Exactly coplanar triangles have the same core; without this, large
			// flat faces would cost the square of their triangles.
			core := f.core(int32(i))
			for _, t := range core.triangles {
				if r3.Dot(f.unit[t], f.unit[i]) > coplanar {
					known[t] = core.area
				}
			}
			known[i] = core.area
		}
		seeds = append(seeds, seed{int32(i), known[i]})
	}
	slices.SortStableFunc(seeds, func(a, b seed) int { return cmp.Compare(b.area, a.area) })
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
	var parts []int32
	for i := 0; i < len(core.triangles); i++ {
		for side := 3 * core.triangles[i]; side < 3*core.triangles[i]+3; side++ {
			m := f.topology.mate[side]
			if m < 0 {
				continue
			}
			other := f.coreOf[m/3]
			if other <= id || joined[other] || !f.continues(core, &cores[other]) {
				continue
			}
			joined[other] = true
			parts = append(parts, other)
			core.triangles = append(core.triangles, cores[other].triangles...)
			f.fit(core)
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

// joinedReach is how far a joined core's triangles lie from its centre at most,
// in radii of the disc of its area: facets of an end make a round whole, those
// along a wall a strip.
const joinedReach = 1.8

// continues reports whether the plane of a core goes on in another one, and
// the two together are no strip.
func (f *capFinder) continues(core, other *patch) bool {
	p := plane{core.center, core.normal}
	if r3.Dot(core.normal, other.normal) < cosCore || math.Abs(p.height(other.center)) > rimDepth*f.typical {
		return false
	}
	area := core.area + other.area
	center := r3.Scale(1/area, r3.Add(r3.Scale(core.area, core.center), r3.Scale(other.area, other.center)))
	beyond := func(t int32) bool {
		return r3.Norm(r3.Sub(f.centroid(t), center)) > joinedReach*math.Sqrt(area/math.Pi)
	}
	return !slices.ContainsFunc(core.triangles, beyond) && !slices.ContainsFunc(other.triangles, beyond)
}
