package coarsen

import (
	"sync"

	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/graph"
)

// Level is one graph of a multilevel hierarchy.
type Level struct {
	Graph *graph.Graph // with weights stored
	// Fixed is nil or holds the part of each fixed vertex and -1 elsewhere.
	Fixed []int32
	// Label is nil or holds a number per vertex; only vertices with equal
	// labels may be merged, so that partitions given by labels survive.
	Label []int32
	// ToCoarse maps the vertices to the next coarser level's.
	ToCoarse []int32
}

// Hierarchy builds the hierarchy below l down to about target vertices, none
// heavier than heaviest. Clusterings and matchings suit different graphs; taking
// turns at random, unless matchings alone are asked for, also makes partitions
// differ, on which combining lives. Sorting millions of edges for a matching is
// not worth its time.
func Hierarchy(l *Level, target int, heaviest int64, byMatching bool, r *random.Source, w *parallel.Workers, stop func() bool) []*Level {
	levels := []*Level{l}
	merge := Match
	const many = 1 << 20
	if r.Below(2) == 0 && !byMatching || len(l.Graph.Neighbours) > many {
		merge = Cluster
	}
	for l.Graph.Vertices() > target && !stop() {
		toCoarse, coarse := merge(l, heaviest, r, stop)
		if stop() {
			break
		}
		if coarse*20 > l.Graph.Vertices()*19 {
			break
		}
		next := contract(l, toCoarse, coarse, w, stop)
		if next == nil {
			break
		}
		// The top level may be shared with other tasks: change a copy.
		finer := *l
		finer.ToCoarse = toCoarse
		levels[len(levels)-1] = &finer
		l = next
		levels = append(levels, l)
	}
	return levels
}

// mayMerge tells whether u and v may become one vertex: a fixed vertex only
// with others fixed to the same part.
func (l *Level) mayMerge(u, v int32) bool {
	if l.Label != nil && l.Label[u] != l.Label[v] {
		return false
	}
	return l.Fixed == nil || l.Fixed[u] == l.Fixed[v]
}

// expansion is the edge rating ω²/(c(u)·c(v)) ("expansion*2", Holtgrewe,
// Sanders and Schulz 2010); zero weights count as one.
func expansion(w, a, b int64) float64 {
	x := float64(w)
	return x * x / (float64(max(a, 1)) * float64(max(b, 1)))
}

// numberPairs numbers matched pairs and single vertices in vertex order, which
// keeps the locality of the finer graph.
func numberPairs(mate []int32) ([]int32, int) {
	toCoarse := make([]int32, len(mate))
	next := int32(0)
	for v, u := range mate {
		if u < 0 || int(u) >= v {
			toCoarse[v] = next
			next++
		} else {
			toCoarse[v] = toCoarse[u]
		}
	}
	return toCoarse, int(next)
}

// Contract merges the vertices of l with equal toCoarse into one, adds up
// vertex weights and parallel edges and drops self loops. It returns nil if
// stopped.
func contract(l *Level, toCoarse []int32, coarse int, w *parallel.Workers, stop func() bool) *Level {
	start, members := membersOf(toCoarse, coarse)
	next := &graph.Graph{Offsets: make([]int64, coarse+1), VertexWeights: make([]int64, coarse)}
	rows := make([]coarseRows, (coarse+parallel.ChunkLength-1)/parallel.ChunkLength)
	spare := sync.Pool{New: func() any { return &rowBuilder{place: make([]int64, coarse)} }}
	w.Ranges(coarse, func(begin, end int) {
		b := spare.Get().(*rowBuilder)
		defer spare.Put(b)
		b.begin(int(int64(len(l.Graph.Neighbours)) * 3 / 4 * int64(end-begin) / int64(coarse)))
		for c := begin; c < end; c++ {
			if c%parallel.CheckEvery == 0 && stop() {
				return
			}
			next.VertexWeights[c] = b.row(l.Graph, members[start[c]:start[c+1]], toCoarse)
			next.Offsets[c+1] = int64(len(b.neighbours))
		}
		rows[begin/parallel.ChunkLength] = b.coarseRows
	})
	if stop() {
		return nil
	}
	joinRows(next, rows, w)
	return &Level{Graph: next, Fixed: ProjectDown(l.Fixed, toCoarse, coarse), Label: ProjectDown(l.Label, toCoarse, coarse)}
}

// membersOf lists the vertices of coarse vertex c at members[start[c]:start[c+1]].
func membersOf(toCoarse []int32, coarse int) (start, members []int32) {
	start = make([]int32, coarse+1)
	for _, c := range toCoarse {
		start[c+1]++
	}
	for c := range coarse {
		start[c+1] += start[c]
	}
	members = make([]int32, len(toCoarse))
	fill := append([]int32(nil), start[:coarse]...)
	for v, c := range toCoarse {
		members[fill[c]] = int32(v)
		fill[c]++
	}
	return start, members
}

// coarseRows are the edges of consecutive coarse vertices.
type coarseRows struct {
	neighbours []int32
	weights    []int64
}

// rowBuilder adds up the edges of one coarse vertex after another.
type rowBuilder struct {
	coarseRows
	// place[d] is the position of d among neighbours, plus a base that is more
	// with every use, plus one: less than that of the row's begin if not in it.
	place []int64
	base  int64
}

// begin starts anew, with room for about as many edges.
func (b *rowBuilder) begin(edges int) {
	b.base += int64(len(b.neighbours))
	b.coarseRows = coarseRows{make([]int32, 0, edges), make([]int64, 0, edges)}
}

// row appends the edges of the coarse vertex with these members, and returns
// its weight.
func (b *rowBuilder) row(g *graph.Graph, members, toCoarse []int32) int64 {
	c := toCoarse[members[0]]
	begin := b.base + int64(len(b.neighbours))
	var weight int64
	for _, v := range members {
		weight += g.VertexWeights[v]
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			d := toCoarse[g.Neighbours[e]]
			if d == c {
				continue
			}
			if at := b.place[d]; at > begin {
				b.weights[at-1-b.base] += g.EdgeWeights[e]
				continue
			}
			b.neighbours = append(b.neighbours, d)
			b.weights = append(b.weights, g.EdgeWeights[e])
			b.place[d] = b.base + int64(len(b.neighbours))
		}
	}
	return weight
}

// joinRows makes the rows, ChunkLength vertices each, those of g, whose offsets
// count from the first of their chunk.
func joinRows(g *graph.Graph, rows []coarseRows, w *parallel.Workers) {
	if len(rows) == 1 {
		g.Neighbours, g.EdgeWeights = rows[0].neighbours, rows[0].weights
		return
	}
	first := make([]int, len(rows)+1)
	for i, r := range rows {
		first[i+1] = first[i] + len(r.neighbours)
	}
	edges := first[len(rows)]
	g.Neighbours, g.EdgeWeights = make([]int32, edges), make([]int64, edges)
	w.Ranges(g.Vertices(), func(begin, end int) {
		i := begin / parallel.ChunkLength
		copy(g.Neighbours[first[i]:], rows[i].neighbours)
		copy(g.EdgeWeights[first[i]:], rows[i].weights)
		for c := begin; c < end; c++ {
			g.Offsets[c+1] += int64(first[i])
		}
	})
}

// ProjectDown carries per-vertex numbers, equal within every coarse vertex, to
// the coarser level.
func ProjectDown(values, toCoarse []int32, coarse int) []int32 {
	if values == nil {
		return nil
	}
	result := make([]int32, coarse)
	for v, c := range toCoarse {
		result[c] = values[v]
	}
	return result
}

// ProjectUp carries a coarse partition to the finer level.
func ProjectUp(coarse, toCoarse []int32) []int32 {
	fine := make([]int32, len(toCoarse))
	for v, c := range toCoarse {
		fine[v] = coarse[c]
	}
	return fine
}
