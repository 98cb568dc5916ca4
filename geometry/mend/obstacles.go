package mend

import (
	"math"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// innerShare is the volume, as a share of the largest piece's, below which
	// a piece is never taken for an inner wall.
	innerShare = 1e-4
	// innerSamples corners of a piece are tried to see whether it lies
	// inside another.
	innerSamples = 12
)

// pieceState is what one connected piece of a surface is like, once all of it
// is wound alike.
type pieceState struct {
	volume    float64
	area      float64
	flipped   float64 // area that flip turns over
	open      bool    // it has a boundary
	origin    r3.Vec
	triangles int
	low, high r3.Vec
}

// asFiled reports whether a piece encloses a positive volume as most of it is
// wound in the file.
func (p *pieceState) asFiled() bool { return (p.volume > 0) != (p.flipped > p.area/2) }

// turnOutwards turns whole pieces over. A piece that encloses volume must do
// so with a positive sign, unless it lies inside the largest piece and is
// closed or wound the other way in the file: then fluid is around it and not
// in it. It is an obstacle, and is wound so that it takes its inside away.
func turnOutwards(s *mesh.Mesh, t *mesh.Topology, piece []int32, pieces int, flip []bool) {
	states := pieceStates(s, t, piece, pieces, flip)
	largest := 0
	for i := range states {
		if math.Abs(states[i].volume) > math.Abs(states[largest].volume) {
			largest = i
		}
	}
	var field *mesh.WindingField
	turn := make([]bool, pieces)
	for i := range states {
		p, big := &states[i], &states[largest]
		inner := i != largest && (!p.open || p.asFiled() != big.asFiled()) &&
			math.Abs(p.volume) > innerShare*math.Abs(big.volume) && within(p, big)
		if inner {
			if field == nil {
				field = mesh.NewWindingField(onePiece(s, piece, flip, int32(largest)))
			}
			inner = liesInside(s, piece, int32(i), p.triangles, field)
		}
		turn[i] = (p.volume < 0) != inner
	}
	for i := range flip {
		flip[i] = flip[i] != turn[piece[i]]
	}
}

func pieceStates(s *mesh.Mesh, t *mesh.Topology, piece []int32, pieces int, flip []bool) []pieceState {
	states := make([]pieceState, pieces)
	for i := range s.Triangles {
		p := &states[piece[i]]
		a, b, c := s.Corners(i)
		if p.triangles == 0 {
			p.origin, p.low, p.high = a, a, a
		}
		p.triangles++
		p.low, p.high = mesh.MinVec(p.low, mesh.MinVec(a, mesh.MinVec(b, c))), mesh.MaxVec(p.high, mesh.MaxVec(a, mesh.MaxVec(b, c)))
		v := r3.Dot(r3.Sub(a, p.origin), r3.Cross(r3.Sub(b, p.origin), r3.Sub(c, p.origin))) / 6
		area := r3.Norm(s.AreaVector(i))
		p.area += area
		if flip[i] {
			v = -v
			p.flipped += area
		}
		p.volume += v
		for side := 3 * i; side < 3*i+3; side++ {
			p.open = p.open || t.Mate[side] == mesh.OpenSide
		}
	}
	return states
}

// within reports whether a piece's box lies within another one's.
func within(p, big *pieceState) bool {
	return mesh.MinVec(p.low, big.low) == big.low && mesh.MaxVec(p.high, big.high) == big.high
}

// onePiece returns one piece of a surface by itself, wound alike.
func onePiece(s *mesh.Mesh, piece []int32, flip []bool, number int32) *mesh.Mesh {
	out := &mesh.Mesh{Vertices: s.Vertices}
	for i, t := range s.Triangles {
		if piece[i] != number {
			continue
		}
		if flip[i] {
			t.V[1], t.V[2] = t.V[2], t.V[1]
		}
		out.Triangles = append(out.Triangles, t)
	}
	return out
}

// liesInside reports whether corners spread over a piece all lie inside the
// piece of the given field, whichever way that is wound as a whole.
func liesInside(s *mesh.Mesh, piece []int32, number int32, triangles int, field *mesh.WindingField) bool {
	step := max(triangles/innerSamples, 1)
	k := 0
	for i := range s.Triangles {
		if piece[i] != number {
			continue
		}
		if k%step == 0 && math.Abs(field.At(s.Vertices[s.Triangles[i].V[0]])) < 0.5 {
			return false
		}
		k++
	}
	return true
}

// Obstacles tells which triangles of an oriented mesh belong to obstacles, and
// how many of these there are.
func Obstacles(s *mesh.Mesh, t *mesh.Topology) (inObstacle []bool, count int) {
	flip := make([]bool, len(s.Triangles))
	piece := make([]int32, len(s.Triangles))
	for i := range piece {
		piece[i] = -1
	}
	pieces := int32(0)
	for i := range piece {
		if piece[i] < 0 {
			t.Spread(s, int32(i), pieces, piece, flip)
			pieces++
		}
	}
	inObstacle = make([]bool, len(s.Triangles))
	if pieces < 2 {
		return inObstacle, 0
	}
	states := pieceStates(s, t, piece, int(pieces), make([]bool, len(flip)))
	for i := range states {
		if states[i].volume < 0 {
			count++
		}
	}
	for i, p := range piece {
		inObstacle[i] = states[p].volume < 0
	}
	return inObstacle, count
}
