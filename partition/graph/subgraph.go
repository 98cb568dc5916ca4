package graph

// Subgraph returns the graph of some vertices, in their order, and of the edges
// between them; g must have all weights. inside tells which vertices they are,
// and number, with a place for each vertex of g, takes their new numbers.
func (g *Graph) Subgraph(vertices, number []int32, inside func(v int32) bool) *Graph {
	for i, v := range vertices {
		number[v] = int32(i)
	}
	sub := &Graph{Offsets: make([]int64, 1, len(vertices)+1), VertexWeights: make([]int64, len(vertices))}
	for i, v := range vertices {
		sub.VertexWeights[i] = g.VertexWeights[v]
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if u := g.Neighbours[e]; inside(u) {
				sub.Neighbours = append(sub.Neighbours, number[u])
				sub.EdgeWeights = append(sub.EdgeWeights, g.EdgeWeights[e])
			}
		}
		sub.Offsets = append(sub.Offsets, int64(len(sub.Neighbours)))
	}
	return sub
}
