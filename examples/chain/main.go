// Command chain takes a surface all the way to the flow of air in it: cells, a
// partition file, the flow on four ranks, and a file for ParaView. It reads
// airway.stl in this folder; carina generate airway -o airway.stl makes one.
package main

import (
	"context"
	"log"

	"carina"
	"carina/geometry"
	"carina/output/vtk"
)

func main() {
	surface := must(geometry.ReadSurface("airway.stl", geometry.Millimetre))
	var c carina.Case
	c.Spacing, c.Flow, c.Inlet, c.Ranks = "0.7mm", "1L/min", 1, 4
	grid := must(c.Grid(surface))
	partition := must(c.Partition(grid)) // or balance.Make with a Balancer of your own
	check(partition.WriteFile("chain.part.json"))
	flow := must(carina.Open(grid, partition, c))
	defer flow.Close()
	check(flow.Run(context.Background()))
	check(vtk.WriteFile("chain.vtu", grid, must(flow.Fields())))
	log.Println(flow.Summary())
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
