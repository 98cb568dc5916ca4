package main

import (
	"slices"

	"carina/partition/graph"

	gonum "gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// join adds the edge between two vertices, unless they are one.
func join(g *simple.UndirectedGraph, u, v int) {
	if u != v {
		g.SetEdge(simple.Edge{F: simple.Node(u), T: simple.Node(v)})
	}
}

// largestPiece is the graph of the most vertices of g that hang together, in
// the order of their numbers.
func largestPiece(g *simple.UndirectedGraph) *graph.Graph {
	piece := numbers(slices.MaxFunc(topo.ConnectedComponents(g), func(a, b []gonum.Node) int { return len(a) - len(b) }))
	result := &graph.Graph{Offsets: []int64{0}}
	for _, v := range piece {
		for _, u := range numbers(gonum.NodesOf(g.From(v))) {
			number, _ := slices.BinarySearch(piece, u)
			result.Neighbours = append(result.Neighbours, int32(number))
		}
		result.Offsets = append(result.Offsets, int64(len(result.Neighbours)))
	}
	return result
}

// numbers are those of the vertices in ascending order: maps hand them out in
// any.
func numbers(nodes []gonum.Node) []int64 {
	result := make([]int64, len(nodes))
	for i, n := range nodes {
		result[i] = n.ID()
	}
	slices.Sort(result)
	return result
}
