package tiling

import "carina/geometry"

// CellAt returns the tile of a cell, wrapped where periodic, and its number
// there; the tile is −1 where the cell is not fluid.
func (s *Set) CellAt(c [3]int32) (tile int32, cell int) {
	for a := range c {
		n := s.size[a] * Side
		if s.periodic[a] {
			c[a] = (c[a] + n) % n
		} else if c[a] < 0 || c[a] >= n {
			return -1, 0
		}
	}
	tile = s.Find(c[0]/Side, c[1]/Side, c[2]/Side)
	cell = CellBit(c[0], c[1], c[2])
	if tile < 0 || s.Fluid[tile]>>cell&1 == 0 {
		return -1, 0
	}
	return tile, cell
}

// Behind returns the cells behind a cell's link in a direction.
func (s *Set) Behind(tile int32, cell, d int) (second, third [3]int32) {
	p, o := s.Position[tile], geometry.Directions[d]
	at := [3]int32{p[0]*Side + int32(cell>>4), p[1]*Side + int32(cell>>2&3), p[2]*Side + int32(cell&3)}
	for a, c := range [3]int8{o.X, o.Y, o.Z} {
		second[a], third[a] = at[a]-int32(c), at[a]-2*int32(c)
	}
	return second, third
}

// Wrapped is a cell within the box where periodic.
func (s *Set) Wrapped(c [3]int32) [3]int32 {
	for a := range c {
		if n := s.size[a] * Side; s.periodic[a] {
			c[a] = (c[a] + n) % n
		}
	}
	return c
}
