package partition

import (
	"carina/partition/graph"
)

// anchored returns g with one more vertex per part, of weight zero, fixed to
// the part and tied to every vertex that was there before by an edge of the
// vertex's migration cost: what moves away cuts that edge, so every method
// for cuts also weighs migration. The last len(limit) vertices are the
// anchors.
func anchored(g *graph.Graph, fixed, previous []int32, costs []int64, k int) (*graph.Graph, []int32) {
	n := g.Vertices()
	tied := func(v int) bool { return previous[v] >= 0 && costs[v] > 0 }
	a := &graph.Graph{Offsets: make([]int64, 1, n+k+1)}
	a.VertexWeights = append(append([]int64(nil), g.VertexWeights...), make([]int64, k)...)
	members := make([][]int32, k)
	for v := range n {
		begin, end := g.Offsets[v], g.Offsets[v+1]
		a.Neighbours = append(a.Neighbours, g.Neighbours[begin:end]...)
		a.EdgeWeights = append(a.EdgeWeights, g.EdgeWeights[begin:end]...)
		if tied(v) {
			p := previous[v]
			a.Neighbours = append(a.Neighbours, int32(n)+p)
			a.EdgeWeights = append(a.EdgeWeights, costs[v])
			members[p] = append(members[p], int32(v))
		}
		a.Offsets = append(a.Offsets, int64(len(a.Neighbours)))
	}
	anchors := make([]int32, n+k)
	for v := range n {
		anchors[v] = -1
		if fixed != nil {
			anchors[v] = fixed[v]
		}
	}
	for p := range k {
		anchors[n+p] = int32(p)
		for _, v := range members[p] {
			a.Neighbours = append(a.Neighbours, v)
			a.EdgeWeights = append(a.EdgeWeights, costs[v])
		}
		a.Offsets = append(a.Offsets, int64(len(a.Neighbours)))
	}
	return a, anchors
}
