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
	// innerSamples triangles of a piece are tried to see where it lies.
	innerSamples = 48
	// A closed piece that reaches out of the largest is an obstacle with so much
	// of it inside, where it is wound alike in the file and where it is not. A ball
	// that joins two tubes of its own width has a half.
	mostAlike, mostOpposite = 0.6, 0.5
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

// place is where a piece lies: its sampled points inside another piece, outside
// of it and on its wall.
type place struct{ inside, outside, onWall int }

// within reports whether none of a piece lies outside, and crosses whether its
// wall goes through the other's.
func (p place) within() bool  { return p.outside == 0 && p.inside >= p.onWall }
func (p place) crosses() bool { return p.inside > 0 && p.outside > 0 }

// share is how much of the piece lies inside.
func (p place) share() float64 {
	return float64(p.inside) / float64(p.inside+p.outside+p.onWall)
}

// turnOutwards turns whole pieces over and returns the pieces that stand in
// obstacles. A piece that encloses volume must do so with a positive sign, unless
// it lies inside the largest piece and is closed or wound the other way in the
// file: then fluid is around it and not in it. It is an obstacle, and is wound so
// that it takes its inside away. So is a closed piece that reaches out of the
// largest and lies mostly inside; any other is a part of the lumen.
func turnOutwards(s *mesh.Mesh, t *mesh.Topology, piece []int32, pieces int, flip []bool, m *Changes) (enclosed []bool) {
	states := pieceStates(s, t, piece, pieces, flip)
	largest := 0
	for i := range states {
		if math.Abs(states[i].volume) > math.Abs(states[largest].volume) {
			largest = i
		}
	}
	var field *mesh.WindingField
	turn, obstacle := make([]bool, pieces), make([]bool, pieces)
	for i := range states {
		p, big := &states[i], &states[largest]
		if i != largest && overlap(p, big) && math.Abs(p.volume) > innerShare*math.Abs(big.volume) {
			if field == nil {
				field = mesh.NewWindingField(onePiece(s, piece, flip, int32(largest)))
			}
			lies, other := placeOf(s, piece, int32(i), p.triangles, field), p.asFiled() != big.asFiled()
			obstacle[i] = lies.within() && (!p.open || other)
			if lies.crosses() && !p.open {
				obstacle[i] = lies.share() >= mostAlike || other && lies.share() >= mostOpposite
				m.count(obstacle[i])
			}
		}
		turn[i] = (p.volume < 0) != obstacle[i]
	}
	for i := range flip {
		flip[i] = flip[i] != turn[piece[i]]
	}
	return enclosedPieces(s, piece, states, obstacle, flip, m)
}

// enclosedPieces returns the obstacles that lie in other obstacles, where nothing
// flows.
func enclosedPieces(s *mesh.Mesh, piece []int32, states []pieceState, obstacle, flip []bool, m *Changes) []bool {
	fields := make([]*mesh.WindingField, len(states))
	enclosed := make([]bool, len(states))
	for i := range states {
		for k := range states {
			a, b := &states[i], &states[k]
			if i == k || !obstacle[i] || !obstacle[k] || enclosed[i] || math.Abs(b.volume) < math.Abs(a.volume) || !within(a, b) {
				continue
			}
			if fields[k] == nil {
				fields[k] = mesh.NewWindingField(onePiece(s, piece, flip, int32(k)))
			}
			if enclosed[i] = placeOf(s, piece, int32(i), a.triangles, fields[k]).within(); enclosed[i] {
				m.EnclosedBodies++
			}
		}
	}
	return enclosed
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

// overlap reports whether the boxes of two pieces do.
func overlap(p, q *pieceState) bool {
	low, high := mesh.MaxVec(p.low, q.low), mesh.MinVec(p.high, q.high)
	return low.X < high.X && low.Y < high.Y && low.Z < high.Z
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

// Winding numbers that tell what lies inside a closed surface and what outside,
// whichever way it is wound; on the surface itself they are a half.
const outsideWinding, insideWinding = 0.25, 0.75

// placeOf looks where corners and middles of triangles spread over a piece lie,
// to the piece of the given field: at few of them where these agree.
func placeOf(s *mesh.Mesh, piece []int32, number int32, triangles int, field *mesh.WindingField) (lies place) {
	step := max(triangles/innerSamples, 1)
	var points []r3.Vec
	k := 0
	for i := range s.Triangles {
		if piece[i] != number {
			continue
		}
		if k%step == 0 {
			a, b, c := s.Corners(i)
			points = append(points, a, r3.Scale(1.0/3, r3.Add(a, r3.Add(b, c))))
		}
		k++
	}
	look := func(point r3.Vec) {
		switch w := math.Abs(field.At(point)); {
		case w >= insideWinding:
			lies.inside++
		case w < outsideWinding:
			lies.outside++
		default:
			lies.onWall++
		}
	}
	const few = 8
	for i := 0; i < len(points); i += few {
		look(points[i])
	}
	if lies.onWall == 0 && !lies.crosses() {
		return lies
	}
	for i, point := range points {
		if i%few != 0 {
			look(point)
		}
	}
	return lies
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
