package partition

import "carina/partition/graph"

// What a partitioning takes besides the graph, for every vertex and every
// neighbour of one. Measured on graphs of up to half a million vertices with 2 to
// 26 neighbours on two cores, rounded up.
const (
	bytesPerVertex, bytesPerNeighbour         = 250, 50
	fastBytesPerVertex, fastBytesPerNeighbour = 120, 30
)

// MemoryEstimate is about how many bytes Partition takes besides the graph.
func MemoryEstimate(g *graph.Graph, preset Preset) int64 {
	vertices, neighbours := int64(g.Vertices()), int64(len(g.Neighbours))
	if preset == Fast {
		return vertices*fastBytesPerVertex + neighbours*fastBytesPerNeighbour
	}
	return vertices*bytesPerVertex + neighbours*bytesPerNeighbour
}
