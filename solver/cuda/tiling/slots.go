package tiling

import "carina/geometry"

// unpermuted is the coordinate x of a slot in the image, or the slot of a
// coordinate: the two in the middle change places.
func unpermuted(x int) int { return x>>1 | x&1<<1 }

// chunkRow is a chunk of the image: population and the coordinates of its
// cells that are the same for all four; the third coordinate is −1.
type chunkRow struct {
	population int
	cell       [3]int
}

// imageChunk returns what chunk k of the image holds; position in
// kernels/tile.h is its inverse.
func (l Layout) imageChunk(k int) chunkRow {
	q, slow, middle := k/16, k/4%4, k%4
	switch {
	case q == l.Directions || geometry.Directions[q].Z == 0:
		return chunkRow{q, [3]int{unpermuted(slow), middle, -1}}
	case geometry.Directions[q].Y != 0:
		return chunkRow{q, [3]int{-1, middle, slow}}
	default:
		return chunkRow{q, [3]int{unpermuted(slow), -1, middle}}
	}
}

// ChunkSlots returns, for every chunk in the order of memory, its slot in
// the image: the faces in the order of directions, the interior, the edges.
func (l Layout) ChunkSlots() []uint16 {
	var inside []uint16
	groups := make([][]uint16, StraightDirections)
	for k := range Chunks {
		if k >= StraightDirections*Cells/ChunkValues { // at rest, behind the corners
			k += l.Corners() * Cells / ChunkValues
		}
		c := l.imageChunk(k)
		if t := l.toucher(c.population, c.cell); t < StraightDirections {
			groups[t] = append(groups[t], uint16(k))
		} else {
			inside = append(inside, uint16(k))
		}
	}
	var slots []uint16
	for _, g := range groups[:FaceGroups] {
		slots = append(slots, g...)
	}
	slots = append(slots, inside...)
	for _, g := range groups[FaceGroups:] {
		slots = append(slots, g...)
	}
	return slots
}

// Single says where one value of a corner population lies: its slot in the
// image, its group, and its slot in the first copy of a tile, in values. As
// the kernels have it, in 11, 5 and 16 bits.
type Single uint32

const (
	// noSlot is that of padding, which is written but not read.
	noSlot, groupMask = 1<<11 - 1, 1<<5 - 1
	// Lanes of a warp move a single each.
	Lanes = 32
)

func newSingle(slot, group, at int) Single { return Single(slot | group<<11 | at<<16) }

func (s Single) slot() int  { return int(s & noSlot) }
func (s Single) group() int { return int(s >> 11 & groupMask) }
func (s Single) at() int    { return int(s >> 16) }

// Singles lists the values of the corner populations in rounds of a warp:
// those at faces, edges and corners, then the others, each in the order of
// memory. Edges come with their padding, so that sectors are written whole;
// sectors of faces have been read by the tile that writes them.
func (l Layout) Singles() []Single {
	if l.Corners() == 0 {
		return nil
	}
	groups := make([][]int, l.Directions+1) // slots in the image
	for q := StraightDirections; q < l.Directions; q++ {
		for cell := range Cells {
			x, y, z := cell>>4, cell>>2&3, cell&3
			group := l.toucher(q, [3]int{x, y, z})
			groups[group] = append(groups[group], q*Cells+unpermuted(x)*16+y*4+z)
		}
	}
	var list []Single
	add := func(group, from, values int) {
		for i := range values {
			slot := noSlot
			if i < len(groups[group]) {
				slot = groups[group][i]
			}
			list = append(list, newSingle(slot, group, from+i))
		}
	}
	for group := range l.Directions {
		before, values := 0, 1 // chunks of the group, and what follows them
		switch {
		case group < FaceGroups:
			before, values = faceChunks*ChunkValues, len(groups[group])
		case group < StraightDirections:
			before, values = ChunkValues, l.edgeValues()-ChunkValues
		}
		add(group, int(l.GroupOffset(group, 0))/l.ValueBytes()+before, values)
	}
	inside := len(groups[l.Directions])
	add(l.Directions, l.edges()-inside, (inside+Lanes-1)/Lanes*Lanes)
	return list
}
