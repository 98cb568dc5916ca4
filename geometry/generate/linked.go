package generate

import "carina/geometry"

// LinkedGrid returns a voxel grid without a surface, with links in all 26 directions:
// wall tells at which fraction of its length the link from a fluid cell to its
// neighbour in direction d leaves the fluid, and the number of the opening that it ends
// at, 0 for the wall. No link crosses a periodic end to a fluid cell.
func LinkedGrid(size [3]int32, spacing float64, periodic [3]bool, fluid func(x, y, z int32) bool,
	wall func(x, y, z int32, d geometry.Offset) (fraction float64, opening int), openings []geometry.Opening) *geometry.Grid {
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
					l.Append(number, mask)
				}
				number++
			}
		}
	}
	return g
}
