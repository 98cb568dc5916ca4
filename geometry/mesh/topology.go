package mesh

import (
	"cmp"
	"slices"

	"carina/internal/disjoint"
)

// What a side of a triangle has beside it instead of one other triangle.
const (
	OpenSide  = -1 // nothing
	mixedSide = -2 // more than one other triangle
)

// Topology says which triangles of a surface are neighbours at which sides. Side
// 3·t+i runs from corner i of triangle t to corner i+1.
type Topology struct {
	// Mate is the side that shares a side's edge, OpenSide or mixedSide.
	Mate []int32
}

// NewTopology pairs the sides of all triangles. Triangles with two equal
// corners must have been removed before.
func NewTopology(s *Mesh) *Topology {
	sides := sidesByEdge(s)
	mate := make([]int32, len(sides))
	for i := 0; i < len(sides); {
		j := i + 1
		for j < len(sides) && sides[j].high == sides[i].high && s.lower(sides[j].side) == s.lower(sides[i].side) {
			j++
		}
		switch j - i {
		case 1:
			mate[sides[i].side] = OpenSide
		case 2:
			mate[sides[i].side], mate[sides[i+1].side] = sides[i+1].side, sides[i].side
		default:
			for _, e := range sides[i:j] {
				mate[e.side] = mixedSide
			}
		}
		i = j
	}
	return &Topology{Mate: mate}
}

// edgeSide is a side and the higher one of its vertices.
type edgeSide struct{ high, side int32 }

// lower returns the lower vertex of a side.
func (s *Mesh) lower(side int32) int32 {
	a, b := s.Side(side)
	return min(a, b)
}

// sidesByEdge lists the sides of all triangles in the order of their lower vertices,
// their higher vertices and their numbers.
func sidesByEdge(s *Mesh) []edgeSide {
	first := make([]int32, len(s.Vertices)+1)
	n := int32(3 * len(s.Triangles))
	for side := range n {
		first[s.lower(side)+1]++
	}
	for v := range s.Vertices {
		first[v+1] += first[v]
	}
	sides := make([]edgeSide, n)
	for side := range n {
		a, b := s.Side(side)
		at := &first[min(a, b)]
		sides[*at] = edgeSide{max(a, b), side}
		*at++
	}
	// Of every vertex first is now where the next one's sides begin.
	from := int32(0)
	for _, to := range first[:len(s.Vertices)] {
		slices.SortFunc(sides[from:to], func(a, b edgeSide) int {
			return cmp.Or(int(a.high-b.high), int(a.side-b.side))
		})
		from = to
	}
	return sides
}

// Side returns the two vertices of a side, in the triangle's order.
func (s *Mesh) Side(side int32) (from, to int32) {
	v := &s.Triangles[side/3].V
	return v[side%3], v[(side+1)%3]
}

// Count returns how many edges are open and how many are shared by more than
// two triangles' sides.
func (t *Topology) Count() (open, mixed int) {
	for _, m := range t.Mate {
		switch m {
		case OpenSide:
			open++
		case mixedSide:
			mixed++
		}
	}
	return open, mixed
}

// Components numbers the connected components of the surface in the order of
// their first triangles.
func (s *Mesh) Components() (component []int32, count int) {
	d := disjoint.New(len(s.Vertices))
	for i := range s.Triangles {
		v := &s.Triangles[i].V
		d.Union(v[0], v[1])
		d.Union(v[0], v[2])
	}
	component = make([]int32, len(s.Triangles))
	number := map[int32]int32{}
	for i := range s.Triangles {
		root := d.Find(s.Triangles[i].V[0])
		n, ok := number[root]
		if !ok {
			n = int32(len(number))
			number[root] = n
		}
		component[i] = n
	}
	return component, len(number)
}

// Spread walks over all triangles connected to the first one through edges of
// two triangles and sets flip where one is wound against the first.
//
// It passes the edges last at which the file winds two triangles unlike. Where
// torn or doubled triangles join a surface to its own other side, no winding
// suits all edges; then those stay behind that the file has against it.
func (t *Topology) Spread(s *Mesh, first, number int32, piece []int32, flip []bool) {
	piece[first] = number
	queue := []int32{first}
	var late []int32
	visit := func(side int32, against bool) {
		mate := t.Mate[side]
		if mate < 0 || piece[mate/3] >= 0 {
			return
		}
		// Neighbours that are wound alike walk their edge in opposite
		// directions.
		from, _ := s.Side(side)
		other, _ := s.Side(mate)
		if from == other && !against {
			late = append(late, side)
			return
		}
		piece[mate/3] = number
		flip[mate/3] = flip[side/3] != (from == other)
		queue = append(queue, mate/3)
	}
	for len(queue)+len(late) > 0 {
		if n := len(queue); n > 0 {
			at := queue[n-1]
			queue = queue[:n-1]
			for side := 3 * at; side < 3*at+3; side++ {
				visit(side, false)
			}
			continue
		}
		n := len(late)
		visit(late[n-1], true)
		late = late[:n-1]
	}
}
