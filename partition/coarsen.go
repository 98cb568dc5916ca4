package partition

// level is one graph of a multilevel hierarchy.
type level struct {
	g *Graph
	// fixed is nil or holds the part of each fixed vertex and -1 elsewhere.
	fixed []int32
	// label is nil or holds a number per vertex; only vertices with equal
	// labels may be merged, so that partitions given by labels survive.
	label []int32
	// toCoarse maps the vertices to the next coarser level's.
	toCoarse []int32
}

// mayMerge tells whether u and v may become one vertex: a fixed vertex only
// with others fixed to the same part.
func (l *level) mayMerge(u, v int32) bool {
	if l.label != nil && l.label[u] != l.label[v] {
		return false
	}
	return l.fixed == nil || l.fixed[u] == l.fixed[v]
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

// contract merges the vertices of l with equal toCoarse into one, adds up
// vertex weights and parallel edges and drops self loops. It returns nil if
// stopped.
func contract(l *level, toCoarse []int32, coarse int, stop func() bool) *level {
	g := l.g
	n := g.Vertices()
	start := make([]int32, coarse+1)
	for _, c := range toCoarse {
		start[c+1]++
	}
	for c := 0; c < coarse; c++ {
		start[c+1] += start[c]
	}
	members := make([]int32, n)
	fill := append([]int32(nil), start[:coarse]...)
	for v, c := range toCoarse {
		members[fill[c]] = int32(v)
		fill[c]++
	}
	next := &Graph{Offsets: make([]int64, coarse+1), VertexWeights: make([]int64, coarse)}
	neighbours := make([]int32, 0, len(g.Neighbours)*3/4)
	weights := make([]int64, 0, len(g.Neighbours)*3/4)
	// place[c] is one more than the position of c in the row being built.
	place := make([]int64, coarse)
	for c := 0; c < coarse; c++ {
		if c%lookout == 0 && stop() {
			return nil
		}
		begin := int64(len(neighbours))
		for _, v := range members[start[c]:start[c+1]] {
			next.VertexWeights[c] += g.VertexWeights[v]
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				d := toCoarse[g.Neighbours[e]]
				if int(d) == c {
					continue
				}
				if at := place[d]; at > begin {
					weights[at-1] += g.EdgeWeights[e]
					continue
				}
				neighbours = append(neighbours, d)
				weights = append(weights, g.EdgeWeights[e])
				place[d] = int64(len(neighbours))
			}
		}
		next.Offsets[c+1] = int64(len(neighbours))
	}
	next.Neighbours, next.EdgeWeights = neighbours, weights
	return &level{g: next, fixed: projectDown(l.fixed, toCoarse, coarse), label: projectDown(l.label, toCoarse, coarse)}
}

// projectDown carries per-vertex numbers, equal within every coarse vertex, to
// the coarser level.
func projectDown(values, toCoarse []int32, coarse int) []int32 {
	if values == nil {
		return nil
	}
	result := make([]int32, coarse)
	for v, c := range toCoarse {
		result[c] = values[v]
	}
	return result
}

// projectUp carries a coarse partition to the finer level.
func projectUp(coarse, toCoarse []int32) []int32 {
	fine := make([]int32, len(toCoarse))
	for v, c := range toCoarse {
		fine[v] = coarse[c]
	}
	return fine
}
