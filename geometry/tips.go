package geometry

import (
	"container/heap"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// edgeGraph is the edges of a surface by vertex: those of vertex v are
// to[first[v]:first[v+1]].
type edgeGraph struct {
	first  []int32
	to     []int32
	length []float64
}

func newEdgeGraph(s *Surface) *edgeGraph {
	g := &edgeGraph{first: make([]int32, len(s.Vertices)+1)}
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
	for i := range s.Triangles {
		v := s.Triangles[i].V
		for k := range v {
			for _, w := range [2]int32{v[(k+1)%3], v[(k+2)%3]} {
				g.to[next[v[k]]] = w
				g.length[next[v[k]]] = r3.Norm(r3.Sub(s.Vertices[v[k]], s.Vertices[w]))
				next[v[k]]++
			}
		}
	}
	return g
}

// distances returns how far every vertex is from the nearest source along
// edges (Dijkstra 1959), +Inf where it cannot be reached.
func (g *edgeGraph) distances(sources []int32) []float64 {
	d := make([]float64, len(g.first)-1)
	for i := range d {
		d[i] = math.Inf(1)
	}
	var queue vertexQueue
	for _, s := range sources {
		d[s] = 0
		queue = append(queue, queuedVertex{s, 0})
	}
	for len(queue) > 0 {
		item := heap.Pop(&queue).(queuedVertex)
		if item.distance > d[item.vertex] {
			continue
		}
		for i := g.first[item.vertex]; i < g.first[item.vertex+1]; i++ {
			if n := item.distance + g.length[i]; n < d[g.to[i]] {
				d[g.to[i]] = n
				heap.Push(&queue, queuedVertex{g.to[i], n})
			}
		}
	}
	return d
}

type queuedVertex struct {
	vertex   int32
	distance float64
}

type vertexQueue []queuedVertex

var _ heap.Interface = (*vertexQueue)(nil)

func (q vertexQueue) Len() int           { return len(q) }
func (q vertexQueue) Less(i, j int) bool { return q[i].distance < q[j].distance }
func (q vertexQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *vertexQueue) Push(x any)        { *q = append(*q, x.(queuedVertex)) }
func (q *vertexQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// branchEnds returns the vertices at which branches longer than the given
// length end: the maxima of the distance from the sources that lie so much
// above the saddle where they join a higher one.
func (g *edgeGraph) branchEnds(sources []int32, length float64) []int32 {
	d := g.distances(sources)
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
	parts := newDisjoint(len(d))
	top := make([]int32, len(d))
	uncovered := make([]bool, len(d))
	var ends []int32
	for _, v := range order {
		uncovered[v], top[v] = true, v
		for i := g.first[v]; i < g.first[v+1]; i++ {
			if !uncovered[g.to[i]] {
				continue
			}
			a, b := parts.find(v), parts.find(g.to[i])
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
			parts.union(a, b)
			top[parts.find(a)] = high
		}
	}
	if len(order) > 0 && d[order[0]] > length {
		ends = append(ends, order[0])
	}
	return ends
}

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
