// Command graph partitions a graph that has nothing to do with flows: a square
// mesh, or a METIS file that it is given.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"carina/partition"
	"carina/partition/graph"
	"carina/partition/metis"
)

func main() {
	g := mesh(60)
	if len(os.Args) > 1 {
		file, err := os.Open(os.Args[1])
		if err != nil {
			log.Fatal(err)
		}
		defer file.Close()
		if g, err = metis.Read(file); err != nil {
			log.Fatal(err)
		}
	}
	for _, preset := range []partition.Preset{partition.Fast, partition.Eco, partition.Strong} {
		result, err := partition.Partition(context.Background(), g, partition.Options{
			Parts: 4, Imbalance: partition.DefaultImbalance, Preset: preset,
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-6v cut %d, weights %v, feasible %v\n", preset, result.Cut, result.PartWeights, result.Feasible)
	}
}

// mesh is a square of vertices, each joined to those beside it.
func mesh(side int32) *graph.Graph {
	g := &graph.Graph{Offsets: []int64{0}}
	for v := range side * side {
		x, y := v%side, v/side
		for _, step := range [][2]int32{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			if i, j := x+step[0], y+step[1]; i >= 0 && i < side && j >= 0 && j < side {
				g.Neighbours = append(g.Neighbours, j*side+i)
			}
		}
		g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
	}
	return g
}
