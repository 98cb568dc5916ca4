package main

import (
	"slices"

	"carina/partition"
)

// edges collects the edges of a simple graph.
type edges struct {
	rows [][]int32
	seen map[[2]int32]struct{}
}

func newEdges(vertices int) *edges {
	return &edges{rows: make([][]int32, vertices), seen: map[[2]int32]struct{}{}}
}

// add joins two vertices and returns whether they differ and were apart.
func (e *edges) add(u, v int32) bool {
	key := [2]int32{min(u, v), max(u, v)}
	if _, known := e.seen[key]; known || u == v {
		return false
	}
	e.seen[key] = struct{}{}
	e.rows[u] = append(e.rows[u], v)
	e.rows[v] = append(e.rows[v], u)
	return true
}

func (e *edges) graph() *partition.Graph {
	g := &partition.Graph{Offsets: []int64{0}}
	for _, row := range e.rows {
		slices.Sort(row)
		g.Neighbours = append(g.Neighbours, row...)
		g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
	}
	return g
}

// largestPiece is the graph of the largest set of vertices that hang together,
// in their order.
func (e *edges) largestPiece() *partition.Graph {
	piece := make([]int32, len(e.rows)) // from 1; 0 is not reached yet
	var largest, most int
	for v := range piece {
		if piece[v] != 0 {
			continue
		}
		number := int32(v + 1)
		piece[v] = number
		reached := []int32{int32(v)}
		for i := 0; i < len(reached); i++ {
			for _, u := range e.rows[reached[i]] {
				if piece[u] == 0 {
					piece[u] = number
					reached = append(reached, u)
				}
			}
		}
		if len(reached) > most {
			largest, most = v+1, len(reached)
		}
	}
	return e.subgraph(func(v int) bool { return piece[v] == int32(largest) }).graph()
}

func (e *edges) subgraph(holds func(v int) bool) *edges {
	number := make([]int32, len(e.rows))
	kept := 0
	for v := range e.rows {
		if holds(v) {
			number[v] = int32(kept)
			kept++
		}
	}
	sub := newEdges(kept)
	for v, row := range e.rows {
		for _, u := range row {
			if holds(v) && int(u) > v && holds(int(u)) {
				sub.add(number[v], number[u])
			}
		}
	}
	return sub
}
