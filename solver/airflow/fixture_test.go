package airflow

import (
	"carina/geometry"
	"carina/solver"
	"carina/solver/enginetest"

	"gonum.org/v1/gonum/spatial/r3"
)

func halfWay(int32, int32, int32, geometry.Offset) (float64, int) { return 0.5, 0 }

// channelOpenings are an inlet at the low and an outlet at the high end along
// an axis.
func channelOpenings(axis int, area float64) []geometry.Opening {
	var n r3.Vec
	*[]*float64{&n.X, &n.Y, &n.Z}[axis] = 1
	return []geometry.Opening{
		{Number: 1, Name: "inlet", Role: geometry.Inlet, Normal: r3.Scale(-1, n), Area: area},
		{Number: 2, Name: "outlet", Role: geometry.Outlet, Normal: n, Area: area},
	}
}

// scattered distributes blocks of the given side over ranks at random.
func scattered(g *geometry.Grid, side int32, ranks int, seed uint64, periodic [3]bool) *solver.Domain {
	return enginetest.Scattered(g, side, ranks, seed, periodic)
}

// must returns what a call returns that does not fail.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
