package partition

// Graph is an undirected graph with vertex and edge weights, in compressed
// adjacency rows. Every edge is stored in both directions with equal weight;
// self loops and parallel edges are not allowed.
type Graph struct {
	// Offsets has one entry per vertex and one more: the neighbours of v are
	// Neighbours[Offsets[v]:Offsets[v+1]].
	Offsets []int64
	// Neighbours are vertex numbers from 0.
	Neighbours []int32
	// VertexWeights has one weight ≥ 0 per vertex; nil means all one.
	VertexWeights []int64
	// EdgeWeights has one weight > 0 per entry of Neighbours; nil means all
	// one.
	EdgeWeights []int64
}
