package partition

import (
	"runtime"
	"sync"
	"sync/atomic"

	"carina/internal/parallel"
	"carina/partition/graph"
)

// verticesAtOnce is how many vertices are counted by one goroutine at a time.
const verticesAtOnce = 1 << 16

// inRanges calls do for consecutive ranges of 0..n-1, each but the last length
// long, on all processors.
func inRanges(n, length int, do func(begin, end int)) {
	if n <= length {
		do(0, n)
		return
	}
	parallel.New(runtime.GOMAXPROCS(0)).RangesOf(n, length, do)
}

// EdgeCutOf returns the weight of the edges between different parts.
func EdgeCutOf(g *graph.Graph, parts []int32) int64 {
	var twice atomic.Int64
	inRanges(g.Vertices(), verticesAtOnce, func(begin, end int) {
		var cut int64
		for v := begin; v < end; v++ {
			p := parts[v]
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				if parts[g.Neighbours[e]] != p {
					cut += g.EdgeWeight(e)
				}
			}
		}
		twice.Add(cut)
	})
	return twice.Load() / 2
}

// figures are what is counted of one part: its vertices, their weight, the
// weight of the edges that leave it, and the sizes of its vertices for each of the
// other parts among their neighbours.
type figures struct {
	vertices, weight, cut, volume int64
}

// figuresOf counts for every part; all vertices are of size one where sizes is nil.
func figuresOf(g *graph.Graph, sizes []int64, parts []int32, k int) []figures {
	all := make([]figures, k)
	var mutex sync.Mutex
	// Adding up must not take longer than counting.
	inRanges(g.Vertices(), max(verticesAtOnce, 8*k), func(begin, end int) {
		some := figuresBetween(g, sizes, parts, k, begin, end)
		mutex.Lock()
		defer mutex.Unlock()
		for p, f := range some {
			all[p].vertices += f.vertices
			all[p].weight += f.weight
			all[p].cut += f.cut
			all[p].volume += f.volume
		}
	})
	return all
}

// figuresBetween counts the vertices from begin to end.
func figuresBetween(g *graph.Graph, sizes []int64, parts []int32, k, begin, end int) []figures {
	perPart := make([]figures, k)
	seen := make([]int32, k)
	for v := begin; v < end; v++ {
		p := parts[v]
		f := &perPart[p]
		size := int64(1)
		if sizes != nil {
			size = sizes[v]
		}
		f.vertices++
		f.weight += g.VertexWeight(int32(v))
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			q := parts[g.Neighbours[e]]
			if q == p {
				continue
			}
			f.cut += g.EdgeWeight(e)
			if seen[q] != int32(v)+1 {
				seen[q] = int32(v) + 1
				f.volume += size
			}
		}
	}
	return perPart
}

// DisconnectedPartsOf returns how many of k parts are not connected within
// themselves.
func DisconnectedPartsOf(g *graph.Graph, parts []int32, k int) int {
	pieces := make([]int, k)
	for v, above := range piecesOf(g, parts) {
		if above == int32(v) {
			pieces[parts[v]]++
		}
	}
	broken := 0
	for _, n := range pieces {
		if n > 1 {
			broken++
		}
	}
	return broken
}

// piecesOf joins the vertices of each connected piece of a part to a tree whose
// root is its own parent.
func piecesOf(g *graph.Graph, parts []int32) forest {
	f := forest(graph.Numbers(g.Vertices()))
	inRanges(g.Vertices(), verticesAtOnce, func(begin, end int) {
		for v := int32(begin); v < int32(end); v++ {
			own := v
			for _, u := range g.NeighboursOf(v) {
				if u < v && parts[u] == parts[v] {
					own = f.join(own, u)
				}
			}
		}
	})
	return f
}

// forest holds the parent of every vertex, a smaller number than its own, or of
// a root itself. Several may join at once (Anderson and Woll 1991): only roots
// get a parent, and whoever comes second looks for the roots again.
type forest []int32

// join returns the common root.
func (f forest) join(a, b int32) int32 {
	for {
		a, b = f.root(a), f.root(b)
		if a == b {
			return a
		}
		if a < b {
			a, b = b, a
		}
		if atomic.CompareAndSwapInt32(&f[a], a, b) {
			return b
		}
	}
}

// root shortens the way for those who come after.
func (f forest) root(v int32) int32 {
	for {
		parent := atomic.LoadInt32(&f[v])
		if parent == v {
			return v
		}
		above := atomic.LoadInt32(&f[parent])
		if above != parent {
			atomic.CompareAndSwapInt32(&f[v], parent, above)
		}
		v = parent
	}
}
