package cuda

import (
	"fmt"
	"strings"

	"carina/geometry"
	"carina/solver/lattice"
)

// Sizes of a tile.
const (
	tileSide  = 4
	tileCells = tileSide * tileSide * tileSide
	// chunkValues populations move together where they can; tileChunks are the
	// chunks of the populations at rest and along faces and edges.
	chunkValues = 4
	tileChunks  = 19 * tileCells / chunkValues
	// straight are the directions of chunks: the six of faces and the twelve of
	// edges. What moves along the eight of corners moves value by value.
	straight   = 18
	faceGroups = 6
	// most is the number of directions of the largest velocity set.
	most = 26
)

// tileLayout is where tiles keep their populations: groups of values by the
// neighbour that touches them in odd steps, six faces first, then what only the
// tile itself touches, then edges and corners in two copies (NOTES.md).
type tileLayout struct {
	bits       int // of a stored population
	directions int // 18 on D3Q19, 26 on D3Q27
}

// layoutOf is the layout of a velocity set.
func layoutOf(set *lattice.Set, bits int) tileLayout { return tileLayout{bits, set.Q - 1} }

// set are the velocities.
func (l tileLayout) set() *lattice.Set {
	if l.directions == most {
		return lattice.D3Q27
	}
	return lattice.D3Q19
}

// corners is how many directions move along all three axes.
func (l tileLayout) corners() int { return l.directions - straight }

func (l tileLayout) valueBytes() int { return l.bits / 8 }

// faceValues is the room for what one face neighbour touches: 16 chunks, nine
// values of each of four corner populations, rounded up to whole sectors.
func (l tileLayout) faceValues() int {
	const chunks, ofCorners, sector = tileCells, 4 * 9, 32
	if l.corners() == 0 {
		return chunks
	}
	n := (chunks + ofCorners) * l.valueBytes()
	return (n + sector - 1) / sector * sector / l.valueBytes()
}

// edgeValues is the room for what one edge neighbour touches: a chunk, three
// values of each of two corner populations, rounded up to whole chunks.
func (l tileLayout) edgeValues() int {
	if l.corners() == 0 {
		return chunkValues
	}
	return 3 * chunkValues
}

// The sizes and beginnings of the parts of a tile, in values: what only the
// tile itself touches begins at interior, edges and then corners at edges and
// a second time copyValues farther.
func (l tileLayout) interior() int { return faceGroups * l.faceValues() }
func (l tileLayout) edges() int {
	const ofChunks, ofCorner = (tileChunks - 6*faceChunks - 12) * chunkValues, 27
	return l.interior() + ofChunks + l.corners()*ofCorner
}
func (l tileLayout) copyValues() int {
	return (straight-faceGroups)*l.edgeValues() + l.corners()
}

// faceChunks are touched by one face neighbour.
const faceChunks = 16

// tileBytes is the memory of a tile, in whole cache lines.
func (l tileLayout) tileBytes() int64 {
	const line = 128
	n := int64(l.edges()+2*l.copyValues()) * int64(l.valueBytes())
	return (n + line - 1) / line * line
}

// imageBytes is a tile in shared memory.
func (l tileLayout) imageBytes() int { return l.set().Q * tileCells * l.valueBytes() }

// groupBytes is the size of a group, groupOffset where in a tile a step leaves
// it: a face, or an edge or a corner in the copy of even or of odd steps.
func (l tileLayout) groupBytes(group int) int64 {
	values := 1
	switch {
	case group < faceGroups:
		values = l.faceValues()
	case group < straight:
		values = l.edgeValues()
	}
	return int64(values * l.valueBytes())
}

// chunksOf is a face or an edge in chunks.
func (l tileLayout) chunksOf(group int) int {
	return int(l.groupBytes(group)) / (chunkValues * l.valueBytes())
}

func (l tileLayout) groupOffset(group, odd int) int64 {
	at := l.edges() + odd*l.copyValues()
	switch {
	case group < faceGroups:
		at = group * l.faceValues()
	case group < straight:
		at += (group - faceGroups) * l.edgeValues()
	default:
		at += (straight-faceGroups)*l.edgeValues() + group - straight
	}
	return int64(at * l.valueBytes())
}

// constants are the sizes and directions as the kernels have them, in bytes.
func (l tileLayout) constants() string {
	var b strings.Builder
	value := l.valueBytes()
	for _, c := range []struct {
		name  string
		value int
	}{
		{"BITS", l.bits}, {"DIRECTIONS", l.directions}, {"TILE", int(l.tileBytes())}, {"IMAGE", l.imageBytes()},
		{"FACE", l.faceValues() * value}, {"INTERIOR", l.interior() * value}, {"EDGES", l.edges() * value},
		{"EDGE", l.edgeValues() * value}, {"COPY", l.copyValues() * value}, {"SINGLES", len(l.singles())},
	} {
		fmt.Fprintf(&b, "#define %s %d\n", c.name, c.value)
	}
	var along [3]uint64 // components plus one, two bits each
	for d, o := range geometry.Directions[:l.directions] {
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
func (l tileLayout) toucher(population int, cell [3]int) int {
	if population == l.directions {
		return l.directions
	}
	d := geometry.Directions[population]
	var leaves geometry.Offset
	for _, axis := range []struct {
		step  int8
		at    int
		leave *int8
	}{{d.X, cell[0], &leaves.X}, {d.Y, cell[1], &leaves.Y}, {d.Z, cell[2], &leaves.Z}} {
		if axis.step > 0 && axis.at == 0 || axis.step < 0 && axis.at == tileSide-1 {
			*axis.leave = axis.step
		}
	}
	for i, o := range geometry.Directions[:l.directions] {
		if o == leaves {
			return i
		}
	}
	return l.directions
}
