package cuda

import "carina/geometry"

// Sizes of a tile; kernels/tile.h and kernels/pipeline.h have the same.
const (
	tileSide   = 4
	tileCells  = tileSide * tileSide * tileSide
	directions = 18
	// chunkValues populations move together; a tile has tileChunks of them.
	chunkValues = 4
	tileChunks  = 19 * tileCells / chunkValues
	faceChunks  = 16 // that one face neighbour touches
)

// tileBytes is the memory of a tile: its chunks, the twelve edges a second
// time, rounded up to whole cache lines.
func tileBytes(bitsPerValue int) int64 {
	const edges, line = 12, 128
	n := int64(tileChunks+edges) * chunkValues * int64(bitsPerValue) / 8
	return (n + line - 1) / line * line
}

// chunkRow is a chunk of the image: population and the coordinates of its
// cells that are the same for all four; the third coordinate is −1.
type chunkRow struct {
	population int
	cell       [3]int
}

// imageChunk returns what chunk k of the image holds; position in
// kernels/tile.h is its inverse.
func imageChunk(k int) chunkRow {
	q, slow, middle := k/16, k/4%4, k%4
	unpermuted := func(x int) int { return x>>1 | x&1<<1 }
	switch {
	case q == directions || geometry.Directions[q].Z == 0:
		return chunkRow{q, [3]int{unpermuted(slow), middle, -1}}
	case geometry.Directions[q].Y != 0:
		return chunkRow{q, [3]int{-1, middle, slow}}
	default:
		return chunkRow{q, [3]int{unpermuted(slow), -1, middle}}
	}
}

// toucher is the direction of the neighbour whose odd steps touch a chunk,
// seen from that neighbour: the one in which it finds this tile. It is
// directions where no other tile does.
func (c chunkRow) toucher() int {
	if c.population == directions {
		return directions
	}
	d := geometry.Directions[c.population]
	var leaves geometry.Offset
	for _, axis := range []struct {
		step  int8
		at    int
		leave *int8
	}{{d.X, c.cell[0], &leaves.X}, {d.Y, c.cell[1], &leaves.Y}, {d.Z, c.cell[2], &leaves.Z}} {
		if axis.step > 0 && axis.at == 0 || axis.step < 0 && axis.at == tileSide-1 {
			*axis.leave = axis.step
		}
	}
	for i, o := range geometry.Directions[:directions] {
		if o == leaves {
			return i
		}
	}
	return directions
}

// chunkPlaces returns, for every chunk in the order of memory, its place in
// the image: the faces in the order of directions, the interior, the edges.
func chunkPlaces() []uint16 {
	groups := make([][]uint16, directions+1)
	for k := range tileChunks {
		t := imageChunk(k).toucher()
		groups[t] = append(groups[t], uint16(k))
	}
	const faces = 6
	var places []uint16
	for _, g := range groups[:faces] {
		places = append(places, g...)
	}
	places = append(places, groups[directions]...)
	for _, g := range groups[faces:directions] {
		places = append(places, g...)
	}
	return places
}
