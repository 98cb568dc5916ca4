// Command feed prepares another solver's input from a partition file and its grid:
// for every rank the rows of cells that it computes, and the ranks that it
// exchanges with, cell by cell.
package main

import (
	"fmt"
	"log"
	"maps"
	"os"
	"slices"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: feed FILE.part.json FILE.grid")
	}
	partition, err := balance.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	grid, err := geometry.ReadGrid(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	segments, err := partition.Segments(grid) // rows of cells, each in a cuboid
	if err != nil {
		log.Fatal(err)
	}
	rows := make([][]geometry.Run, len(partition.Ranks))
	for _, s := range segments {
		owner := partition.Owners[s.Cuboid]
		rows[owner] = append(rows[owner], s.Run)
	}
	// What crosses between two cuboids crosses between the ranks that own them.
	crossing := map[[2]int32]int64{}
	for _, c := range cuboid.Crossings(segments, partition.Cost.Directions) {
		a, b := partition.Owners[c.A], partition.Owners[c.B]
		if a != b {
			crossing[[2]int32{min(a, b), max(a, b)}] += partition.Cost.Bytes(c)
		}
	}
	for rank, runs := range rows {
		var cells int32
		for _, r := range runs {
			cells += r.X1 - r.X0 // cells X0 ≤ x < X1 of row (Y, Z)
		}
		fmt.Printf("rank %d: %d cells in %d rows\n", rank, cells, len(runs))
	}
	pairs := slices.SortedFunc(maps.Keys(crossing), func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	for _, pair := range pairs {
		fmt.Printf("ranks %d and %d: %d bytes a step\n", pair[0], pair[1], crossing[pair])
	}
}
