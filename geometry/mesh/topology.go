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
	mate := make([]int32, 3*len(s.Triangles))
	eachEdge(s, func(_, _ int32, sides []edgeSide) {
		switch len(sides) {
		case 1:
			mate[sides[0].side] = OpenSide
		case 2:
			mate[sides[0].side], mate[sides[1].side] = sides[1].side, sides[0].side
		default:
			for _, e := range sides {
				mate[e.side] = mixedSide
			}
		}
	})
	return &Topology{Mate: mate}
}

// edgeSide is a side and the higher one of its vertices.
type edgeSide struct{ high, side int32 }

// eachEdge shows the sides of each edge, ascending, edge by edge in the order of their
// lower and then of their higher vertices.
func eachEdge(s *Mesh, see func(low, high int32, sides []edgeSide)) {
	first := make([]int32, len(s.Vertices)+1)
	for i := range s.Triangles {
		v := &s.Triangles[i].V
		first[min(v[0], v[1])+1]++
		first[min(v[1], v[2])+1]++
		first[min(v[2], v[0])+1]++
	}
	for v := range s.Vertices {
		first[v+1] += first[v]
	}
	all := make([]edgeSide, 3*len(s.Triangles))
	put := func(a, b, side int32) {
		at := &first[min(a, b)]
		all[*at] = edgeSide{max(a, b), side}
		*at++
	}
	for i := range s.Triangles {
		v, side := &s.Triangles[i].V, 3*int32(i)
		put(v[0], v[1], side)
		put(v[1], v[2], side+1)
		put(v[2], v[0], side+2)
	}
	// Of every vertex first is now where the next one's sides begin.
	from := int32(0)
	for low, to := range first[:len(s.Vertices)] {
		sides := all[from:to]
		sortByHigh(sides)
		for i := 0; i < len(sides); {
			j, high := i+1, sides[i].high
			for j < len(sides) && sides[j].high == high {
				j++
			}
			see(int32(low), high, sides[i:j])
			i = j
		}
		from = to
	}
}

// sortByHigh sorts sides, which ascend, by their higher vertices.
func sortByHigh(sides []edgeSide) {
	const few = 16
	if len(sides) > few {
		slices.SortFunc(sides, func(a, b edgeSide) int {
			return cmp.Or(int(a.high-b.high), int(a.side-b.side))
		})
		return
	}
	for i := 1; i < len(sides); i++ {
		e, at := sides[i], i
		for ; at > 0 && sides[at-1].high > e.high; at-- {
			sides[at] = sides[at-1]
		}
		sides[at] = e
	}
}

// MayRepeat reports whether triangles may have the same three corners. These share
// edges with more than two sides, or all of one's sides have their mates in another.
func (t *Topology) MayRepeat() bool {
	for i := 0; i < len(t.Mate); i += 3 {
		a, b, c := t.Mate[i], t.Mate[i+1], t.Mate[i+2]
		if a == mixedSide || b == mixedSide || c == mixedSide || a >= 0 && a/3 == b/3 && b/3 == c/3 {
			return true
		}
	}
	return false
}

// Side returns the two vertices of a side, in the triangle's order.
func (s *Mesh) Side(side int32) (from, to int32) {
	v := &s.Triangles[side/3].V
	return v[side%3], v[(side+1)%3]
}

// Beside returns the mates of a triangle's sides.
func (t *Topology) Beside(triangle int32) *[3]int32 {
	return (*[3]int32)(t.Mate[3*triangle:])
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
	number := make([]int32, len(s.Vertices)) // of the components by their lowest vertices, from 1
	for i := range s.Triangles {
		of := &number[d.Find(s.Triangles[i].V[0])]
		if *of == 0 {
			count++
			*of = int32(count)
		}
		component[i] = *of - 1
	}
	return component, count
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
