package cuda

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"carina/internal/crash"
)

// subdomain is the tiles of one rank and what crosses its borders.
type subdomain struct {
	rank int
	// tiles are numbers in the tile set in the order in which they lie in
	// memory: those with a neighbour on another rank, then the rank's others,
	// both along Morton's curve, then ghosts of the other ranks' tiles.
	tiles []int32
	// border and own are how many of them come first.
	border, own int
	borders     []border
}

// border is what two ranks exchange, as one of them sees it. An even step
// leaves for the neighbour what the odd step after it reads, and the other way
// round. All lists are in an order that both ranks know: by group of chunks,
// then by the position of the tile that leaves it.
type border struct {
	rank int // the other one
	// leaving and arriving are by parity of the step, and equally long.
	leaving, arriving [2][]crossing
	// faces and edges are how many of the crossings come first; the others are
	// corners.
	faces, edges int
}

// crossing is a group of chunks of a tile that has been left for a neighbour.
type crossing struct {
	key  uint64 // group and position of the tile
	tile int32  // where it comes from or goes to, by index in memory
}

const positionBits = 57

func (c crossing) group() int { return int(c.key >> positionBits) }

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

// newSubdomain returns the subdomain of a rank; owner is the rank of every tile.
func newSubdomain(tiles *tileSet, owner []int32, rank int) *subdomain {
	s := &subdomain{rank: rank}
	order := tiles.mortonOrder(func(tile int) bool { return owner[tile] == int32(rank) })
	for _, border := range []bool{true, false} {
		for _, t := range order {
			if tiles.isAtBorder(owner, t) == border {
				s.tiles = append(s.tiles, t)
			}
		}
		if border {
			s.border = len(s.tiles)
		}
	}
	s.own = len(s.tiles)
	s.addGhosts(tiles, owner)
	s.findCrossings(tiles, owner)
	return s
}

// isAtBorder tells whether a tile has a neighbour of another owner.
func (s *tileSet) isAtBorder(owner []int32, tile int32) bool {
	for _, n := range s.around(tile) {
		if n >= 0 && owner[n] != owner[tile] {
			return true
		}
	}
	return false
}

// addGhosts appends the neighbours on other ranks.
func (s *subdomain) addGhosts(tiles *tileSet, owner []int32) {
	var ghosts []int32
	for _, t := range s.tiles[:s.border] {
		for _, n := range tiles.around(t) {
			if n >= 0 && owner[n] != int32(s.rank) {
				ghosts = append(ghosts, n)
			}
		}
	}
	slices.Sort(ghosts)
	s.tiles = append(s.tiles, slices.Compact(ghosts)...)
}

// ghost returns where the ghost of a tile lies.
func (s *subdomain) ghost(tile int32) int32 {
	i, _ := slices.BinarySearch(s.tiles[s.own:], tile)
	return int32(s.own + i)
}

// findCrossings finds what the rank exchanges with others.
func (s *subdomain) findCrossings(tiles *tileSet, owner []int32) {
	byRank := map[int32]*border{}
	for i, t := range s.tiles[:s.border] {
		for d, n := range tiles.around(t) {
			if n < 0 || owner[n] == int32(s.rank) {
				continue
			}
			b := byRank[owner[n]]
			if b == nil {
				b = &border{rank: int(owner[n])}
				byRank[owner[n]] = b
			}
			b.add(int32(i), s.ghost(n), d, tiles.position[t], tiles.position[n])
		}
	}
	for _, b := range byRank {
		b.sort()
		s.borders = append(s.borders, *b)
	}
	slices.SortFunc(s.borders, func(a, b border) int { return cmp.Compare(a.rank, b.rank) })
}

// add adds what an own tile and its neighbour in a direction exchange. In an
// odd step a tile works on group d of the neighbour in direction d; what it
// leaves in an edge or a corner it keeps in a second copy, which the neighbour reads.
func (b *border) add(own, ghost int32, d int, at, there [3]int32) {
	const even, odd = 0, 1
	put := func(list *[]crossing, group int, position [3]int32, tile int32) {
		*list = append(*list, crossing{crossingKey(group, position), tile})
	}
	put(&b.leaving[even], d^1, at, own)
	put(&b.leaving[odd], d, at, own)
	put(&b.arriving[even], d, there, ghost)
	switch {
	case d < faceGroups:
		b.faces++
		put(&b.arriving[odd], d^1, there, own)
		return
	case d < straight:
		b.edges++
	}
	put(&b.arriving[odd], d^1, there, ghost)
}

func (b *border) sort() {
	for _, lists := range []*[2][]crossing{&b.leaving, &b.arriving} {
		for _, list := range lists {
			slices.SortFunc(list, func(a, b crossing) int { return cmp.Compare(a.key, b.key) })
		}
	}
}

// bytes is the size of a message across the border.
func (b *border) bytes(l tileLayout) int64 { return b.message(len(b.leaving[0]), l) }

// message returns where in a message the values of a crossing begin: first
// faces, then edges, then corners.
func (b *border) message(crossing int, l tileLayout) int64 {
	faces := min(crossing, b.faces)
	edges := min(crossing-faces, b.edges)
	return int64(faces)*l.groupBytes(0) + int64(edges)*l.groupBytes(faceGroups) + int64(crossing-faces-edges)*l.groupBytes(straight)
}

// rows returns the indices in memory of the neighbours of the own tiles, by
// tile and direction, −1 where there is none. Indices of own tiles are given by
// number in the set.
func (s *subdomain) rows(tiles *tileSet, owner, index []int32) []int32 {
	rows := make([]int32, s.own*tiles.directions)
	inParallel(s.own, func(from, to int) {
		for i := from; i < to; i++ {
			row := rows[i*tiles.directions:]
			for d, n := range tiles.around(s.tiles[i]) {
				switch {
				case n < 0:
					row[d] = -1
				case owner[n] == int32(s.rank):
					row[d] = index[n]
				default:
					row[d] = s.ghost(n)
				}
			}
		}
	})
	return rows
}

// exitTables returns, by parity, for every tile of the border and every group
// the address of the tile that the step leaves the group in, 0 where there is
// none, before connections fill in what leaves this rank.
func (p *part) exitTables() (tables [2][]uint64) {
	for odd := range tables {
		tables[odd] = make([]uint64, p.subdomain.border*p.directions)
		for i := range tables[odd] {
			to := int32(i / p.directions)
			if g := i % p.directions; odd == 1 && g < faceGroups {
				to = p.borderRows[int(to)*p.directions+g]
			}
			if to >= 0 {
				tables[odd][i] = p.tile(to)
			}
		}
	}
	return tables
}
