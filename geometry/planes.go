package geometry

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// joinPlanes makes one core of all that lie in one plane and hang together,
// where they make a round whole. Piece by piece they may not: half a ring that
// grows around the middle of an end is a strip until it is closed.
func (f *capFinder) joinPlanes(cores []patch, joined []bool) {
	tried := make([]bool, len(cores))
	for id := range cores {
		if joined[id] || tried[id] {
			continue
		}
		group := f.planeAround(cores, int32(id), joined)
		for _, other := range group {
			tried[other] = true
		}
		if len(group) > 1 && f.makesRound(cores, group) {
			f.joinGroup(cores, group, joined)
		}
	}
}

// planeAround lists a core and those connected to it that lie in its plane,
// if only through triangles without area.
func (f *capFinder) planeAround(cores []patch, id int32, joined []bool) []int32 {
	p := plane{cores[id].center, cores[id].normal}
	group := []int32{id}
	seen := map[int32]bool{id: true}
	queue := slices.Clone(cores[id].triangles)
	passed := map[int32]bool{}
	for i := 0; i < len(queue); i++ {
		for side := 3 * queue[i]; side < 3*queue[i]+3; side++ {
			m := f.topology.mate[side]
			if m < 0 {
				continue
			}
			switch other := f.coreOf[m/3]; {
			case other < 0:
				if !passed[m/3] && f.depth(m/3, p.at, p.normal) <= sliverDepth*f.typical {
					passed[m/3] = true
					queue = append(queue, m/3)
				}
			case !seen[other]:
				seen[other] = true
				if !joined[other] && f.liesIn(&cores[other], p) {
					group = append(group, other)
					queue = append(queue, cores[other].triangles...)
				}
			}
		}
	}
	slices.Sort(group)
	return group
}

// liesIn reports whether a core lies in a plane. The normals of slivers mean
// nothing.
func (f *capFinder) liesIn(core *patch, p plane) bool {
	allowed := sliverDepth
	if r3.Dot(core.normal, p.normal) >= cosCore {
		allowed = coreDepth
	}
	return !slices.ContainsFunc(core.triangles, func(t int32) bool {
		return f.depth(t, p.at, p.normal) > allowed*f.typical
	})
}

// makesRound reports whether cores together are no strip.
func (f *capFinder) makesRound(cores []patch, group []int32) bool {
	all := f.union(cores, group)
	return !slices.ContainsFunc(all.triangles, func(t int32) bool {
		return r3.Norm(r3.Sub(f.centroid(t), all.center)) > joinedReach*math.Sqrt(all.area/math.Pi)
	})
}

// union returns the triangles of several cores as one patch.
func (f *capFinder) union(cores []patch, group []int32) patch {
	var all patch
	for _, id := range group {
		all.triangles = append(all.triangles, cores[id].triangles...)
	}
	// Cores overlap, so triangles may have come twice.
	slices.Sort(all.triangles)
	all.triangles = slices.Compact(all.triangles)
	f.fit(&all)
	return all
}

// joinGroup makes one core of a group, its first, and marks the others as
// joined.
func (f *capFinder) joinGroup(cores []patch, group []int32, joined []bool) {
	all := f.union(cores, group)
	for _, other := range group[1:] {
		joined[other] = true
		for _, t := range cores[other].triangles {
			if f.coreOf[t] == other {
				f.coreOf[t] = group[0]
			}
		}
	}
	cores[group[0]] = all
}
