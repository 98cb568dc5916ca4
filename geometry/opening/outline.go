package opening

import (
	"math"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// The rim of an end reaches so far behind its plane, and hardly before it,
	// in rimScale: equally far all around, whether the triangles there are
	// small or large. Before the plane rises the wall of a neighbour, not a
	// bevel.
	rimBehind, rimBefore = 0.25, 0.08
	// A triangle so close to the plane is a sliver, whose normal means nothing.
	sliverDepth = 0.02
	// Narrow bevels reach so deep and may be steeper than wide ones.
	bevelDepth = 0.1
)

// cosOutline and cosBevel are the cosines of the angles up to which triangles
// of a rim and of a narrow bevel turn away from the plane.
var (
	cosOutline = math.Cos(26 * math.Pi / 180)
	cosBevel   = math.Cos(60 * math.Pi / 180)
)

// outline draws the line between ends and wall anew: an end is its flat part
// and the rim around it, down to a fixed depth. The rim by which growEnd tells
// an end from a bend of the wall is measured by the single triangle instead:
// that recognises ends of few triangles, but follows the mesh.
func (f *Finder) outline(ends []Patch) {
	for i := range ends {
		for _, t := range ends[i].Triangles {
			f.taken[t] = true
		}
	}
	for i := range ends {
		f.redraw(&ends[i])
	}
}

// redraw takes an end for the triangles of its core that it has and the rim
// around them. What settle gave it from a neighbour's core stays with it.
func (f *Finder) redraw(end *Patch) {
	own := make(map[int32]bool, len(end.Triangles))
	var seeds []int32
	for _, t := range end.Triangles {
		own[t] = true
		if f.coreOf[t] == end.coreID {
			seeds = append(seeds, t)
		}
	}
	if len(seeds) == 0 {
		return
	}
	for _, t := range end.Triangles {
		f.taken[t] = false
	}
	scale := f.rimScale(end.Triangles, own)
	drawn := f.grow(seeds, func(t int32) bool {
		return f.onRim(t, end.core, scale) && (own[t] || f.joinsRim(t, end.coreID))
	})
	end.Triangles, end.Area, end.Center, end.Normal = drawn.Triangles, drawn.Area, drawn.Center, drawn.Normal
	for _, t := range end.Triangles {
		f.taken[t] = true
	}
}

// rimScale returns the length by which the rim of an end is measured: the
// median edge length of the surface or, where the mesh is coarser, of the
// triangles around the end.
func (f *Finder) rimScale(end []int32, own map[int32]bool) float64 {
	var around []float64
	for _, t := range end {
		for side := 3 * t; side < 3*t+3; side++ {
			if m := f.topology.Mate[side]; m >= 0 && !own[m/3] {
				around = append(around, f.edge[m/3])
			}
		}
	}
	if len(around) == 0 {
		return f.typical
	}
	slices.Sort(around)
	return max(f.typical, around[len(around)/2])
}

// onRim reports whether a triangle belongs to an end in the given plane.
func (f *Finder) onRim(t int32, p mesh.Plane, scale float64) bool {
	low, high := 0.0, 0.0
	for _, v := range f.mesh.Triangles[t].V {
		h := p.Height(f.mesh.Vertices[v])
		low, high = min(low, h), max(high, h)
	}
	if low < -rimBehind*scale || high > rimBefore*scale {
		return false
	}
	switch far, cos := max(-low, high), r3.Dot(f.unit[t], p.Normal); {
	case far < sliverDepth*scale:
		return true
	case far < bevelDepth*scale:
		return cos >= cosBevel
	default:
		return cos >= cosOutline
	}
}
