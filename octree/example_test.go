package octree_test

import (
	"context"
	"fmt"

	"carina/geometry/generate"
	"carina/octree"
)

func ExampleDecompose() {
	// One full corner of 4×4×4 cells in a box of 8×8×8, and a single cell in
	// the opposite corner.
	grid := generate.Grid([3]int32{8, 8, 8}, func(x, y, z int32) bool {
		return x < 4 && y < 4 && z < 4 || x == 7 && y == 7 && z == 7
	})
	leaves, err := octree.Decompose(context.Background(), grid, octree.Options{MinSide: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(leaves)
	// Output: [[0,4)×[0,4)×[0,4) [6,8)×[6,8)×[6,8)]
}
