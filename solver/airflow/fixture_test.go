package airflow

import (
	"carina/geometry"
	"carina/solver"
	"carina/solver/enginetest"

	"gonum.org/v1/gonum/spatial/r3"
)

// fluidTest says whether a cell is fluid.
type fluidTest func(x, y, z int32) bool

// wallTest returns the fraction of the link from a fluid cell to its
// neighbour in direction d that lies in the fluid, and the number of the
// opening it meets, 0 for the wall.
type wallTest func(x, y, z int32, d geometry.Offset) (fraction float64, opening int)

func halfWay(int32, int32, int32, geometry.Offset) (float64, int) { return 0.5, 0 }

// makeGrid builds a grid without a surface.
func makeGrid(size [3]int32, spacing float64, periodic [3]bool, fluid fluidTest, wall wallTest, openings []geometry.Opening) *geometry.Grid {
	g := &geometry.Grid{Spacing: spacing, Size: size, Openings: openings}
	g.Links.Directions = 26
	inside := func(c [3]int32) bool {
		for a := range 3 {
			if periodic[a] {
				c[a] = (c[a] + size[a]) % size[a]
			} else if c[a] < 0 || c[a] >= size[a] {
				return false
			}
		}
		return fluid(c[0], c[1], c[2])
	}
	var number int64
	l := &g.Links
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				if !fluid(x, y, z) {
					continue
				}
				if n := len(g.Runs); n > 0 && g.Runs[n-1] == (geometry.Run{X0: g.Runs[n-1].X0, X1: x, Y: y, Z: z}) {
					g.Runs[n-1].X1++
				} else {
					g.Runs = append(g.Runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
				}
				var mask uint32
				first := int64(len(l.Distance))
				for d, c := range geometry.Directions {
					if inside([3]int32{x + int32(c.X), y + int32(c.Y), z + int32(c.Z)}) {
						continue
					}
					mask |= 1 << d
					fraction, opening := wall(x, y, z, c)
					if opening > 0 {
						l.Openings = append(l.Openings, geometry.OpeningLink{Link: int64(len(l.Distance)), Number: uint16(opening)})
					}
					l.Distance = append(l.Distance, uint16(fraction*65536-1+0.5))
				}
				if mask != 0 {
					l.Cells, l.Mask, l.First = append(l.Cells, number), append(l.Mask, mask), append(l.First, first)
				}
				number++
			}
		}
	}
	l.First = append(l.First, int64(len(l.Distance)))
	return g
}

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
