package geometry

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// In a tree with so many flat ends, every branch is expected to have one.
	treeEnds = 4
	// Branches longer than so many radii of the median end count.
	branchRadii = 8
	// Looking for a ragged end: so many edge lengths around the tip, and these
	// shares and sectors as in endRules.
	tipReach    = 3
	raggedFlat  = 0.5
	raggedWalls = 6
)

// findRagged adds the ends of long branches that have none, in surfaces where
// the others do: flat pieces at the very tip, too worn for endRules.
func (f *capFinder) findRagged(found []patch, cores []patch) []patch {
	if len(found) < treeEnds {
		return found
	}
	radius := math.Sqrt(found[len(found)/2].area / math.Pi)
	var sources []int32
	for _, t := range found[0].triangles {
		sources = append(sources, f.surface.Triangles[t].V[:]...)
	}
	for _, v := range newEdgeGraph(f.surface).branchEnds(sources, branchRadii*radius) {
		at := f.surface.Vertices[v]
		if near(found, at) {
			continue
		}
		var best *patch
		for id := range cores {
			core := &cores[id]
			if r3.Norm(r3.Sub(core.center, at)) > tipReach*f.typical || f.taken[core.triangles[0]] {
				continue
			}
			end := f.growEnd(core, int32(id))
			if len(end.triangles) >= 3 && end.flat >= raggedFlat && (best == nil || end.area > best.area) && f.wallSectors(&end) >= raggedWalls {
				best = &end
			}
		}
		if best != nil {
			found = append(found, *best)
		}
	}
	return found
}

// near reports whether a point lies at one of the ends, or little off it.
func near(ends []patch, at r3.Vec) bool {
	for i := range ends {
		if r3.Norm(r3.Sub(ends[i].center, at)) < 2.5*math.Sqrt(ends[i].area/math.Pi) {
			return true
		}
	}
	return false
}
