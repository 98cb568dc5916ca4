package tiling

import "carina/geometry"

// Location is where a value of the image lies in memory: its group, from where it
// is touched, and how far behind the beginning of a tile in the first copy.
type Location struct {
	Group int
	At    int64
}

// Locations lists where all values of the image lie.
func (l Layout) Locations() []Location {
	list := make([]Location, (l.Directions+1)*Cells)
	value := int64(l.ValueBytes())
	for k, chunk := range l.ChunkSlots() {
		of := Location{l.Directions, (int64(l.interior()) + int64(k-FaceGroups*faceChunks)*ChunkValues) * value}
		switch edges := Chunks - (StraightDirections - FaceGroups); {
		case k < FaceGroups*faceChunks:
			of.Group = k / faceChunks
			of.At = l.GroupOffset(of.Group, 0) + int64(k%faceChunks)*ChunkValues*value
		case k >= edges:
			of.Group = FaceGroups + k - edges
			of.At = l.GroupOffset(of.Group, 0)
		}
		for i := range ChunkValues {
			list[int(chunk)*ChunkValues+i] = Location{of.Group, of.At + int64(i)*value}
		}
	}
	for _, s := range l.Singles() {
		if s.slot() != noSlot {
			list[s.slot()] = Location{s.group(), int64(s.at()) * value}
		}
	}
	return list
}

// ImageSlot is where the image holds a population, by direction or behind all that
// at rest, of a cell; position in kernels/tile.h.
func (l Layout) ImageSlot(x, y, z int32, population int) int {
	a, b, c := int(x%Side), int(y%Side), int(z%Side)
	along := l.imageChunk(population * Cells / ChunkValues).cell
	slow, middle, fast := unpermuted(a), b, c
	if population < StraightDirections {
		switch {
		case along[2] == -1:
		case along[0] == -1:
			slow, middle, fast = c, b, unpermuted(a)
		default:
			slow, middle, fast = unpermuted(a), c, b
		}
	}
	return population*Cells + slow*16 + middle*4 + fast
}

// CellOf is the number in the tile of the cell that a slot of the image belongs to.
func (l Layout) CellOf(slot int) int {
	population, a, b, c := slot/Cells, slot/16%4, slot/4%4, slot%4
	along := l.imageChunk(population * Cells / ChunkValues).cell
	switch {
	case population >= StraightDirections || along[2] == -1:
		return unpermuted(a)*16 + b*4 + c
	case along[0] == -1:
		return unpermuted(c)*16 + b*4 + a
	default:
		return unpermuted(a)*16 + c*4 + b
	}
}

// Shifts tells how slots of the image move with their population, from one cell to the
// next in its direction, coordinates wrapped around: for every direction the lowest bits
// of the coordinates that change, those of them that fall, and the highest bits that
// lie to the left and to the right of the lowest, eight bits each. Ends in
// kernels/tile.h uses them. There is one for every lane of a warp.
func (l Layout) Shifts() []uint32 {
	shifts := make([]uint32, Lanes)
	for d, o := range geometry.Directions[:l.Directions] {
		origin := l.ImageSlot(0, 0, 0, d)
		for a, component := range [3]int8{o.X, o.Y, o.Z} {
			if component == 0 {
				continue
			}
			var one, two [3]int32
			one[a], two[a] = 1, 2
			lowest := uint32(l.ImageSlot(one[0], one[1], one[2], d) - origin)
			highest := uint32(l.ImageSlot(two[0], two[1], two[2], d) - origin)
			shifts[d] |= lowest
			if component < 0 {
				shifts[d] |= lowest << 8
			}
			if highest > lowest {
				shifts[d] |= highest << 16
			} else {
				shifts[d] |= highest << 24
			}
		}
	}
	return shifts
}
