package tiling

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"carina/internal/crash"
)

// Subdomain is the tiles of one rank and what crosses its borders.
type Subdomain struct {
	Rank int
	// Tiles are numbers in the tile set in the order in which they lie in
	// memory: those with a neighbour on another rank, then the rank's others,
	// both along Morton's curve, then ghosts of the other ranks' tiles.
	Tiles []int32
	// Border and Own are how many of them come first.
	Border, Own int
	// Borders are those to other ranks, by rank.
	Borders []Border
}

// Border is what two ranks exchange, as one of them sees it. An even step
// leaves for the neighbour what the odd step after it reads, and the other way
// round. All lists are in an order that both ranks know: by group of chunks,
// then by the position of the tile that leaves it.
type Border struct {
	Rank int // the other one
	// Leaving and Arriving are by parity of the step, and equally long.
	Leaving, Arriving [2][]Crossing
	// Faces and Edges are how many of the crossings come first; the others are
	// corners.
	Faces, Edges int
}

// Crossing is a group of chunks of a tile that has been left for a neighbour.
type Crossing struct {
	key  uint64 // group and position of the tile
	Tile int32  // where it comes from or goes to, by index in memory
}

const positionBits = 57

// Group is the number of the group.
func (c Crossing) Group() int { return int(c.key >> positionBits) }

// crossingKey orders crossings.
func crossingKey(group int, position [3]int32) uint64 {
	const axis = positionBits / 3
	return uint64(group)<<positionBits | uint64(position[2])<<(2*axis) | uint64(position[1])<<axis | uint64(position[0])
}

// inParallel calls f for parts of 0 … n−1, several at a time.
func inParallel(n int, f func(from, to int)) {
	parts := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for p := range parts {
		all.Go(func() {
			defer crash.Guard()
			f(n*p/parts, n*(p+1)/parts)
		})
	}
	all.Wait()
}

// NewSubdomain returns the subdomain of a rank; owner is the rank of every tile.
func NewSubdomain(tiles *Set, owner []int32, rank int) *Subdomain {
	s := &Subdomain{Rank: rank}
	order := tiles.mortonOrder(func(tile int) bool { return owner[tile] == int32(rank) })
	atBorder := make([]bool, len(order))
	inParallel(len(order), func(from, to int) {
		for i := from; i < to; i++ {
			atBorder[i] = tiles.isAtBorder(owner, order[i])
		}
	})
	s.Tiles = make([]int32, 0, len(order))
	for _, border := range []bool{true, false} {
		for i, t := range order {
			if atBorder[i] == border {
				s.Tiles = append(s.Tiles, t)
			}
		}
		if border {
			s.Border = len(s.Tiles)
		}
	}
	s.Own = len(s.Tiles)
	s.addGhosts(tiles, owner)
	s.findCrossings(tiles, owner)
	return s
}

// Indices are where the own tiles lie in memory by number in the set, −1 for others.
func (s *Subdomain) Indices(tiles *Set) []int32 {
	indices := make([]int32, len(tiles.Position))
	for i := range indices {
		indices[i] = -1
	}
	for at, tile := range s.Tiles[:s.Own] {
		indices[tile] = int32(at)
	}
	return indices
}

// isAtBorder tells whether a tile has a neighbour of another owner.
func (s *Set) isAtBorder(owner []int32, tile int32) bool {
	for _, n := range s.Around(tile) {
		if n >= 0 && owner[n] != owner[tile] {
			return true
		}
	}
	return false
}

// addGhosts appends the neighbours on other ranks.
func (s *Subdomain) addGhosts(tiles *Set, owner []int32) {
	var ghosts []int32
	for _, t := range s.Tiles[:s.Border] {
		for _, n := range tiles.Around(t) {
			if n >= 0 && owner[n] != int32(s.Rank) {
				ghosts = append(ghosts, n)
			}
		}
	}
	slices.Sort(ghosts)
	s.Tiles = append(s.Tiles, slices.Compact(ghosts)...)
}

// ghost returns where the ghost of a tile lies.
func (s *Subdomain) ghost(tile int32) int32 {
	i, _ := slices.BinarySearch(s.Tiles[s.Own:], tile)
	return int32(s.Own + i)
}

// findCrossings finds what the rank exchanges with others.
func (s *Subdomain) findCrossings(tiles *Set, owner []int32) {
	byRank := map[int32]*Border{}
	for i, t := range s.Tiles[:s.Border] {
		for d, n := range tiles.Around(t) {
			if n < 0 || owner[n] == int32(s.Rank) {
				continue
			}
			b := byRank[owner[n]]
			if b == nil {
				b = &Border{Rank: int(owner[n])}
				byRank[owner[n]] = b
			}
			b.add(int32(i), s.ghost(n), d, tiles.Position[t], tiles.Position[n])
		}
	}
	for _, b := range byRank {
		b.sort()
		s.Borders = append(s.Borders, *b)
	}
	slices.SortFunc(s.Borders, func(a, b Border) int { return cmp.Compare(a.Rank, b.Rank) })
}

// add adds what an own tile and its neighbour in a direction exchange. In an
// odd step a tile works on group d of the neighbour in direction d; what it
// leaves in an edge or a corner it keeps in a second copy, which the neighbour reads.
func (b *Border) add(own, ghost int32, d int, at, there [3]int32) {
	const even, odd = 0, 1
	put := func(list *[]Crossing, group int, position [3]int32, tile int32) {
		*list = append(*list, Crossing{crossingKey(group, position), tile})
	}
	put(&b.Leaving[even], d^1, at, own)
	put(&b.Leaving[odd], d, at, own)
	put(&b.Arriving[even], d, there, ghost)
	switch {
	case d < FaceGroups:
		b.Faces++
		put(&b.Arriving[odd], d^1, there, own)
		return
	case d < StraightDirections:
		b.Edges++
	}
	put(&b.Arriving[odd], d^1, there, ghost)
}

func (b *Border) sort() {
	for _, lists := range []*[2][]Crossing{&b.Leaving, &b.Arriving} {
		for _, list := range lists {
			slices.SortFunc(list, func(a, b Crossing) int { return cmp.Compare(a.key, b.key) })
		}
	}
}

// Bytes is the size of a message across the border.
func (b *Border) Bytes(l Layout) int64 { return b.Message(len(b.Leaving[0]), l) }

// Message returns where in a message the values of a crossing begin: first
// faces, then edges, then corners.
func (b *Border) Message(crossing int, l Layout) int64 {
	faces := min(crossing, b.Faces)
	edges := min(crossing-faces, b.Edges)
	return int64(faces)*l.groupBytes(0) + int64(edges)*l.groupBytes(FaceGroups) + int64(crossing-faces-edges)*l.groupBytes(StraightDirections)
}

// Rows returns the indices in memory of the neighbours of the own tiles, by
// tile and direction, −1 where there is none. Indices of own tiles are given by
// number in the set.
func (s *Subdomain) Rows(tiles *Set, owner, index []int32) []int32 {
	rows := make([]int32, s.Own*tiles.Directions)
	inParallel(s.Own, func(from, to int) {
		for i := from; i < to; i++ {
			row := rows[i*tiles.Directions:]
			for d, n := range tiles.Around(s.Tiles[i]) {
				switch {
				case n < 0:
					row[d] = -1
				case owner[n] == int32(s.Rank):
					row[d] = index[n]
				default:
					row[d] = s.ghost(n)
				}
			}
		}
	})
	return rows
}
