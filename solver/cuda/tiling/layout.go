package tiling

import (
	"fmt"
	"strings"

	"carina/geometry"
)

// Sizes of a tile.
const (
	// Side is its cells along an axis, Cells all of them.
	Side  = 4
	Cells = Side * Side * Side
	// ChunkValues populations move together where they can; Chunks are the
	// chunks of the populations at rest and along faces and edges.
	ChunkValues = 4
	Chunks      = 19 * Cells / ChunkValues
	// StraightDirections are the directions of chunks: FaceGroups of faces and twelve
	// of edges. What moves along the eight of corners moves value by value.
	StraightDirections = 18
	FaceGroups         = 6
	// MostDirections is the number of directions of the largest velocity set.
	MostDirections = 26
)

// Layout is where tiles keep their populations: groups of values by the
// neighbour that touches them in odd steps, six faces first, then what only the
// tile itself touches, then edges and corners in two copies (NOTES.md).
type Layout struct {
	Bits       int // of a stored population
	Directions int // of the velocities: 18, or 26 with corners
}

// Corners is how many directions move along all three axes.
func (l Layout) Corners() int { return l.Directions - StraightDirections }

// ValueBytes is the size of a stored population.
func (l Layout) ValueBytes() int { return l.Bits / 8 }

// faceValues is the room for what one face neighbour touches: 16 chunks, nine
// values of each of four corner populations, rounded up to whole sectors.
func (l Layout) faceValues() int {
	const chunks, ofCorners, sector = Cells, 4 * 9, 32
	if l.Corners() == 0 {
		return chunks
	}
	n := (chunks + ofCorners) * l.ValueBytes()
	return (n + sector - 1) / sector * sector / l.ValueBytes()
}

// edgeValues is the room for what one edge neighbour touches: a chunk, three
// values of each of two corner populations, rounded up to whole chunks.
func (l Layout) edgeValues() int {
	if l.Corners() == 0 {
		return ChunkValues
	}
	return 3 * ChunkValues
}

// The sizes and beginnings of the parts of a tile, in values: what only the
// tile itself touches begins at interior, edges and then corners at edges and
// a second time copyValues farther.
func (l Layout) interior() int { return FaceGroups * l.faceValues() }
func (l Layout) edges() int {
	const ofChunks, ofCorner = (Chunks - 6*faceChunks - 12) * ChunkValues, 27
	return l.interior() + ofChunks + l.Corners()*ofCorner
}

// CopyValues is how far the second copy of edges and corners lies behind the first,
// in values.
func (l Layout) CopyValues() int {
	return (StraightDirections-FaceGroups)*l.edgeValues() + l.Corners()
}

// faceChunks are touched by one face neighbour.
const faceChunks = 16

// TileBytes is the memory of a tile, in whole cache lines.
func (l Layout) TileBytes() int64 {
	const line = 128
	n := int64(l.edges()+2*l.CopyValues()) * int64(l.ValueBytes())
	return (n + line - 1) / line * line
}

// ImageBytes is a tile in shared memory.
func (l Layout) ImageBytes() int { return (l.Directions + 1) * Cells * l.ValueBytes() }

// groupBytes is the size of a group.
func (l Layout) groupBytes(group int) int64 {
	values := 1
	switch {
	case group < FaceGroups:
		values = l.faceValues()
	case group < StraightDirections:
		values = l.edgeValues()
	}
	return int64(values * l.ValueBytes())
}

// ChunksOf is a face or an edge in chunks.
func (l Layout) ChunksOf(group int) int {
	return int(l.groupBytes(group)) / (ChunkValues * l.ValueBytes())
}

// GroupOffset is where in a tile a step leaves a group, in bytes: a face, or an edge
// or a corner in the copy of even or of odd steps.
func (l Layout) GroupOffset(group, odd int) int64 {
	at := l.edges() + odd*l.CopyValues()
	switch {
	case group < FaceGroups:
		at = group * l.faceValues()
	case group < StraightDirections:
		at += (group - FaceGroups) * l.edgeValues()
	default:
		at += (StraightDirections-FaceGroups)*l.edgeValues() + group - StraightDirections
	}
	return int64(at * l.ValueBytes())
}

// Constants are the sizes and directions as the kernels have them, in bytes.
func (l Layout) Constants() string {
	var b strings.Builder
	value := l.ValueBytes()
	for _, c := range []struct {
		name  string
		value int
	}{
		{"BITS", l.Bits}, {"DIRECTIONS", l.Directions}, {"TILE", int(l.TileBytes())}, {"IMAGE", l.ImageBytes()},
		{"FACE", l.faceValues() * value}, {"INTERIOR", l.interior() * value}, {"EDGES", l.edges() * value},
		{"EDGE", l.edgeValues() * value}, {"COPY", l.CopyValues() * value}, {"SINGLES", len(l.Singles())},
	} {
		fmt.Fprintf(&b, "#define %s %d\n", c.name, c.value)
	}
	var along [3]uint64 // components plus one, two bits each
	for d, o := range geometry.Directions[:l.Directions] {
		for a, c := range [3]int8{o.X, o.Y, o.Z} {
			along[a] |= uint64(c+1) << (2 * d)
		}
	}
	fmt.Fprintf(&b, "#define ALONG_X %#xull\n#define ALONG_Y %#xull\n#define ALONG_Z %#xull\n", along[0], along[1], along[2])
	return b.String()
}

// toucher is the direction of the neighbour whose odd steps touch some values
// of a population, seen from that neighbour: the one in which it finds this
// tile. The values have coordinates in common; −1 is none. It is the number
// of directions where no other tile touches them.
func (l Layout) toucher(population int, cell [3]int) int {
	if population == l.Directions {
		return l.Directions
	}
	d := geometry.Directions[population]
	var leaves geometry.Offset
	for _, axis := range []struct {
		step  int8
		at    int
		leave *int8
	}{{d.X, cell[0], &leaves.X}, {d.Y, cell[1], &leaves.Y}, {d.Z, cell[2], &leaves.Z}} {
		if axis.step > 0 && axis.at == 0 || axis.step < 0 && axis.at == Side-1 {
			*axis.leave = axis.step
		}
	}
	for i, o := range geometry.Directions[:l.Directions] {
		if o == leaves {
			return i
		}
	}
	return l.Directions
}
