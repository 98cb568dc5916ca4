package partition_test

import (
	"context"
	"fmt"

	"carina/partition"
	"carina/partition/graph"
)

// Eight vertices in a ring, cut into two arcs of four.
func ExamplePartition() {
	ring := &graph.Graph{Offsets: []int64{0}}
	for v := range int32(8) {
		ring.Neighbours = append(ring.Neighbours, (v+7)%8, (v+1)%8)
		ring.Offsets = append(ring.Offsets, int64(len(ring.Neighbours)))
	}
	result, err := partition.Partition(context.Background(), ring, partition.Options{
		Parts:     2,
		Imbalance: partition.DefaultImbalance,
		Preset:    partition.Strong,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("cut", result.Cut, "weights", result.PartWeights, "feasible", result.Feasible)
	// Output: cut 2 weights [4 4] feasible true
}

// A path of four vertices on a machine twice as fast on its second part.
func ExamplePartition_targets() {
	path := &graph.Graph{Offsets: []int64{0, 1, 3, 5, 6}, Neighbours: []int32{1, 0, 2, 1, 3, 2}, VertexWeights: []int64{3, 1, 2, 3}}
	result, err := partition.Partition(context.Background(), path, partition.Options{Parts: 2, Targets: []float64{1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("cut", result.Cut, "weights", result.PartWeights, "limits", result.Limits)
	// Output: cut 1 weights [3 6] limits [3 6]
}

// Two hosts of two devices each: distance 10 between hosts, 1 within.
func ExampleHierarchy() {
	distances, err := partition.Hierarchy([]int{2, 2}, []int64{10, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(distances)
	// Output: [[0 1 10 10] [1 0 10 10] [10 10 0 1] [10 10 1 0]]
}

// A ring of eight on two hosts of two devices: two of the four cuts run between
// the hosts, ten times as far as those within.
func ExamplePartition_mapping() {
	ring := &graph.Graph{Offsets: []int64{0}}
	for v := range int32(8) {
		ring.Neighbours = append(ring.Neighbours, (v+7)%8, (v+1)%8)
		ring.Offsets = append(ring.Offsets, int64(len(ring.Neighbours)))
	}
	distances, err := partition.Hierarchy([]int{2, 2}, []int64{10, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := partition.Partition(context.Background(), ring, partition.Options{
		Parts:      4,
		Objective:  partition.MappingCost,
		Distances:  distances,
		Contiguous: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("mapping cost", result.MappingCost, "disconnected parts", result.DisconnectedParts)
	// Output: mapping cost 22 disconnected parts 0
}
