package mesh

import (
	"math"
	"slices"

	"carina/internal/disjoint"
	"carina/internal/heap"

	"gonum.org/v1/gonum/spatial/r3"
)

// EdgeGraph is the edges of a surface by vertex: those of vertex v are
// to[first[v]:first[v+1]].
type EdgeGraph struct {
	first  []int32
	to     []int32
	length []float64
}

// NewEdgeGraph lists the edges of a mesh.
func NewEdgeGraph(s *Mesh) *EdgeGraph {
	g := &EdgeGraph{first: make([]int32, len(s.Vertices)+1)}
	for i := range s.Triangles {
		for _, v := range s.Triangles[i].V {
			g.first[v+1] += 2
		}
	}
	for i := range s.Vertices {
		g.first[i+1] += g.first[i]
	}
	g.to = make([]int32, g.first[len(s.Vertices)])
	g.length = make([]float64, len(g.to))
	next := slices.Clone(g.first)
	put := func(from, one, other int32, toOne, toOther float64) {
		at := next[from]
		g.to[at], g.to[at+1] = one, other
		g.length[at], g.length[at+1] = toOne, toOther
		next[from] = at + 2
	}
	for i := range s.Triangles {
		v := &s.Triangles[i].V
		a, b, c := s.Corners(i)
		ab, bc, ca := r3.Norm(r3.Sub(a, b)), r3.Norm(r3.Sub(b, c)), r3.Norm(r3.Sub(c, a))
		put(v[0], v[1], v[2], ab, ca)
		put(v[1], v[2], v[0], bc, ab)
		put(v[2], v[0], v[1], ca, bc)
	}
	return g
}

// Distances returns how far every vertex is from the nearest source along
// edges (Dijkstra 1959), +Inf where it cannot be reached.
func (g *EdgeGraph) Distances(sources []int32) []float64 {
	d := make([]float64, len(g.first)-1)
	for i := range d {
		d[i] = math.Inf(1)
	}
	type reached struct {
		vertex   int32
		distance float64
	}
	queue := heap.New(func(a, b reached) bool { return a.distance < b.distance })
	for _, s := range sources {
		d[s] = 0
		queue.Push(reached{s, 0})
	}
	for queue.Len() > 0 {
		item := queue.Pop()
		if item.distance > d[item.vertex] {
			continue
		}
		for i := g.first[item.vertex]; i < g.first[item.vertex+1]; i++ {
			if n := item.distance + g.length[i]; n < d[g.to[i]] {
				d[g.to[i]] = n
				queue.Push(reached{g.to[i], n})
			}
		}
	}
	return d
}

// BranchEnds returns the vertices at which branches longer than the given
// length end: the maxima of the distance from the sources that lie so much
// above the saddle where they join a higher one.
func (g *EdgeGraph) BranchEnds(sources []int32, length float64) []int32 {
	d := g.Distances(sources)
	order := make([]int32, 0, len(d))
	for i := range d {
		if !math.IsInf(d[i], 1) {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case d[a] > d[b]:
			return -1
		case d[a] < d[b]:
			return 1
		}
		return 0
	})
	parts := disjoint.New(len(d))
	top := make([]int32, len(d))
	uncovered := make([]bool, len(d))
	var ends []int32
	for _, v := range order {
		uncovered[v], top[v] = true, v
		for i := g.first[v]; i < g.first[v+1]; i++ {
			if !uncovered[g.to[i]] {
				continue
			}
			a, b := parts.Find(v), parts.Find(g.to[i])
			if a == b {
				continue
			}
			high, low := top[a], top[b]
			if d[high] < d[low] || d[high] == d[low] && high > low {
				high, low = low, high
			}
			if d[low]-d[v] > length {
				ends = append(ends, low)
			}
			parts.Union(a, b)
			top[parts.Find(a)] = high
		}
	}
	if len(order) > 0 && d[order[0]] > length {
		ends = append(ends, order[0])
	}
	return ends
}
