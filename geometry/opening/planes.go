package opening

import (
	"math"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// joinPlanes makes one core of all that lie in one plane and hang together,
// where they make a round whole. Piece by piece they may not: half a ring that
// grows around the middle of an end is a strip until it is closed.
func (f *Finder) joinPlanes(cores []Patch, joined []bool) {
	tried, seen := make([]bool, len(cores)), make([]int32, len(cores))
	var queue []int32
	for id := range cores {
		if joined[id] || tried[id] {
			continue
		}
		var group []int32
		group, queue = f.planeAround(cores, int32(id), joined, seen, queue)
		for _, other := range group {
			tried[other] = true
		}
		if len(group) > 1 && f.makesRound(cores, group) {
			f.joinGroup(cores, group, joined)
		}
	}
}

// planeAround lists a core and those connected to it that lie in its plane,
// if only through triangles without area. seen has for each core the last search that
// came by, queue is memory.
func (f *Finder) planeAround(cores []Patch, id int32, joined []bool, seen, queue []int32) (group, _ []int32) {
	p := mesh.Plane{At: cores[id].Center, Normal: cores[id].Normal}
	f.search++
	group, queue = []int32{id}, append(queue[:0], cores[id].Triangles...)
	seen[id] = f.search
	for i := 0; i < len(queue); i++ {
		for side := 3 * queue[i]; side < 3*queue[i]+3; side++ {
			m := f.topology.Mate[side]
			if m < 0 {
				continue
			}
			switch other := f.coreOf[m/3]; {
			case other < 0:
				if f.seen[m/3] != f.search && f.within(m/3, p.At, p.Normal, sliverDepth*f.typical) {
					f.seen[m/3] = f.search
					queue = append(queue, m/3)
				}
			case seen[other] != f.search:
				seen[other] = f.search
				if !joined[other] && f.liesIn(&cores[other], p) {
					group = append(group, other)
					queue = append(queue, cores[other].Triangles...)
				}
			}
		}
	}
	slices.Sort(group)
	return group, queue
}

// liesIn reports whether a core lies in a plane. The normals of slivers mean
// nothing.
func (f *Finder) liesIn(core *Patch, p mesh.Plane) bool {
	allowed := sliverDepth
	if r3.Dot(core.Normal, p.Normal) >= cosCore {
		allowed = coreDepth
	}
	return !slices.ContainsFunc(core.Triangles, func(t int32) bool {
		return !f.within(t, p.At, p.Normal, allowed*f.typical)
	})
}

// makesRound reports whether cores together are no strip.
func (f *Finder) makesRound(cores []Patch, group []int32) bool {
	all := f.union(cores, group)
	reach := mesh.NewLimit(joinedReach * math.Sqrt(all.Area/math.Pi))
	return !slices.ContainsFunc(all.Triangles, func(t int32) bool {
		return reach.ExceededBy(r3.Sub(f.center[t], all.Center))
	})
}

// union returns the triangles of several cores as one patch.
func (f *Finder) union(cores []Patch, group []int32) Patch {
	var all Patch
	for _, id := range group {
		all.Triangles = append(all.Triangles, cores[id].Triangles...)
	}
	// Cores overlap, so triangles may have come twice.
	slices.Sort(all.Triangles)
	all.Triangles = slices.Compact(all.Triangles)
	f.fit(&all)
	return all
}

// joinGroup makes one core of a group, its first, and marks the others as
// joined.
func (f *Finder) joinGroup(cores []Patch, group []int32, joined []bool) {
	all := f.union(cores, group)
	for _, other := range group[1:] {
		joined[other] = true
		for _, t := range cores[other].Triangles {
			if f.coreOf[t] == other {
				f.coreOf[t] = group[0]
			}
		}
	}
	cores[group[0]] = all
}
