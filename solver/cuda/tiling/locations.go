package tiling

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
