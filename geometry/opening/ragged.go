package opening

import (
	"math"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// In a tree with so many flat ends, every branch is expected to have one.
	treeEnds = 4
	// Branches longer than so many radii of the median end count.
	branchRadii = 8
	// The search for a ragged end: so many edge lengths around the tip, and these
	// shares and sectors as in endRules.
	tipReach    = 3
	raggedFlat  = 0.5
	raggedWalls = 6
)

// findRagged adds the ends of long branches that have none, in surfaces where
// the others do: flat pieces at the very tip, too worn for endRules.
func (f *Finder) findRagged(found []Patch, cores []Patch) []Patch {
	if len(found) < treeEnds {
		return found
	}
	radius := math.Sqrt(found[len(found)/2].Area / math.Pi)
	var sources []int32
	for _, t := range found[0].Triangles {
		sources = append(sources, f.mesh.Triangles[t].V[:]...)
	}
	if f.graph == nil {
		f.graph = mesh.NewEdgeGraph(f.mesh)
	}
	for _, v := range f.graph.BranchEnds(sources, branchRadii*radius) {
		at := f.mesh.Vertices[v]
		if near(found, at) {
			continue
		}
		var best *Patch
		for id := range cores {
			core := &cores[id]
			if r3.Norm(r3.Sub(core.Center, at)) > tipReach*f.typical || f.taken[core.Triangles[0]] {
				continue
			}
			end := f.growEnd(core, int32(id))
			if len(end.Triangles) >= 3 && end.flat >= raggedFlat && (best == nil || end.Area > best.Area) && f.wallSectors(&end) >= raggedWalls {
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
func near(ends []Patch, at r3.Vec) bool {
	for i := range ends {
		if r3.Norm(r3.Sub(ends[i].Center, at)) < 2.5*math.Sqrt(ends[i].Area/math.Pi) {
			return true
		}
	}
	return false
}
