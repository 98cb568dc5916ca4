package balance_test

import (
	"context"
	"fmt"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry/generate"
)

func ExampleMake() {
	grid := generate.FullGrid([3]int32{64, 64, 64})
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: 8, Balance: "rcb"})
	if err != nil {
		fmt.Println(err)
		return
	}
	segments, err := p.Segments(grid)
	if err != nil {
		fmt.Println(err)
		return
	}
	own := func(s cuboid.Segment) bool { return p.Owners[s.Cuboid] == 3 }
	cells := 0
	for _, s := range segments {
		if own(s) {
			cells += int(s.X1 - s.X0)
		}
	}
	fmt.Println(len(p.Cuboids), "cuboids; rank 3 computes", cells, "cells")
	// Output: 512 cuboids; rank 3 computes 32768 cells
}
