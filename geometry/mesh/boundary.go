package mesh

import (
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// DirectedEdge is an edge in the direction in which it was found.
type DirectedEdge struct{ From, To int32 }

// BoundaryEdges returns the edges that triangles walk more often in one
// direction than in the other, as often as they do. At every vertex as many of
// them end as begin, so that they always make up closed loops, even where more
// than two triangles share an edge.
func BoundaryEdges(s *Mesh) []DirectedEdge {
	var out []DirectedEdge
	eachEdge(s, func(low, high int32, sides []edgeSide) {
		net := 0
		for _, e := range sides {
			if from, _ := s.Side(e.side); from < high {
				net++
			} else {
				net--
			}
		}
		for ; net > 0; net-- {
			out = append(out, DirectedEdge{low, high})
		}
		for ; net < 0; net++ {
			out = append(out, DirectedEdge{high, low})
		}
	})
	return out
}

// BoundaryLoops joins the boundary edges into simple loops of vertices: where
// a walk comes back to a vertex it has passed, a loop is complete.
func BoundaryLoops(s *Mesh) [][]int32 {
	leaving := map[int32][]int32{}
	var starts []int32
	for _, e := range BoundaryEdges(s) {
		if len(leaving[e.From]) == 0 {
			starts = append(starts, e.From)
		}
		leaving[e.From] = append(leaving[e.From], e.To)
	}
	var loops [][]int32
	for _, start := range starts {
		for len(leaving[start]) > 0 {
			loops = append(loops, walkLoops(start, leaving)...)
		}
	}
	return loops
}

// walkLoops follows unused edges from a vertex until it is back there.
func walkLoops(start int32, leaving map[int32][]int32) [][]int32 {
	var loops [][]int32
	path := []int32{start}
	index := map[int32]int{start: 0}
	for at := start; ; {
		next := leaving[at]
		if len(next) == 0 {
			return loops
		}
		to := next[len(next)-1]
		leaving[at] = next[:len(next)-1]
		if k, passed := index[to]; passed {
			loops = append(loops, slices.Clone(path[k:]))
			for _, v := range path[k+1:] {
				delete(index, v)
			}
			path = path[:k+1]
			if k == 0 && len(leaving[start]) == 0 {
				return loops
			}
		} else {
			index[to] = len(path)
			path = append(path, to)
		}
		at = to
	}
}

// LoopPlane returns the centre of a closed line and the unit normal of its
// mean plane, by its vector area.
func LoopPlane(points []r3.Vec) (center, normal r3.Vec) {
	var length float64
	for i, a := range points {
		b := points[(i+1)%len(points)]
		d := r3.Norm(r3.Sub(b, a))
		center = r3.Add(center, r3.Scale(d/2, r3.Add(a, b)))
		length += d
	}
	if length > 0 {
		center = r3.Scale(1/length, center)
	}
	for i, a := range points {
		normal = r3.Add(normal, r3.Cross(r3.Sub(a, center), r3.Sub(points[(i+1)%len(points)], center)))
	}
	if n := r3.Norm(normal); n > 0 {
		return center, r3.Scale(1/n, normal)
	}
	return center, r3.Vec{Z: 1}
}

// Perimeter returns the length of a closed line.
func Perimeter(points []r3.Vec) float64 {
	var sum float64
	for i, a := range points {
		sum += r3.Norm(r3.Sub(points[(i+1)%len(points)], a))
	}
	return sum
}
