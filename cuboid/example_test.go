package cuboid_test

import (
	"fmt"

	"carina/cuboid"
	"carina/geometry/generate"
)

func ExampleLabel() {
	grid := generate.FullGrid([3]int32{8, 4, 4})
	cuboids, err := cuboid.Regular(cuboid.Box(grid), 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	segments, err := cuboid.Label(grid, cuboids)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cuboids)
	fmt.Println(cuboid.Count(grid, cuboids, segments)[0].Fluid, "fluid cells in the first")
	// Sixteen faces with five populations each, less those at the edges that
	// would lead out of the box.
	fmt.Println(cuboid.Crossings(segments, 18))
	// Output:
	// [[0,4)×[0,4)×[0,4) [4,8)×[0,4)×[0,4)]
	// 64 fluid cells in the first
	// [{0 1 64}]
}
