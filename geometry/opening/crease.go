package opening

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// An end has an edge around it, if a bevelled one: within so many radii of its
// outline the surface turns by 50° from it, forwards where a neighbour joins. From
// a flat spot of a dome it turns little by little.
const creaseReach = 0.4

var cosCrease = math.Cos(50 * math.Pi / 180)

// creased returns the share of a patch's outline along which it has an edge.
func (f *Finder) creased(p *Patch) float64 {
	reach := creaseReach * math.Sqrt(p.Area/math.Pi)
	var queue []int32
	return f.outlineShare(p, func(p *Patch, side int32) bool {
		a, b := f.mesh.Side(side)
		middle := r3.Scale(0.5, r3.Add(f.mesh.Vertices[a], f.mesh.Vertices[b]))
		f.search++
		queue = append(queue[:0], f.topology.Mate[side]/3)
		f.seen[queue[0]] = f.search
		for i := 0; i < len(queue); i++ {
			t := queue[i]
			if f.size[t] > 0 && r3.Dot(f.unit[t], p.Normal) < cosCrease {
				return true
			}
			corners := &f.mesh.Triangles[t].V
			for k, m := range f.topology.Beside(t) {
				if m < 0 {
					continue
				}
				other := m / 3
				if f.seen[other] == f.search || f.seen[other] == ownTriangle {
					continue
				}
				f.seen[other] = f.search
				over := r3.Scale(0.5, r3.Add(f.mesh.Vertices[corners[k]], f.mesh.Vertices[corners[(k+1)%3]]))
				if r3.Norm2(r3.Sub(over, middle)) < reach*reach {
					queue = append(queue, other)
				}
			}
		}
		return false
	})
}
